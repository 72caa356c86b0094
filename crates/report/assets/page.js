// Makes every plot and view of the page, draws those on the screen, and tests itself when asked (#selftest).

// The bytes of an array; its text is let go.
function decode(stored) {
  const text = atob(stored.d);
  stored.d = null;
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

let colours = {};

function colour(name) {
  colours[name] ??= getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return colours[name];
}

function stroke(g, ax, ay, bx, by) {
  g.beginPath();
  g.moveTo(ax, ay);
  g.lineTo(bx, by);
  g.stroke();
}

// Gives a canvas its size in pixels of the screen and wipes it.
function sized(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    Object.assign(canvas, { width: w, height: h });
    canvas.style.height = `${height}px`;
  }
  return clear(canvas);
}

function clear(canvas) {
  const g = canvas.getContext("2d");
  const ratio = window.devicePixelRatio || 1;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, canvas.width, canvas.height);
  return g;
}

const errors = [];
window.addEventListener("error", (e) => errors.push(e.message));

const specs = JSON.parse(document.getElementById("specs").textContent);
const drawn = specs.map((spec, i) => {
  const figure = document.getElementById(`f${i}`);
  return spec.points ? new View(figure, spec) : new Plot(figure, spec);
});

let waiting = false;
function schedule() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    for (const d of drawn) if (d.dirty && d.onScreen) d.draw();
  });
}

function repaint() {
  colours = {};
  for (const d of drawn) d.dirty = true;
  schedule();
}

const watch = new IntersectionObserver((entries) => {
  for (const entry of entries) drawn[Number(entry.target.id.slice(1))].onScreen = entry.isIntersecting;
  schedule();
}, { rootMargin: "200px" });
for (const d of drawn) {
  // What is in sight is there at once, not only when the browser has told so.
  const { top, bottom } = d.figure.getBoundingClientRect();
  d.onScreen = top < window.innerHeight && bottom > 0;
  watch.observe(d.figure);
}
window.addEventListener("resize", repaint);
window.addEventListener("beforeprint", () => drawn.forEach((d) => d.draw()));
const dark = window.matchMedia("(prefers-color-scheme: dark)");
dark.addEventListener("change", repaint);
const theme = document.getElementById("theme");
theme.hidden = false;
theme.addEventListener("click", () => {
  const root = document.documentElement;
  const now = root.dataset.theme ?? (dark.matches ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
  repaint();
});
// For pictures of a page in one of the two.
if (location.hash === "#dark" || location.hash === "#light") document.documentElement.dataset.theme = location.hash.slice(1);

if (drawn.some((d) => d.spec.curves)) {
  const hint = document.createElement("p");
  hint.className = "hint";
  hint.textContent = "Plots: drag to pan, click and turn the wheel (or Ctrl and wheel) to zoom, Shift and drag to zoom into a box, "
    + "double click to show all; with the keyboard arrows, + and -, 0. Histories share their time axis.";
  document.querySelector("nav").after(hint);
}

// Members of a view whose ends are not where their nodes are, or do not have the slope of their rotations.
function offShape(view) {
  const m = view.magnification();
  const near = (a, b, within = 1e-6 * view.size) => Math.hypot(...minus(a, b)) < within;
  return view.spec.edges.filter((edge) => edge[3] && m > 0 && edge[4] === 0).filter((edge) => {
    const course = view.course(edge, m);
    const slope = (i, [p, q]) => {
      const axis = minus(view.spec.points[edge[1]], view.spec.points[edge[0]]);
      const step = axis.map((x) => x * 1e-4);
      const turned = cross(view.state(i).slice(3).map((x) => x * m), step);
      const along = dot(minus(q, p), axis) / dot(axis, axis);
      // The slope changes over the step by a share of itself.
      return near(minus(q, p), axis.map((x, a) => x * along + turned[a]), 2e-3 * (Math.hypot(...step) + Math.hypot(...turned)));
    };
    const ends = [0, 1].map((k) => {
      const d = view.state(edge[k]);
      return view.spec.points[edge[k]].map((x, a) => x + m * d[a]);
    });
    const end = (i) => [view.spec.points[i], ...[0, 3].map((from) => view.state(i).slice(from, from + 3).map((x) => x * m))];
    const at = (s) => bent(end(edge[0]), end(edge[1]), 0, s);
    return !(near(course[0], ends[0]) && near(course.at(-1), ends[1]) && slope(edge[0], [at(0), at(1e-4)]) && slope(edge[1], [at(1 - 1e-4), at(1)]));
  }).map((edge) => edge.slice(0, 2));
}

// Draws everything, pans all histories 60 times, looks whether every level has all peaks, and writes down what it found.
function selftest() {
  const settle = (d) => (d.canvas ? d.canvas.getContext("2d").getImageData(0, 0, 1, 1) : null);
  for (const d of drawn) {
    d.draw();
    settle(d);
  }
  const ready = performance.now();
  const pans = [];
  const plots = timeAxis.plots;
  if (plots.length) {
    plots[0].zoom(0.1, plots[0].whole.x[0], 0, false);
    for (let i = 0; i < 60; i += 1) {
      const begin = performance.now();
      plots[0].pan(0.1, 0);
      for (const plot of plots) {
        plot.draw();
        settle(plot);
      }
      pans.push(performance.now() - begin);
    }
    plots[0].reset();
  }
  pans.sort((a, b) => a - b);
  const plotted = drawn.filter((d) => d.curves);
  const same = (a, b) => a[0] === b[0] && a[1] === b[1];
  const lost = plotted.flatMap((p) => p.curves).filter((c) => c.levels.some((l) => !same(extent(l.y), extent(c.levels[0].y))));
  const result = {
    ready_ms: ready,
    pan_ms: pans.length ? pans[pans.length >> 1] : null,
    worst_pan_ms: pans.at(-1) ?? null,
    plots: plotted.length,
    views: drawn.length - plotted.length,
    points: plotted.flatMap((p) => p.curves).reduce((n, c) => n + c.levels[0].x.length, 0),
    levels_without_a_peak: lost.map((c) => c.name),
    plots_without_units: plotted.filter((p) => !(p.spec.x.unit || p.spec.x.names.length) || !p.spec.y.unit).map((p) => p.spec.title),
    members_off_their_shape: drawn.filter((d) => d.course).flatMap((v) => offShape(v)),
    scrolls_sideways: document.documentElement.scrollWidth > document.documentElement.clientWidth,
    errors,
  };
  const out = document.body.appendChild(document.createElement("pre"));
  out.id = "selftest";
  out.textContent = JSON.stringify(result);
}

if (location.hash === "#selftest") selftest();
else drawn.filter((d) => d.onScreen).forEach((d) => d.draw());
