% Tests in Octave: `octave-cli matlab/tests/all.m` at the root, with INTERFIELD_PROGRAM set. Prints one line of JSON.
root = fileparts(fileparts(fileparts(mfilename('fullpath'))));
addpath(fullfile(root, 'matlab'));
warning('off', 'interfield:model');
model = fullfile(root, 'models', 'isolated-building.toml');

% A run with other settings, and the recording of its specimen.
output = [tempname() '.h5'];
[r, summary] = interfield_run(model, 'until', '1 s', 'coupling', 'pmc', 'substeps', 4, 'output', output);
assert(abs(r.t(end) - 1) < 1e-12);
assert(all(isfinite(r.data(:))) && size(r.data, 2) == numel(r.channels));
k = find(strcmp(r.channels, 'slab.x'));
assert(strcmp(r.units{k}, 'mm') && isequal(r.fields.slab_x, r.data(:, k)));
assert(~isempty(strfind(r.info.outcome, 'verdict')) && ~isempty(summary));
recording = interfield_read(strrep(output, '.h5', '.lab.h5'));
assert(numel(recording.t) > 100 && any(strcmp(recording.units, 'mm')));

% The same bits as a file that the program exports itself.
csv = [tempname() '.csv'];
interfield_call({'export', output, '--output', csv});
text = fileread(csv);
lines = strsplit(strtrim(text), sprintf('\n'));
last = str2double(strsplit(lines{end}, ','));
assert(isequal(last(2:end), r.data(end, :)));

% What is wrong is said.
failed = false;
try
  interfield_run(fullfile(root, 'models', 'frame.toml'), 'scheme', 'nwmark');
catch e
  failed = ~isempty(strfind(e.message, 'nwmark'));
end
assert(failed);
failed = false;
try
  interfield_read('nowhere.h5');
catch e
  failed = ~isempty(strfind(e.message, 'does not exist'));
end
assert(failed);

delete(output, csv);
printf('{"channels": %d, "rows": %d}\n', numel(r.channels), numel(r.t));
