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

% It draws: a panel per unit, a line per channel with all rows, and says which channel there is not.
warning('off', 'all');
set(0, 'defaultfigurevisible', 'off');
h = interfield_plot(r, 'slab.x', 'isolators.force', 'roof.x');
lines = findall(h, 'type', 'line');
drawn = sort(arrayfun(@(l) max(abs(get(l, 'ydata'))), lines(arrayfun(@(l) numel(get(l, 'ydata')) == numel(r.t), lines))));
known = cellfun(@(n) max(abs(r.data(:, strcmp(r.channels, n)))), {'slab.x', 'isolators.force', 'roof.x'});
assert(numel(drawn) == 3 && isequal(drawn(:), sort(known(:))));
picture = [tempname() '.svg'];
print(h, picture);
assert(numel(fileread(picture)) > 1000);
close(h);
failed = false;
try
  interfield_plot(r, 'slab.z');
catch e
  failed = ~isempty(strfind(e.message, 'slab.z'));
end
assert(failed);

% A file that was cut is refused with its reason.
f = fopen(output); data = fread(f, Inf, 'uint8=>uint8'); fclose(f);
cut = [tempname() '.h5'];
f = fopen(cut, 'w'); fwrite(f, data(1:floor(0.8 * numel(data)))); fclose(f);
failed = false;
try
  interfield_read(cut);
catch e
  failed = ~isempty(strfind(e.message, 'truncated'));
end
assert(failed);

% A run is read while it goes on, and after it was killed.
killed = [tempname() '.h5'];
[~, pid] = system(['"' getenv('INTERFIELD_PROGRAM') '" run "' fullfile(root, 'models', 'duffing-chain.toml') '" --until "5000 s" --output "' killed '" > /dev/null 2>&1 & echo $!']);
n = 0;
begun = time();
while n <= 100 && time() - begun < 60
  try
    n = numel(interfield_read(killed).t);
  catch
    n = 0;
  end
end
system(['kill -KILL ' strtrim(pid)]);
part = interfield_read(killed);
assert(n > 100 && numel(part.t) >= n && all(isfinite(part.data(:))) && all(diff(part.t) > 0));

delete(output, strrep(output, '.h5', '.lab.h5'), csv, picture, cut, killed);
printf('{"channels": %d, "rows": %d}\n', numel(r.channels), numel(r.t));
