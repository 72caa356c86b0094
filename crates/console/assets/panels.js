// The panels of the console: each is made once from what is known of the test, and drawn when something new has come.
"use strict";
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const CURVES = ["data", "specimen", "third", "second"];

function number(x, digits = 4) {
  if (x === undefined || x === null || !Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const a = Math.abs(x);
  return a >= 1e5 || a < 1e-3 ? x.toExponential(2) : String(+x.toPrecision(digits));
}

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// A canvas in the pixels of the screen.
function paper(canvas, height) {
  const width = canvas.clientWidth || 300, ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = height + "px";
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return [pen, width, height];
}

const em = () => parseFloat(getComputedStyle(document.documentElement).fontSize);

// Curves over time.
function timePlot(place, title, series, source, height = 11) {
  const own = () => ({ width: Math.max(place.clientWidth - 1.6 * em(), 200), height: Math.round(height * em()) });
  const axis = (label) => ({ stroke: () => colour("soft"), grid: { stroke: () => colour("line"), width: 0.5 }, ticks: { stroke: () => colour("line") }, label, labelSize: 1.4 * em(), size: 3.6 * em(), font: 0.8 * em() + "px system-ui", labelFont: 0.85 * em() + "px system-ui" });
  const options = {
    ...own(), legend: { show: series.length > 1, live: false }, cursor: { show: false }, scales: { x: { time: false } },
    axes: [{ ...axis("t [s]"), size: 2.4 * em() }, { ...axis(title), values: (_, marks) => marks.map((x) => number(x)) }],
    series: [{}, ...series.map((s, i) => ({ label: s, stroke: () => colour(CURVES[i % CURVES.length]), width: 1.5, points: { show: false }, dash: i === 0 && series.length > 2 ? [6, 4] : undefined }))],
  };
  const plot = new uPlot(options, [[], ...series.map(() => [])], place);
  return {
    draw() {
      const size = own();
      if (Math.abs(size.width - plot.width) > 1 || size.height !== plot.height) plot.setSize(size);
      plot.setData(source());
    },
    restyle() { plot.redraw(false, true); },
  };
}

// A curve over another: the hysteresis of a specimen. The newest part is darker.
function loopPlot(canvas, labels, source) {
  return { draw() {
    const [pen, w, h] = paper(canvas, 15 * em());
    const [x, y] = source();
    let mx = 0, my = 0;
    for (let i = 0; i < x.length; i++) { mx = Math.max(mx, Math.abs(x[i])); my = Math.max(my, Math.abs(y[i])); }
    mx = niceUp(mx); my = niceUp(my);
    const pad = 2.2 * em(), px = (v) => pad + (v / mx + 1) / 2 * (w - 1.3 * pad), py = (v) => h - pad - (v / my + 1) / 2 * (h - 1.4 * pad);
    pen.lineWidth = 1; pen.strokeStyle = colour("line"); pen.beginPath();
    pen.moveTo(px(-mx), py(0)); pen.lineTo(px(mx), py(0)); pen.moveTo(px(0), py(-my)); pen.lineTo(px(0), py(my)); pen.stroke();
    pen.fillStyle = colour("soft"); pen.font = 0.8 * em() + "px system-ui"; pen.textAlign = "right";
    pen.fillText(labels[0] + "  ±" + number(mx), w - 4, h - 0.5 * em());
    pen.textAlign = "left"; pen.fillText(labels[1] + "  ±" + number(my), 4, 0.9 * em());
    const n = x.length, recent = Math.max(0, n - 400);
    const part = (from, to, width, alpha) => {
      pen.strokeStyle = colour("specimen"); pen.globalAlpha = alpha; pen.lineWidth = width; pen.beginPath();
      for (let i = from; i < to; i++) i === from ? pen.moveTo(px(x[i]), py(y[i])) : pen.lineTo(px(x[i]), py(y[i]));
      pen.stroke(); pen.globalAlpha = 1;
    };
    part(0, recent + 1, 1, 0.35); part(recent, n, 1.8, 1);
    if (n) { pen.fillStyle = colour("ink"); pen.beginPath(); pen.arc(px(x[n - 1]), py(y[n - 1]), 0.28 * em(), 0, 7); pen.fill(); }
    canvas.dataset.points = n;
  } };
}

function niceUp(x) {
  if (!(x > 0)) return 1;
  const p = 10 ** Math.floor(Math.log10(x));
  return [1, 2, 5, 10].map((f) => f * p).find((v) => v >= x * 0.999) || 10 * p;
}

// The structure as it stands now, with its motion enlarged.
function structurePlot(canvas, note, about, latest) {
  const { points, edges, nodes, moves } = about;
  const flat = points.every((p) => Math.abs(p[1] - points[0][1]) < 1e-12);
  const project = (p) => flat ? [p[0], p[2]] : [p[0] + 0.45 * p[1], p[2] + 0.3 * p[1]];
  const at = points.map(project), xs = at.map((p) => p[0]), ys = at.map((p) => p[1]);
  const box = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const size = Math.max(box[1] - box[0], box[3] - box[2], 1e-6);
  let peak = 0;
  return { draw() {
    const u = latest() || [];
    const moved = points.map((p, i) => {
      const d = [0, 0, 0];
      if (i < nodes) for (const [k, x, y, z] of moves[i]) { const v = u[k] || 0; d[0] += v * x; d[1] += v * y; d[2] += v * z; }
      return d;
    });
    for (const d of moved) peak = Math.max(peak, Math.hypot(...d));
    const factor = peak > 0 ? niceUp(0.06 * size / peak) : 1;
    const [pen, w, h] = paper(canvas, 18 * em());
    const pad = 1.6 * em(), k = Math.min((w - 2 * pad) / Math.max(box[1] - box[0] + 0.3 * size, 1e-9), (h - 2 * pad) / Math.max(box[3] - box[2] + 0.1 * size, 1e-9));
    const cx = (box[0] + box[1]) / 2, cy = (box[2] + box[3]) / 2;
    const screen = (p) => [w / 2 + (p[0] - cx) * k, h / 2 - (p[1] - cy) * k];
    const draw = (where, alpha, width) => {
      for (const [a, b, specimen] of edges) {
        const [p, q] = [where(a), where(b)];
        pen.globalAlpha = alpha; pen.strokeStyle = colour(specimen && alpha === 1 ? "specimen" : alpha === 1 ? "ink" : "line"); pen.lineWidth = specimen ? 2 * width : width;
        pen.beginPath(); pen.moveTo(...p); pen.lineTo(...q); pen.stroke();
      }
      pen.globalAlpha = 1;
    };
    draw((i) => screen(at[i]), 0.7, 1);
    const there = (i) => screen(project(points[i].map((x, a) => x + factor * moved[i][a])));
    draw(there, 1, 2);
    pen.fillStyle = colour("ink");
    for (let i = 0; i < nodes; i++) { pen.beginPath(); pen.arc(...there(i), 0.22 * em(), 0, 7); pen.fill(); }
    canvas.dataset.peak = peak;
    note.textContent = "motion × " + number(factor) + ", largest " + number(peak * about.factor) + " " + about.unit + "; specimen thick" + (about.sketch ? "; a sketch, the model has no positions" : "");
  } };
}

// Bars in fixed ranges: the end of each is its limit.
function limitBars(place, bars, latest) {
  const rows = bars.map((bar) => {
    const fill = element("i"), mark = element("b"), box = element("div", { class: "bar" }, fill, mark), text = element("span");
    place.append(element("span", {}, bar.label), box, text);
    return { bar, fill, mark, box, text, held: 0, since: 0 };
  });
  return { draw() {
    for (const row of rows) {
      const value = Math.abs(latest(row.bar.topic, row.bar.column) || 0), share = value / row.bar.limit, now = performance.now();
      if (share > row.held || now - row.since > 10000) { row.held = share; row.since = now; }
      row.fill.style.width = Math.min(100, 100 * share) + "%";
      row.mark.style.left = "calc(" + Math.min(100, 100 * row.held) + "% - .14em)";
      row.box.className = "bar" + (row.held >= 1 ? " alarm" : row.held >= 0.8 ? " attention" : "");
      row.text.textContent = number(value, 3) + " of " + number(row.bar.limit, 3) + " " + row.bar.unit + ", " + Math.max(0, Math.round(100 * (1 - share))) + " % left → " + row.bar.action;
    }
  } };
}

function histogramPlot(canvas, figures, source) {
  return { draw() {
    const found = source();
    const [pen, w, h] = paper(canvas, 8 * em());
    pen.font = 0.8 * em() + "px system-ui"; pen.fillStyle = colour("soft");
    if (!found) { pen.fillText("no clock drives this test", 4, 2 * em()); return; }
    const { bars } = found, pad = 1.4 * em();
    const lo = Math.log10(bars[0][0]), hi = Math.log10(bars[bars.length - 1][1]), most = Math.max(...bars.map((b) => Math.log10(1 + b[2])));
    const px = (x) => 4 + (Math.log10(x) - lo) / Math.max(hi - lo, 1e-9) * (w - 8);
    pen.fillStyle = colour("bar");
    for (const [a, b, n] of bars) { const y = (h - pad - 4) * Math.log10(1 + n) / most; pen.fillRect(px(a), h - pad - y, Math.max(1, px(b) - px(a) - 1), y); }
    pen.fillStyle = colour("soft");
    for (let e = Math.ceil(lo); e <= hi; e++) pen.fillText(number(10 ** e) + " µs", Math.min(px(10 ** e), w - 3 * em()), h - 0.3 * em());
    figures.textContent = "median " + number(found.p50, 3) + " µs, 99.9 % " + number(found.p99_9, 3) + " µs, largest " + number(found.max, 3) + " µs, " + found.count + " samples";
  } };
}

// The ground motion as a whole, with where the test is.
function groundPlot(canvas, ground, time) {
  const most = Math.max(...ground.a.map(Math.abs), 1e-12), end = ground.t[ground.t.length - 1] || 1;
  return { draw() {
    const [pen, w, h] = paper(canvas, 7 * em());
    const px = (t) => t / end * w, py = (a) => h / 2 - a / most * (h / 2 - em());
    const part = (from, to, name, width) => {
      pen.strokeStyle = colour(name); pen.lineWidth = width; pen.beginPath();
      let first = true;
      for (let i = 0; i < ground.t.length; i++) if (ground.t[i] >= from && ground.t[i] <= to) { first ? pen.moveTo(px(ground.t[i]), py(ground.a[i])) : pen.lineTo(px(ground.t[i]), py(ground.a[i])); first = false; }
      pen.stroke();
    };
    const t = time();
    part(t, end, "line", 1); part(0, t, "data", 1.2);
    pen.strokeStyle = colour("ink"); pen.lineWidth = 1.5; pen.beginPath(); pen.moveTo(px(t), 0); pen.lineTo(px(t), h); pen.stroke();
    pen.fillStyle = colour("soft"); pen.font = 0.8 * em() + "px system-ui";
    pen.fillText(ground.name + ", ±" + number(most, 3) + " " + ground.unit + ", " + number(end, 4) + " s", 4, 0.9 * em());
    canvas.dataset.cursor = t;
  } };
}
