function [r, summary] = interfield_run(model, varargin)
%INTERFIELD_RUN  Runs a model file and reads the result.
%
%   R = INTERFIELD_RUN('frame.toml') runs it; R is the struct of INTERFIELD_READ.
%   R = INTERFIELD_RUN(MODEL, 'coupling', 'pmc', 'substeps', 4, 'until', '2 s') replaces what the model says: names are those of
%   the options of `interfield run`. 'set' takes a text such as 'k=4 kN/mm', also several times. 'output' names the result file
%   (default: a temporary one). A true value stands for an option without a value, such as 'whole', true.
%   [R, SUMMARY] also returns what the program says of the run, as a struct: verdict, peaks, times.
  if mod(numel(varargin), 2) ~= 0
    error('interfield:arguments', 'interfield_run: options come as name, value');
  end
  output = [tempname() '.h5'];
  words = {};
  for i = 1:2:numel(varargin)
    name = varargin{i};
    value = varargin{i + 1};
    if strcmp(name, 'output')
      output = value;
    elseif islogical(value)
      if value
        words = [words, {['--' name]}]; %#ok<AGROW>
      end
    else
      if isnumeric(value)
        value = num2str(value, 17);
      end
      words = [words, {['--' name], value}]; %#ok<AGROW>
    end
  end
  summary = jsondecode(interfield_call([{'run', model, '--json', '--output', output}, words]));
  r = interfield_read(output);
end
