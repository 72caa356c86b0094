% Builds the S-function @name@_sfun and, with 'model', a Simulink model with its block.
%
%   build_@name@            compile
%   build_@name@('model')   compile, then a new model with the block, ready to connect
%
% Made by Interfield. Not tried in MATLAB by those who made it; see README.md.
function build_@name@(what)
    here = fileparts(mfilename('fullpath'));
    files = {fullfile(here, '@name@_sfun.c'), fullfile(here, '@name@.c')};
    if ispc
        % /fp:precise is the default of Microsoft's compiler; MinGW takes the options of gcc.
        mex('-outdir', here, files{:});
    else
        % Without -ffp-contract=off the compiler may round differently from the library.
        mex('-outdir', here, 'CFLAGS=$CFLAGS -std=c99 -O2 -ffp-contract=off', files{:});
    end
    if nargin > 0 && strcmp(what, 'model')
        name = '@name@_model';
        new_system(name);
        block = [name '/@name@'];
        add_block('simulink/User-Defined Functions/S-Function', block, ...
            'FunctionName', '@name@_sfun', 'Parameters', '[], 0', 'SFunctionModules', '''@name@''');
        set_param(name, 'SolverType', 'Fixed-step', 'Solver', 'FixedStepDiscrete', 'FixedStep', '@DT@', 'StopTime', '@STOP@');
        open_system(name);
    end
end
