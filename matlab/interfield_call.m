function said = interfield_call(arguments)
%INTERFIELD_CALL  Calls the `interfield` program with a cell array of arguments; returns what it prints.
%
%   The program is looked for in the environment variable INTERFIELD_PROGRAM, then on the path. Where it fails, its message is the error.
  program = getenv('INTERFIELD_PROGRAM');
  if isempty(program)
    program = 'interfield';
  end
  problems = [tempname() '.txt'];
  words = cellfun(@quoted, [{program}, arguments], 'UniformOutput', false);
  [status, said] = system([strjoin(words, ' ') ' 2> ' quoted(problems)]);
  text = '';
  if exist(problems, 'file') == 2
    text = fileread(problems);
    delete(problems);
  end
  if status ~= 0
    error('interfield:program', '%s', strtrim([text ' ' said]));
  end
  if ~isempty(strtrim(text)) && ~isempty(regexp(text, 'warning', 'once'))
    warning('interfield:model', '%s', strtrim(text));
  end
end

function word = quoted(text)
  if ispc()
    word = ['"' strrep(text, '"', '\"') '"'];
  else
    word = ['''' strrep(text, '''', '''\''''') ''''];
  end
end
