function handle = interfield_plot(r, varargin)
%INTERFIELD_PLOT  Draws channels of a result over the time, one panel per unit.
%
%   INTERFIELD_PLOT(R) draws all, INTERFIELD_PLOT(R, 'roof.x', 'slab.x') some of them. Returns the figure.
  chosen = varargin;
  if isempty(chosen)
    chosen = r.channels;
  end
  [known, places] = ismember(chosen, r.channels);
  if ~all(known)
    error('interfield:channel', 'there is no channel `%s`', chosen{find(~known, 1)});
  end
  units = unique(r.units(places), 'stable');
  handle = figure();
  for k = 1:numel(units)
    subplot(numel(units), 1, k);
    own = places(strcmp(r.units(places), units{k}));
    plot(r.t, r.data(:, own));
    legend(r.channels(own), 'Interpreter', 'none');
    ylabel(['[' units{k} ']']);
    grid on;
  end
  xlabel('t [s]');
end
