function r = interfield_read(file)
%INTERFIELD_READ  Reads a result file or a recording of Interfield, also of a run that was killed or is still running.
%
%   R = INTERFIELD_READ(FILE) returns a struct with the fields
%     t         times, s (column)
%     data      one column per channel
%     channels  names of the channels (cell)
%     units     their units (cell)
%     fields    struct with one column per channel; characters that a field name cannot have are "_"
%     info      title, outcome, settings, log, text of the model
%   In MATLAB the field `timetable` holds the same as a timetable with units; Octave has none.
%
%   Needs the `interfield` program: it is looked for in the environment variable INTERFIELD_PROGRAM, then on the path.
  if exist(file, 'file') ~= 2
    error('interfield:file', 'interfield_read: `%s` does not exist', file);
  end
  mat = [tempname() '.mat'];
  cleanup = onCleanup(@() remove(mat));
  interfield_call({'export', file, '--output', mat});
  found = load(mat);
  fields = fieldnames(found.info.names);
  r.file = file;
  r.t = found.time(:);
  r.data = zeros(numel(r.t), numel(fields));
  r.channels = cell(1, numel(fields));
  r.units = cell(1, numel(fields));
  r.fields = struct();
  for i = 1:numel(fields)
    r.data(:, i) = found.(fields{i})(:);
    r.channels{i} = found.info.names.(fields{i});
    r.units{i} = found.units.(fields{i});
    r.fields.(fields{i}) = r.data(:, i);
  end
  r.info = rmfield(found.info, 'names');
  if exist('array2timetable', 'file') || exist('array2timetable', 'builtin')
    r.timetable = array2timetable(r.data, 'RowTimes', seconds(r.t), 'VariableNames', fields);
    r.timetable.Properties.VariableUnits = r.units;
    r.timetable.Properties.VariableDescriptions = r.channels;
  end
end

function remove(file)
  if exist(file, 'file') == 2
    delete(file);
  end
end
