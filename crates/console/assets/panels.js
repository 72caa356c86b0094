// The panels of the console: each is made once from what is known of the test, and drawn when something new has come.
"use strict";
const COLOURS = new Map();
const colour = (name) => {
  if (!COLOURS.has(name)) COLOURS.set(name, getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim());
  return COLOURS.get(name);
};
const CURVES = ["data", "second", "third", "specimen"];
// Target wide and pale, command dashed, measured thin on top: where all is well, one line in the middle of a band.
const FOLLOWED = [["band", 5], ["second", 1.6, [7, 5]], ["data", 1.6]];

function number(x, digits = 4) {
  if (x === undefined || x === null || !Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const a = Math.abs(x);
  return (a >= 1e5 || a < 1e-3 ? (+x.toPrecision(3)).toExponential().replace("+", "") : String(+x.toPrecision(digits))).replaceAll("-", "−");
}

// The same in every language: hours from 0 to 23.
const clockTime = (stamp) => new Date(stamp).toTimeString().slice(0, 8);

const signs = (unit) => unit.replace("^2", "²").replace("^3", "³").replaceAll("*", "·");

// As many places as three digits of the largest value have: what changes ten times a second must not jump to and fro.
function steady(x, most) {
  if (x === undefined || x === null || !Number.isFinite(x)) return "–";
  if (!(most > 0)) return "0";
  const size = Math.ceil(Math.log10(most));
  return size > 5 || size < -3 ? number(x, 3) : x.toFixed(Math.max(0, 3 - size)).replace(/^-(0*\.?0*)$/, "$1").replace("-", "−");
}

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// A canvas in the pixels of the screen, as large as its place.
function paper(canvas) {
  const width = canvas.clientWidth || 300, height = canvas.clientHeight || 60, ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = 0.8 * em() + "px system-ui, 'Noto Sans', sans-serif";
  pen.lineJoin = "round";
  return [pen, width, height];
}

// Lines grow with the letters: what is thin on a screen on the wall is not seen from three metres.
const thick = () => em() / 15;
let size = 0;
const em = () => size || (size = parseFloat(getComputedStyle(document.documentElement).fontSize));
function restyled() { size = 0; COLOURS.clear(); }

// The next larger of round numbers: ranges stay while a curve grows a little.
function niceUp(x) {
  if (!(x > 0)) return 1;
  const p = 10 ** Math.floor(Math.log10(x));
  return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((f) => f * p).find((v) => v >= x * 0.999) || 10 * p;
}
function marks(range, most) {
  const step = [1, 2, 2.5, 5, 10, 20, 25, 50, 100].map((f) => f * 10 ** Math.floor(Math.log10(range) - 1)).find((s) => range / s <= most) || range;
  const list = [];
  for (let v = -Math.floor(range / step) * step; v <= range * 1.001; v += step) list.push(Math.abs(v) < step / 2 ? 0 : v);
  return list;
}

// Curves over time, with their names and latest values in the head of the panel.
function timePlot(panel, unit, series, source, styles) {
  const style = (i) => (styles || [])[i] || [CURVES[i % CURVES.length], 1.6];
  const place = element("div", { class: "body" });
  panel.box.append(place);
  const values = series.map((name, i) => {
    const swatch = element("i"), value = element("b");
    panel.read.append(element("span", {}, swatch, series.length > 1 ? name + " " : "", value));
    if (series.length < 2) swatch.hidden = true;
    return { swatch, value, paint() { swatch.style.background = colour(style(i)[0]); } };
  });
  if (unit) panel.name.append(" ", element("small", {}, signs(unit)));
  const own = () => ({ width: Math.max(place.clientWidth, 150), height: Math.max(place.clientHeight, 60) });
  const axis = () => ({ stroke: () => colour("soft"), grid: { stroke: () => colour("line"), width: 0.6 }, ticks: { show: false }, gap: 4, font: 0.8 * em() + "px system-ui, 'Noto Sans', sans-serif" });
  let end = 0;
  const ranged = (_, low, high) => {
    if (low === null || low === undefined) return [-1, 1];
    if (low <= 0 && high >= 0) { const most = niceUp(1.02 * Math.max(-low, high, 1e-12)); return low === 0 && high > 0 && series.length === 1 && panel.positive ? [0, most] : [-most, most]; }
    const middle = (low + high) / 2, half = Math.max((high - low) * 0.6, Math.abs(middle) * 0.02, 1e-12);
    return [middle - half, middle + half];
  };
  const options = {
    ...own(), legend: { show: false }, cursor: { show: false }, padding: [0.7 * em(), 1.2 * em(), 0.2 * em(), 0],
    scales: { x: { time: false, range: () => [Math.max(0, end - WINDOW), Math.max(WINDOW, end)] }, y: { range: ranged } },
    axes: [{ ...axis(), size: 1.7 * em(), space: 4.2 * em(), values: (_, list) => list.map((x) => number(x) + " s") }, { ...axis(), size: (_, list) => Math.max(2.4, 0.9 + 0.5 * Math.max(0, ...(list || []).map((v) => v.length))) * em(), space: 3 * em(), values: (_, list) => list.map((x) => number(x)) }],
    series: [{}, ...series.map((s, i) => ({ label: String(i), stroke: () => colour(style(i)[0]), width: style(i)[1] * thick(), dash: style(i)[2], points: { show: false } }))],
  };
  const plot = new uPlot(options, [[], ...series.map(() => [])], place);
  values.forEach((v) => v.paint());
  return {
    draw() {
      const wanted = own();
      if (Math.abs(wanted.width - plot.width) > 1 || Math.abs(wanted.height - plot.height) > 1) plot.setSize(wanted);
      const data = source();
      end = data[0].length ? data[0][data[0].length - 1] : 0;
      plot.setData(data);
      values.forEach((v, i) => { const list = data[i + 1]; v.value.textContent = list.length ? steady(list[list.length - 1], Math.max(Math.abs(plot.scales.y.max || 0), Math.abs(plot.scales.y.min || 0))) : "–"; });
    },
    restyle() { values.forEach((v) => v.paint()); plot.redraw(false, true); },
  };
}

// A curve over another: the hysteresis of a specimen. The newest part is darker.
function loopPlot(panel, names, units, source) {
  const canvas = element("canvas"), place = element("div", { class: "body" }, canvas);
  panel.box.append(place);
  const values = names.map((name, i) => { const value = element("b"); panel.read.append(element("span", { title: name }, value, " " + units[i])); return value; });
  return { draw() {
    const [pen, w, h] = paper(canvas), [x, y] = source(), n = Math.min(x.length, y.length);
    let mx = 0, my = 0;
    // What is not a number (a sensor that is lost) must not take the range away.
    for (let i = 0; i < n; i++) { const [a, b] = [Math.abs(x[i]), Math.abs(y[i])]; if (a > mx && a < Infinity) mx = a; if (b > my && b < Infinity) my = b; }
    mx = niceUp(1.05 * mx); my = niceUp(1.05 * my);
    const left = 3.1 * em(), low = 1.5 * em(), px = (v) => left + (v / mx + 1) / 2 * (w - left - 4), py = (v) => 4 + (1 - v / my) / 2 * (h - low - 4);
    pen.lineWidth = 0.6; pen.fillStyle = colour("soft");
    const line = (x0, y0, x1, y1, name) => { pen.strokeStyle = colour(name); pen.beginPath(); pen.moveTo(x0, y0); pen.lineTo(x1, y1); pen.stroke(); };
    pen.textAlign = "center"; pen.textBaseline = "bottom";
    for (const v of marks(mx, Math.max(2, w / (9 * em())))) { line(px(v), py(-my), px(v), py(my), v === 0 ? "soft" : "line"); pen.fillText(number(v), Math.min(w - 1.2 * em(), px(v)), h); }
    pen.textAlign = "right"; pen.textBaseline = "middle";
    for (const v of marks(my, Math.max(2, h / (5 * em())))) { line(px(-mx), py(v), px(mx), py(v), v === 0 ? "soft" : "line"); pen.fillText(number(v), left - 5, Math.max(0.5 * em(), py(v))); }
    const recent = Math.max(0, n - 400);
    const part = (from, to, width, alpha) => {
      pen.strokeStyle = colour("specimen"); pen.globalAlpha = alpha; pen.lineWidth = width; pen.beginPath();
      for (let i = from; i < to; i++) i === from ? pen.moveTo(px(x[i]), py(y[i])) : pen.lineTo(px(x[i]), py(y[i]));
      pen.stroke(); pen.globalAlpha = 1;
    };
    part(0, recent + 1, 1.1 * thick(), 0.45); part(recent, n, 2.2 * thick(), 1);
    if (n) { pen.fillStyle = colour("ink"); pen.beginPath(); pen.arc(px(x[n - 1]), py(y[n - 1]), 0.3 * em(), 0, 7); pen.fill(); }
    canvas.dataset.points = n;
    values.forEach((value, i) => { value.textContent = n ? steady([x, y][i][n - 1], [mx, my][i]) : "–"; });
  } };
}

// Largest motion so far: panels that are made anew do not forget it.
const drawnPeak = new Map();

// The structure as it stands now, with its motion enlarged.
function structurePlot(panel, about, latest, unrecorded = []) {
  const canvas = element("canvas"), note = element("small"), place = element("div", { class: "body" }, canvas);
  panel.box.append(place, note);
  const { points, edges, nodes, moves } = about, unknown = new Set(unrecorded);
  // A playback knows only what was recorded. The other nodes are drawn between their neighbours, and it is told.
  const guessed = points.map((_, i) => i < nodes && moves[i].some(([k]) => unknown.has(k))), beside = points.map(() => []);
  for (const [a, b] of edges) { beside[a].push(b); beside[b].push(a); }
  const between = guessed.map(() => [0, 0, 0]);
  const flat = points.every((p) => Math.abs(p[1] - points[0][1]) < 1e-12);
  const project = (p) => flat ? [p[0], p[2]] : [p[0] + 0.45 * p[1], p[2] + 0.3 * p[1]];
  const at = points.map(project), xs = at.map((p) => p[0]), ys = at.map((p) => p[1]);
  const box = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const extent = Math.max(box[1] - box[0], box[3] - box[2], 1e-6), marked = edges.some((e) => e[2]);
  panel.box.classList.add(box[3] - box[2] >= box[1] - box[0] ? "tall" : box[1] - box[0] > 2.5 * (box[3] - box[2]) ? "wide" : "tall");
  let peak = drawnPeak.get(about.points.length) || 0;
  return { draw() {
    const u = latest() || [];
    const moved = points.map((p, i) => {
      const d = [0, 0, 0];
      if (i < nodes) for (const [k, x, y, z] of moves[i]) { const v = u[k] || 0; d[0] += v * x; d[1] += v * y; d[2] += v * z; }
      return d;
    });
    for (let sweep = 0; sweep < 30 && unknown.size; sweep++) for (let i = 0; i < points.length; i++) {
      if (!guessed[i] || !beside[i].length) continue;
      for (let a = 0; a < 3; a++) between[i][a] = beside[i].reduce((sum, j) => sum + (guessed[j] ? between : moved)[j][a], 0) / beside[i].length;
    }
    guessed.forEach((is, i) => { if (is) moved[i] = between[i]; });
    for (const d of moved) { const size = Math.hypot(...d); if (size > peak && size < Infinity) peak = size; }
    drawnPeak.set(about.points.length, peak);
    const factor = peak > 0 ? Math.min(1000, niceUp(0.08 * extent / peak)) : 1;
    const [pen, w, h] = paper(canvas);
    const pad = 1.4 * em(), room = 0.1 * extent, k = Math.min((w - 2 * pad) / (box[1] - box[0] + 2 * room), (h - 2 * pad) / (box[3] - box[2] + room));
    const cx = (box[0] + box[1]) / 2, cy = (box[2] + box[3]) / 2;
    const screen = (p) => [w / 2 + (p[0] - cx) * k, h / 2 - (p[1] - cy) * k];
    const draw = (where, now) => {
      for (const [a, b, specimen] of edges) {
        pen.globalAlpha = now ? 1 : 0.8; pen.strokeStyle = colour(!now ? "line" : specimen ? "specimen" : "ink"); pen.lineWidth = !now ? 1 : specimen ? 0.36 * em() : 0.14 * em();
        pen.lineCap = "round"; pen.setLineDash(now && (guessed[a] || guessed[b]) ? [0.3 * em(), 0.4 * em()] : []); pen.beginPath(); pen.moveTo(...where(a)); pen.lineTo(...where(b)); pen.stroke();
      }
      pen.globalAlpha = 1; pen.setLineDash([]);
    };
    draw((i) => screen(at[i]), false);
    const there = (i) => screen(project(points[i].map((x, a) => x + factor * moved[i][a])));
    draw(there, true);
    pen.fillStyle = colour("ink");
    if (nodes <= 400) for (let i = 0; i < nodes; i++) if (!guessed[i]) { pen.beginPath(); pen.arc(...there(i), 0.2 * em(), 0, 7); pen.fill(); }
    canvas.dataset.peak = peak;
    panel.read.textContent = "motion × " + number(factor);
    note.replaceChildren("largest " + number(peak * about.factor, 3) + " " + about.unit);
    if (marked) { const specimen = element("b", {}, "specimen thick"); specimen.style.color = colour("specimen"); note.append(" · ", specimen); }
    if (guessed.includes(true)) note.append(" · dashed: not recorded, drawn between its neighbours");
    if (about.sketch) note.append(" · a sketch, the model has no positions");
  } };
}

// Bars in fixed ranges: the end of each is its limit, the dashed line 80 % of it, the mark the largest of the last 10 s.
function limitBars(panel, bars, latest) {
  const place = element("div", { class: "bars" });
  panel.box.append(place);
  panel.read.textContent = "distance to trip";
  if (bars.length > 4) panel.box.classList.add("tall");
  const rows = bars.map((bar) => {
    const fill = element("i"), mark = element("b"), box = element("div", { class: "bar" }, fill, mark, element("u")), left = element("strong"), text = element("em"), action = element("em", {}, "→ " + bar.action);
    const row = element("div", { class: "limit" }, element("span", {}, bar.label), left, box, text, action);
    place.append(row);
    return { bar, fill, mark, box, row, left, text, held: 0, since: 0 };
  });
  return { draw() {
    for (const r of rows) {
      const given = latest(r.bar.topic, r.bar.column), known = given === undefined || Number.isFinite(given), value = known ? Math.abs(given || 0) : NaN;
      const share = known ? value / r.bar.limit : 0, now = performance.now();
      if (share > r.held || now - r.since > 10000) { r.held = share; r.since = now; }
      // A value that is not a number is no distance of 100 %.
      const state = r.held >= 1 ? " alarm" : r.held >= 0.8 || !known ? " attention" : "";
      r.fill.style.width = Math.min(100, 100 * share) + "%";
      r.mark.style.left = "calc(" + Math.min(100, 100 * r.held) + "% - .15em)";
      r.box.className = "bar" + state;
      r.row.className = "limit" + state;
      r.text.textContent = (r.bar.counts ? String(value) : steady(value, r.bar.limit)) + " of " + number(r.bar.limit, 3) + " " + r.bar.unit;
      r.left.textContent = known ? Math.max(0, Math.floor(100 * (1 - share))) + " %" : "not a number";
    }
  } };
}

function histogramPlot(panel, title, source) {
  const figures = element("small"), canvas = element("canvas"), place = element("div", { class: "body" }, canvas);
  panel.box.append(figures, place);
  return { draw() {
    const found = source(), [pen, w, h] = paper(canvas);
    pen.fillStyle = colour("soft");
    if (!found) { figures.textContent = title + ": no clock drives this test"; return; }
    const { bars } = found, low = 1.2 * em();
    const lo = Math.log10(bars[0][0] || 1e-3), hi = Math.log10(bars[bars.length - 1][1]), most = Math.max(...bars.map((b) => Math.log10(1 + b[2])));
    const px = (x) => (Math.log10(Math.max(x, 1e-3)) - lo) / Math.max(hi - lo, 1e-9) * w;
    pen.fillStyle = colour("bar");
    for (const [a, b, n] of bars) { const y = (h - low - 2) * Math.log10(1 + n) / most; pen.fillRect(px(a), h - low - y, Math.max(1, px(b) - px(a) - 1), y); }
    pen.fillStyle = colour("soft"); pen.textAlign = "center"; pen.textBaseline = "bottom";
    // As many decades as there is room for.
    const every = Math.max(1, Math.ceil(5 * em() * (hi - lo) / w));
    for (let e = Math.ceil(Math.ceil(lo) / every) * every; e <= hi; e += every) pen.fillText(number(10 ** e) + " µs", Math.min(Math.max(px(10 ** e), 2 * em()), w - 2 * em()), h);
    figures.textContent = title + ": median " + number(found.p50, 3) + ", 99.9 % " + number(found.p99_9, 3) + ", largest " + number(found.max, 3) + " µs of " + found.count;
    canvas.dataset.count = found.count;
  } };
}

// Parameters as they are identified, one below the other over the whole test: the value, the band that contains it with 95 %, the first value dashed.
function strips(panel, rows, source, until = 0) {
  const place = element("div", { class: "strips" });
  panel.box.append(place);
  const made = rows.map((row) => {
    const canvas = element("canvas"), value = element("b"), bounds = element("small");
    place.append(element("div", { class: "strip" }, element("span", {}, row.name, " ", element("small", {}, signs(row.unit))), element("div", { class: "body" }, canvas), element("span", {}, value, bounds)));
    return { ...row, canvas, value, bounds };
  });
  return { draw() {
    for (const { columns, canvas, value, bounds } of made) {
      const [pen, w, h] = paper(canvas), [t, x, low, high] = source(columns), n = t.length, [bottom, top] = [low || x, high || x];
      value.textContent = bounds.textContent = "";
      if (!n) continue;
      let least = Infinity, most = -Infinity;
      for (let i = 0; i < n; i++) { if (bottom[i] < least) least = bottom[i]; if (top[i] > most) most = top[i]; }
      const room = Math.max(0.12 * (most - least), 0.02 * Math.abs(most), 1e-12), end = Math.max(until, t[n - 1]), begin = until ? 0 : t[0];
      const px = (s) => (s - begin) / Math.max(end - begin, 1e-9) * w, py = (v) => h - (v - least + room) / (most - least + 2 * room) * h;
      pen.fillStyle = colour("well"); pen.fillRect(0, 0, w, h);
      if (low) {
        pen.fillStyle = colour("band"); pen.beginPath();
        for (let i = 0; i < n; i++) pen.lineTo(px(t[i]), py(high[i]));
        for (let i = n - 1; i >= 0; i--) pen.lineTo(px(t[i]), py(low[i]));
        pen.fill();
      }
      const line = (name, width, dash, path) => { pen.strokeStyle = colour(name); pen.lineWidth = width * thick(); pen.setLineDash(dash); pen.beginPath(); path(); pen.stroke(); pen.setLineDash([]); };
      line("soft", 0.8, [4, 4], () => { pen.moveTo(0, py(x[0])); pen.lineTo(w, py(x[0])); });
      line("data", 1.6, [], () => { for (let i = 0; i < n; i++) pen.lineTo(px(t[i]), py(x[i])); });
      value.textContent = number(x[n - 1], 3);
      if (low) bounds.textContent = number(low[n - 1], 3) + " to " + number(high[n - 1], 3);
      canvas.dataset.value = x[n - 1]; canvas.dataset.points = n;
    }
  } };
}

// Energy that changes of parameters gave, of what they may give; and whether it still identifies.
function tankBar(panel, update, latest) {
  const fill = element("i"), box = element("div", { class: "bar" }, fill), text = element("em");
  panel.box.append(element("div", { class: "limit tank" }, element("span", {}, "energy given ", text), box));
  return { draw() {
    const [injected, tank, active] = ["injected", "tank", "active"].map(latest), goes = !(active < 0.5);
    panel.read.textContent = goes ? "" : "disabled";
    panel.read.className = goes ? "" : "attention";
    fill.style.width = tank > 0 ? Math.min(100, Math.max(0, 100 * injected / tank)) + "%" : "0";
    text.textContent = steady(injected, tank) + " of " + number(tank, 3) + " " + signs(update.energy);
  } };
}

// The ground motion as a whole, with where the test is.
function groundPlot(panel, ground, time) {
  const canvas = element("canvas"), place = element("div", { class: "body" }, canvas);
  panel.box.append(place);
  const most = Math.max(...ground.a.map(Math.abs), 1e-12), end = ground.t[ground.t.length - 1] || 1;
  return { draw() {
    const [pen, w, h] = paper(canvas), low = 1.4 * em(), t = time();
    const px = (t) => t / end * w, py = (a) => (h - low) * (0.5 - 0.47 * a / most);
    pen.lineWidth = 0.6; pen.fillStyle = colour("soft"); pen.textBaseline = "bottom"; pen.textAlign = "center";
    for (const s of marks(end, w / (7 * em())).filter((s) => s >= 0)) {
      pen.strokeStyle = colour("line"); pen.beginPath(); pen.moveTo(px(s), 0); pen.lineTo(px(s), h - low); pen.stroke();
      pen.fillText(number(s) + " s", Math.min(Math.max(px(s), 1.2 * em()), w - 1.6 * em()), h);
    }
    const part = (from, to, name, width) => {
      pen.strokeStyle = colour(name); pen.lineWidth = width; pen.beginPath();
      let first = true;
      for (let i = 0; i < ground.t.length; i++) if (ground.t[i] >= from && ground.t[i] <= to) { first ? pen.moveTo(px(ground.t[i]), py(ground.a[i])) : pen.lineTo(px(ground.t[i]), py(ground.a[i])); first = false; }
      pen.stroke();
    };
    part(t, end, "bar", 0.8 * thick()); part(0, t, "data", 1.4 * thick());
    pen.strokeStyle = colour("ink"); pen.lineWidth = 2; pen.beginPath(); pen.moveTo(px(t), 0); pen.lineTo(px(t), h - low); pen.stroke();
    panel.read.textContent = ground.name + ", peak " + number(most, 3) + " " + signs(ground.unit);
    canvas.dataset.cursor = t;
  } };
}

// When what happened, on a line; then in words, the newest first.
function eventList(panel, all, end, time, again) {
  const canvas = element("canvas"), list = element("ol", { class: "events" });
  panel.box.append(element("div", { class: "line" }, canvas), list);
  const COLOUR = { alarm: "alarm", command: "data", note: "specimen", state: "soft" };
  let count = -1, newest = null;
  return { draw() {
    const [pen, w, h] = paper(canvas), events = all(), until = Math.max(end() || 0, time(), ...events.map((e) => e.t), 1e-9), px = (t) => 3 + t / until * (w - 6);
    pen.strokeStyle = colour("line"); pen.lineWidth = 2; pen.beginPath(); pen.moveTo(0, h / 2); pen.lineTo(w, h / 2); pen.stroke();
    pen.strokeStyle = colour("ink"); pen.beginPath(); pen.moveTo(0, h / 2); pen.lineTo(px(time()), h / 2); pen.stroke();
    for (const e of events) { pen.fillStyle = colour(COLOUR[e.kind] || "soft"); pen.fillRect(px(e.t) - 1.5, e.kind === "state" ? h * 0.25 : 0, 3, e.kind === "state" ? h * 0.5 : h); }
    // In a playback what is still to come is on the line only.
    const known = again ? events.filter((e) => e.t <= time()).sort((a, b) => a.t - b.t) : events;
    if (known.length === count && known[known.length - 1] === newest) return;
    count = known.length; newest = known[count - 1];
    const line = (e) => element("li", {}, element("time", {}, e.t.toFixed(2) + " s"), element("span", { class: e.kind }, e.text, element("small", {}, [e.who, e.stamp ? clockTime(e.stamp) : "", e.advice].filter(Boolean).join(" · "))));
    list.replaceChildren(...known.slice(-200).reverse().map(line));
  } };
}
