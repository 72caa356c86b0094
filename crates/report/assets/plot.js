// Plots on a canvas: zoom, pan, hover, curves to switch off, one time axis for all histories.

// Digits in groups of three, from five digits on, as in print.
const grouped = (text) => text.replace(/^(−?)(\d{5,})/, (_, sign, digits) => sign + digits.replace(/\B(?=(\d{3})+$)/g, "\u202f"));
const raised = (e) => String(e).replace(/[-\d]/g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]));
const power = (digits, e) => (Number(digits) === 1 ? `10${raised(e)}` : `${digits}·10${raised(e)}`);

// Numbers as in print, with so many digits.
function short(value, digits = 5) {
  if (!Number.isFinite(value)) return "-";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    const [mantissa, e] = value.toExponential(digits - 1).split("e");
    return power(String(Number(mantissa)), Number(e)).replace("-", "−");
  }
  return grouped(String(Number(value.toPrecision(digits))).replace("-", "−"));
}

// A text no wider than this: its middle is left out where it is longer.
function fitted(g, text, widest) {
  let [short, kept] = [text, text.length];
  while (kept > 0 && g.measureText(short).width > widest) {
    kept -= 1;
    short = `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(text.length - Math.floor(kept / 2))}`;
  }
  return short;
}

// Even places between lo and hi, about `count` of them: all with the decimals of their step, or the power of ten of the largest.
function linearTicks(lo, hi, count) {
  const rough = (hi - lo) / Math.max(count, 1);
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * decade).find((s) => s >= rough * 0.999) ?? decade;
  const largest = Math.max(Math.abs(lo), Math.abs(hi));
  const e = largest < 1e-3 || largest >= 1e6 ? Math.floor(Math.log10(largest)) : 0;
  const decimals = Math.min(Math.max(0, e - Math.floor(Math.log10(step) + 1e-9)), 15);
  const text = (v) => {
    if (v === 0) return "0";
    const digits = (v / 10 ** e).toFixed(decimals).replace("-", "−");
    return e === 0 ? grouped(digits) : `${digits}·10${raised(e)}`;
  };
  const ticks = [];
  for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi + step * 1e-9 && ticks.length < 50; i += 1) ticks.push([i * step, text(i === 0 ? 0 : i * step)]);
  return ticks;
}

// Decades between the exponents lo and hi, divided where there are few; places without a text have no label.
function logTicks(lo, hi, count) {
  const every = Math.max(1, Math.ceil((hi - lo) / Math.max(count, 1)));
  const within = hi - lo < 1 ? [1, 2, 3, 5, 7] : hi - lo < 2.5 ? [1, 2, 5] : [1];
  const text = (m, e) => (e >= -3 && e <= 3 ? grouped((m * 10 ** e).toFixed(Math.max(0, -e))) : power(String(m), e));
  const ticks = [];
  for (let e = Math.floor(lo); e <= Math.ceil(hi); e += 1) {
    for (let m = 1; m < 10; m += 1) {
      const at = e + Math.log10(m);
      if (at < lo - 1e-9 || at > hi + 1e-9 || (m > 1 && hi - lo > 6)) continue;
      ticks.push([at, within.includes(m) && e % every === 0 ? text(m, e) : ""]);
    }
  }
  const labelled = ticks.filter((t) => t[1]).length;
  return labelled > 1 ? ticks : linearTicks(lo, hi, count).map(([at]) => [at, short(10 ** at, 3)]);
}

// Smallest and largest of a list.
function extent(list) {
  let lo = Infinity;
  let hi = -Infinity;
  for (let i = 0; i < list.length; i += 1) {
    if (list[i] < lo) lo = list[i];
    if (list[i] > hi) hi = list[i];
  }
  return [lo, hi];
}

// A quarter of the points of a sorted curve: first, smallest, largest and last of every sixteen, and a gap where there is one.
function coarser({ x, y }) {
  const picked = [];
  for (let from = 0; from < y.length; from += 16) {
    const to = Math.min(from + 16, y.length);
    let [low, high, gap] = [from, from, from];
    for (let i = from; i < to; i += 1) {
      if (y[i] < y[low] || Number.isNaN(y[low])) low = i;
      if (y[i] > y[high] || Number.isNaN(y[high])) high = i;
      if (Number.isNaN(y[i])) gap = i;
    }
    for (const i of [...new Set([from, low, high, gap, to - 1])].sort((a, b) => a - b)) picked.push(i);
  }
  return { x: Float64Array.from(picked, (i) => x[i]), y: Float32Array.from(picked, (i) => y[i]) };
}

// First place in a sorted list that is not before `value`.
function lowerBound(list, value) {
  let lo = 0;
  let hi = list.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (list[mid] < value) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

// One curve with its coarser versions: each has every peak of the one before.
class Curve {
  constructor(spec, number, sorted, logY) {
    this.name = spec.name;
    this.style = spec.style;
    this.paint = spec.colour === BLACK ? "--text" : `--c${(spec.colour ?? number) % 6}`;
    this.shown = true;
    this.sorted = sorted;
    const places = new Uint32Array(decode(spec.x));
    const x = Float64Array.from(places, (p) => spec.x.from + p * spec.x.step);
    // Far from zero the values are stored relative to their middle, and are drawn so.
    this.middle = logY ? 0 : spec.y.from;
    const values = (stored) => {
      const list = new Float32Array(decode(stored));
      // What is not above zero has no logarithm: a gap.
      return logY ? list.map((value) => (value + stored.from > 0 ? Math.log10(value + stored.from) : NaN)) : list;
    };
    const y = values(spec.y);
    this.levels = [{ x, y }];
    while (sorted && this.levels.at(-1).y.length > 4096) this.levels.push(coarser(this.levels.at(-1)));
    this.x = extent(x);
    this.edges = spec.low ? [values(spec.low), values(spec.high)] : null;
    const ends = (this.edges ?? []).map(extent).concat([extent(y)]);
    if (this.style === "bars") {
      this.x = [this.x[0] - 0.5, this.x[1] + 0.5];
      ends.push(logY ? [] : [-this.middle]);
    }
    this.y = extent(ends.flat()).map((v) => v + this.middle);
    // Of a line those points are dots that stand alone between gaps.
    const all = ["points", "joined", "whiskers"].includes(this.style);
    const there = (i) => Number.isFinite(y[i]);
    this.dots = [];
    for (let i = 0; i < y.length; i += 1) if (there(i) && (all || !(there(i - 1) || there(i + 1)))) this.dots.push(i);
  }

  // The level that has about this many points between a and b, and their range in it.
  visible(a, b, most) {
    if (!this.sorted) return { level: this.levels[0], from: 0, to: this.levels[0].x.length };
    for (const level of this.levels) {
      const from = Math.max(0, lowerBound(level.x, a) - 1);
      const to = Math.min(level.x.length, lowerBound(level.x, b) + 2);
      if (to - from <= most || level === this.levels.at(-1)) return { level, from, to };
    }
    return null;
  }

  // The point nearest to a place, in pixels given by `px` and `py` where the curve is not sorted.
  nearest(at, px, py, cursor) {
    const { x, y } = this.levels[0];
    if (this.sorted) {
      let i = Math.min(lowerBound(x, at), x.length - 1);
      if (i > 0 && at - x[i - 1] < x[i] - at) i -= 1;
      return [x[i], y[i] + this.middle, i];
    }
    let best = 0;
    let least = Infinity;
    for (let i = 0; i < x.length; i += 1) {
      const d = (px(x[i]) - cursor[0]) ** 2 + (py(y[i] + this.middle) - cursor[1]) ** 2;
      if (d < least) [least, best] = [d, i];
    }
    return [x[best], y[best] + this.middle, best];
  }
}

// The number of black among the colours.
const BLACK = 6;

const FONT = "13px system-ui, 'DejaVu Sans', sans-serif";

// Points that are stroked at once.
const PIECE = 128;

// A line that goes up and down so many times the height of its plot is an area.
const FILLED = 60;

// Draws a curve with several points per pixel: in every column of pixels the line passes from where it enters over the lowest
// and highest place to where it leaves. Where that fills an area bars are drawn, which is several times faster.
function columns(g, f, { x, y, from, to, left, scaleX, x0, bottom, scaleY, y0 }) {
  const most = Math.min(to - from, Math.ceil(f.width) + 4);
  const [at, first, low, high, last, after] = Array.from({ length: 6 }, () => new Float64Array(most));
  let n = -1;
  let gap = 1;
  let travel = 0;
  for (let i = from; i < to; i += 1) {
    // The points just outside may be far away.
    const column = Math.max(-1, Math.min(Math.floor(left + (x[i] - x0) * scaleX), Math.ceil(f.width) + 1));
    const v = bottom - (y[i] - y0) * scaleY;
    if (Number.isNaN(v)) {
      gap = 1;
      continue;
    }
    if (n < 0 || column !== at[n]) {
      n += 1;
      at[n] = column;
      after[n] = gap;
      gap = 0;
      first[n] = v;
      low[n] = v;
      high[n] = v;
    } else {
      travel += Math.abs(v - last[n]);
      if (v < low[n]) low[n] = v;
      if (v > high[n]) high[n] = v;
    }
    last[n] = v;
  }
  if (travel > FILLED * (f.bottom - f.top)) {
    g.fillStyle = g.strokeStyle;
    for (let i = 0; i <= n; i += 1) {
      // A bar reaches to where its neighbour begins, so that the line is whole.
      const next = i < n && !after[i + 1] && at[i + 1] - at[i] <= 1 ? first[i + 1] : last[i];
      const top = Math.round(Math.max(Math.min(low[i], next), f.top - 2));
      const end = Math.round(Math.min(Math.max(high[i], next), f.bottom + 2));
      g.fillRect(at[i], top, 1, Math.max(end - top, 1));
      // Where points are farther apart than pixels, as on the left of a logarithmic axis, a line joins them.
      if (i < n && !after[i + 1] && at[i + 1] - at[i] > 1) stroke(g, at[i] + 0.5, last[i], at[i + 1] + 0.5, first[i + 1]);
    }
    return;
  }
  g.beginPath();
  for (let i = 0; i <= n; i += 1) {
    const middle = at[i] + 0.5;
    const rises = last[i] < first[i];
    if (after[i]) g.moveTo(middle, first[i]);
    else g.lineTo(middle, first[i]);
    if (high[i] - low[i] > 0.5) {
      g.lineTo(middle, rises ? high[i] : low[i]);
      g.lineTo(middle, rises ? low[i] : high[i]);
      g.lineTo(middle, last[i]);
    }
    if (i % PIECE === PIECE - 1) {
      g.stroke();
      g.beginPath();
      g.moveTo(middle, last[i]);
    }
  }
  g.stroke();
}

// Plots that share a time axis, and what they show of it.
const timeAxis = { plots: [], view: null };

// What is drawn of a figure when it is first seen, and again when it is dirty.
class Drawn {
  constructor(figure, spec) {
    Object.assign(this, { figure, spec, box: figure.querySelector("div"), ready: false, dirty: true, onScreen: false });
  }
}

class Plot extends Drawn {
  constructor(figure, spec) {
    super(figure, spec);
    this.timed = spec.order === "time";
    this.sorted = spec.order !== "free";
    this.widest = 0;
    this.box.style.height = `${this.height()}px`;
    if (this.timed) timeAxis.plots.push(this);
  }

  height() { return this.sorted ? 270 : Math.min(400, Math.max(280, 0.8 * this.box.clientWidth)); }

  // Decodes the numbers and makes the elements, when the plot is first seen.
  prepare() {
    if (this.ready) return;
    this.ready = true;
    this.box.style.height = "";
    this.curves = this.spec.curves.map((c, i) => new Curve(c, i, this.sorted, this.spec.y.log));
    this.canvas = this.box.appendChild(document.createElement("canvas"));
    this.over = this.box.appendChild(document.createElement("canvas"));
    this.over.className = "over";
    this.over.tabIndex = 0;
    this.over.setAttribute("role", "img");
    const label = `${this.spec.title}: ${this.axisText("y")} over ${this.axisText("x")}`;
    this.over.setAttribute("aria-label", `${label}. Arrow keys pan, plus and minus zoom, 0 shows all.`);
    this.tip = this.box.appendChild(document.createElement("div"));
    this.tip.className = "tip";
    this.tip.hidden = true;
    if (this.curves.length > 1 || this.spec.marks.some((m) => "from" in m)) this.addLegend();
    const pad = (range, share) => {
      let [lo, hi] = range;
      if (!Number.isFinite(lo)) [lo, hi] = [0, 1];
      if (lo === hi) [lo, hi] = [lo - (Math.abs(lo) || 1), hi + (Math.abs(hi) || 1)];
      return [lo - share * (hi - lo), hi + share * (hi - lo)];
    };
    const all = (key) => [
      this.curves.reduce((lo, c) => Math.min(lo, c[key][0]), Infinity),
      this.curves.reduce((hi, c) => Math.max(hi, c[key][1]), -Infinity),
    ];
    const given = (axis) => this.spec[axis].range?.map((v) => (this.spec[axis].log ? Math.log10(v) : v));
    this.whole = { x: given("x") ?? pad(all("x"), this.sorted ? 0 : 0.04), y: given("y") ?? pad(all("y"), 0.05) };
    // Spectra fall to nothing: six decades are enough to see.
    if (this.spec.y.log) this.whole.y[0] = Math.max(this.whole.y[0], this.whole.y[1] - 6);
    this.view = { x: [...this.whole.x], y: [...this.whole.y] };
    if (this.timed && timeAxis.view) this.view.x = [...timeAxis.view];
    this.listen();
  }

  axisText(axis) { return this.spec[axis].text; }

  addLegend() {
    const legend = document.createElement("div");
    legend.className = "legend";
    this.curves.filter((curve) => curve.name).forEach((curve) => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", "true");
      const line = button.appendChild(document.createElement("i"));
      line.className = curve.style;
      line.style.color = `var(${curve.paint})`;
      button.append(curve.name);
      button.addEventListener("click", () => {
        curve.shown = !curve.shown;
        button.setAttribute("aria-pressed", String(curve.shown));
        this.redraw();
      });
      legend.append(button);
    });
    for (const name of new Set(this.spec.marks.filter((m) => "from" in m).map((m) => m.name))) {
      const region = legend.appendChild(document.createElement("span"));
      region.appendChild(document.createElement("i")).className = "region";
      region.append(name);
    }
    this.box.before(legend);
  }

  // Ticks of an axis: place and text.
  ticks(axis, count) {
    const { names, log } = this.spec[axis];
    const [lo, hi] = this.view[axis];
    if (names.length) return names.map((name, i) => [i, name]).filter(([i]) => i >= lo && i <= hi);
    return (log ? logTicks : linearTicks)(lo, hi, count);
  }

  // Where the axes are, and how values become pixels. Plots of a column begin at one place unless a label needs more.
  frame() {
    const width = this.box.clientWidth;
    const height = this.height();
    const f = { left: Math.max(72, Math.min(this.widest + 32, 0.3 * width)), top: 8, right: width - 12, bottom: height - 42, width, height };
    const { x, y } = this.view;
    f.px = (v) => f.left + ((v - x[0]) / (x[1] - x[0])) * (f.right - f.left);
    f.py = (v) => f.bottom - ((v - y[0]) / (y[1] - y[0])) * (f.bottom - f.top);
    f.vx = (p) => x[0] + ((p - f.left) / (f.right - f.left)) * (x[1] - x[0]);
    f.vy = (p) => y[0] + ((f.bottom - p) / (f.bottom - f.top)) * (y[1] - y[0]);
    return f;
  }

  draw() {
    this.prepare();
    this.dirty = false;
    const upright = this.ticks("y", Math.max(2, (this.height() - 50) / 45));
    const pen = this.canvas.getContext("2d");
    pen.font = FONT;
    this.widest = Math.max(...upright.map(([, label]) => pen.measureText(label).width), 0);
    const f = this.frame();
    const g = sized(this.canvas, f.width, f.height);
    sized(this.over, f.width, f.height);
    const [text, rule] = [colour("--text"), colour("--rule")];
    g.font = FONT;
    g.strokeStyle = rule;
    g.fillStyle = text;
    g.lineWidth = 1;
    g.textAlign = "center";
    g.textBaseline = "top";
    let end = 0;
    for (const [at, label] of this.ticks("x", Math.max(3, (f.right - f.left) / 110))) {
      const p = Math.round(f.px(at)) + 0.5;
      g.globalAlpha = label ? 1 : 0.45;
      stroke(g, p, f.top, p, f.bottom);
      g.globalAlpha = 1;
      const half = g.measureText(label).width / 2;
      const middle = Math.min(p, f.width - half);
      // No label upon another.
      if (!label || middle - half < end) continue;
      end = middle + half + 8;
      g.fillText(label, middle, f.bottom + 5);
    }
    g.textAlign = "right";
    g.textBaseline = "middle";
    end = Infinity;
    for (const [at, label] of upright) {
      const p = Math.round(f.py(at)) + 0.5;
      g.globalAlpha = label ? 1 : 0.45;
      stroke(g, f.left, p, f.right, p);
      g.globalAlpha = 1;
      if (!label || p > end) continue;
      end = p - 18;
      g.fillText(fitted(g, label, f.left - 26), f.left - 6, p);
    }
    g.textAlign = "center";
    g.textBaseline = "bottom";
    g.fillText(fitted(g, this.axisText("x"), f.right - f.left), (f.left + f.right) / 2, f.height - 2);
    g.save();
    g.translate(13, (f.top + f.bottom) / 2);
    g.rotate(-Math.PI / 2);
    g.textBaseline = "middle";
    g.fillText(fitted(g, this.axisText("y"), f.bottom - f.top), 0, 0);
    g.restore();
    g.strokeStyle = colour("--quiet");
    g.strokeRect(f.left + 0.5, f.top + 0.5, f.right - f.left, f.bottom - f.top);
    g.save();
    g.beginPath();
    g.rect(f.left, f.top, f.right - f.left, f.bottom - f.top);
    g.clip();
    if (this.curves.every((curve) => !Number.isFinite(curve.y[0]))) g.fillText("no data", (f.left + f.right) / 2, (f.top + f.bottom) / 2);
    this.drawMarks(g, f);
    g.lineWidth = 1.4;
    g.lineJoin = "bevel";
    const bars = this.curves.filter((curve) => curve.style === "bars");
    this.curves.forEach((curve, i) => {
      if (!curve.shown) return;
      g.strokeStyle = colour(curve.paint);
      g.fillStyle = colour(curve.paint);
      if (curve.style === "bars") return this.drawBars(g, curve, f, bars.indexOf(curve), bars.length);
      if (curve.style === "band") return this.drawBand(g, curve, f);
      g.setLineDash(i < 6 && curve.style !== "dashed" ? [] : [6, 3]);
      if (["line", "dashed", "joined"].includes(curve.style)) this.trace(g, curve, f);
      g.setLineDash([]);
      return this.drawPoints(g, curve, f);
    });
    g.restore();
  }

  drawMarks(g, f) {
    const place = (axis, v) => f[`p${axis}`](this.spec[axis].log ? Math.log10(v) : v);
    for (const mark of this.spec.marks.filter((m) => "from" in m)) {
      g.fillStyle = colour("--shade");
      g.fillRect(place("x", mark.from), f.top, place("x", mark.to) - place("x", mark.from), f.bottom - f.top);
    }
    g.strokeStyle = colour("--quiet");
    g.fillStyle = colour("--quiet");
    g.setLineDash([5, 3]);
    for (const { name, x, y, at } of this.spec.marks) {
      if (at !== undefined) {
        g.textAlign = "left";
        g.textBaseline = "middle";
        g.fillText(name, place("x", at[0]) + 6, place("y", at[1]));
        continue;
      }
      if (x !== undefined) stroke(g, place("x", x), f.top, place("x", x), f.bottom);
      if (y !== undefined) stroke(g, f.left, place("y", y), f.right, place("y", y));
      g.textAlign = x !== undefined ? "left" : "right";
      g.textBaseline = "bottom";
      // Curves that rise to the right leave room below.
      if (x !== undefined) g.fillText(name, place("x", x) + 4, f.bottom - 4);
      if (y !== undefined) g.fillText(name, f.right - 4, Math.max(place("y", y) - 2, f.top + 15));
    }
    g.setLineDash([]);
  }

  drawBars(g, { levels: [{ x, y }], middle }, f, number, count) {
    const floor = this.spec.y.log ? f.bottom : Math.min(Math.max(f.py(0), f.top), f.bottom);
    x.forEach((at, i) => {
      const left = at - 0.4 + (0.8 * number) / count;
      const [a, b, end] = [f.px(left), f.px(left + 0.8 / count), f.py(y[i] + middle)];
      if (Number.isFinite(end)) g.fillRect(a, Math.min(end, floor), b - a, Math.abs(floor - end));
    });
  }

  drawBand(g, { levels: [{ x }], edges: [low, high], middle }, f) {
    g.globalAlpha = 0.25;
    for (let from = 0; from < x.length; from += 1) {
      let to = from;
      while (to < x.length && Number.isFinite(low[to]) && Number.isFinite(high[to])) to += 1;
      g.beginPath();
      for (let i = from; i < to; i += 1) g.lineTo(f.px(x[i]), f.py(high[i] + middle));
      for (let i = to - 1; i >= from; i -= 1) g.lineTo(f.px(x[i]), f.py(low[i] + middle));
      g.fill();
      from = Math.max(from, to);
    }
    g.globalAlpha = 1;
  }

  // Points as dots with what is around them.
  drawPoints(g, { levels: [{ x, y }], edges, middle, dots }, f) {
    for (const i of dots) {
      g.beginPath();
      g.arc(f.px(x[i]), f.py(y[i] + middle), 3, 0, 2 * Math.PI);
      g.fill();
      if (edges) stroke(g, f.px(x[i]), f.py(edges[0][i] + middle), f.px(x[i]), f.py(edges[1][i] + middle));
    }
  }

  trace(g, curve, f) {
    const width = f.right - f.left;
    const { level, from, to } = curve.visible(...this.view.x, 8 * width);
    // Relative to the corner of what is seen, so that no digits are lost far from zero.
    const map = {
      x: level.x, y: level.y, from, to,
      left: f.left, scaleX: width / (this.view.x[1] - this.view.x[0]), x0: this.view.x[0],
      bottom: f.bottom, scaleY: (f.bottom - f.top) / (this.view.y[1] - this.view.y[0]), y0: this.view.y[0] - curve.middle,
    };
    if (curve.sorted && to - from > 2 * width) return columns(g, f, map);
    const px = (i) => map.left + (map.x[i] - map.x0) * map.scaleX;
    const py = (i) => map.bottom - (map.y[i] - map.y0) * map.scaleY;
    g.beginPath();
    for (let i = from; i < to; i += 1) {
      if (Number.isNaN(map.y[i])) {
        g.stroke();
        g.beginPath();
        continue;
      }
      g.lineTo(px(i), py(i));
      // A long path that crosses itself takes a browser far longer than its pieces.
      if ((i - from) % PIECE === PIECE - 1) {
        g.stroke();
        g.beginPath();
        g.moveTo(px(i), py(i));
      }
    }
    return g.stroke();
  }

  // Draws again with the next picture of the screen, with all that share its axis.
  redraw() {
    const group = this.timed ? timeAxis.plots : [this];
    for (const plot of group) {
      if (plot.ready) plot.view.x = [...this.view.x];
      plot.dirty = true;
    }
    if (this.timed) timeAxis.view = this.view.x;
    schedule();
  }

  pan(dx, dy) {
    const shift = (range, d) => range.map((v) => v + d * (range[1] - range[0]));
    this.view = { x: shift(this.view.x, dx), y: shift(this.view.y, dy) };
    this.redraw();
  }

  zoom(factor, x, y, both) {
    const about = (range, at) => range.map((v) => at + (v - at) * factor);
    const next = about(this.view.x, x);
    const whole = this.whole.x[1] - this.whole.x[0];
    if (next[1] - next[0] < 1e-9 * whole || next[1] - next[0] > 20 * whole) return;
    this.view.x = next;
    if (both || !this.sorted) this.view.y = about(this.view.y, y);
    this.redraw();
  }

  reset() {
    this.view = { x: [...this.whole.x], y: [...this.whole.y] };
    this.redraw();
  }

  listen() {
    const { over } = this;
    const fingers = new Map();
    let box = null;
    const at = (e) => {
      const r = over.getBoundingClientRect();
      return [e.clientX - r.left, e.clientY - r.top];
    };
    over.addEventListener("wheel", (e) => {
      // Whoever scrolls through the page is not to get stuck in a plot.
      if (!e.ctrlKey && !e.metaKey && document.activeElement !== over) return;
      e.preventDefault();
      const f = this.frame();
      const [x, y] = at(e);
      this.zoom(Math.exp(Math.sign(e.deltaY) * Math.min(Math.abs(e.deltaY), 100) * 0.003), f.vx(x), f.vy(y), e.shiftKey);
    }, { passive: false });
    over.addEventListener("pointerdown", (e) => {
      over.setPointerCapture(e.pointerId);
      fingers.set(e.pointerId, at(e));
      if (e.shiftKey) box = at(e);
    });
    over.addEventListener("pointermove", (e) => {
      const f = this.frame();
      const now = at(e);
      const before = fingers.get(e.pointerId);
      if (!before) return this.hover(f, now);
      fingers.set(e.pointerId, now);
      if (box) return this.drawBox(box, now);
      const [w, h] = [f.right - f.left, f.bottom - f.top];
      if (fingers.size === 2) {
        const [a, b] = [...fingers.entries()].map(([id, p]) => (id === e.pointerId ? before : p));
        const [c, d] = [...fingers.values()];
        const factor = Math.hypot(a[0] - b[0], a[1] - b[1]) / Math.max(1, Math.hypot(c[0] - d[0], c[1] - d[1]));
        return this.zoom(factor, f.vx((c[0] + d[0]) / 2), f.vy((c[1] + d[1]) / 2), false);
      }
      this.leave();
      return this.pan(-(now[0] - before[0]) / w, e.pointerType === "touch" && this.sorted ? 0 : (now[1] - before[1]) / h);
    });
    const up = (e) => {
      if (box && e.type === "pointerup") this.zoomInto(box, at(e));
      box = null;
      fingers.delete(e.pointerId);
    };
    over.addEventListener("pointerup", up);
    over.addEventListener("pointercancel", up);
    over.addEventListener("pointerleave", () => this.leave());
    over.addEventListener("dblclick", () => this.reset());
    over.addEventListener("keydown", (e) => {
      const middle = [(this.view.x[0] + this.view.x[1]) / 2, (this.view.y[0] + this.view.y[1]) / 2];
      const keys = {
        ArrowLeft: () => this.pan(-0.1, 0), ArrowRight: () => this.pan(0.1, 0),
        ArrowUp: () => this.pan(0, 0.1), ArrowDown: () => this.pan(0, -0.1),
        "+": () => this.zoom(0.8, ...middle, false), "-": () => this.zoom(1.25, ...middle, false), 0: () => this.reset(),
      };
      if (!keys[e.key]) return;
      e.preventDefault();
      keys[e.key]();
    });
  }

  drawBox([ax, ay], [bx, by]) {
    const g = clear(this.over);
    g.strokeStyle = colour("--text");
    g.strokeRect(ax, ay, bx - ax, by - ay);
  }

  zoomInto([ax, ay], [bx, by]) {
    clear(this.over);
    if (Math.abs(ax - bx) < 4 || Math.abs(ay - by) < 4) return;
    const f = this.frame();
    this.view = { x: [f.vx(Math.min(ax, bx)), f.vx(Math.max(ax, bx))], y: [f.vy(Math.max(ay, by)), f.vy(Math.min(ay, by))] };
    this.redraw();
  }

  hover(f, [x, y]) {
    if (x < f.left || x > f.right || y < f.top || y > f.bottom) return this.leave();
    const value = (axis, v) => short(this.spec[axis].log ? 10 ** v : v, axis === "x" && this.timed ? 8 : 5);
    const found = this.curves.filter((c) => c.shown).map((c) => [c, c.nearest(f.vx(x), f.px, f.py, [x, y])]);
    if (!found.length) return this.leave();
    const place = found[0][1][0];
    const g = clear(this.over);
    g.strokeStyle = colour("--quiet");
    g.setLineDash([3, 3]);
    stroke(g, f.px(place), f.top, f.px(place), f.bottom);
    g.setLineDash([]);
    this.tip.textContent = "";
    const { names, label, unit } = this.spec.x;
    this.tip.append(names.length ? names[Math.round(place)] : `${label} ${value("x", place)} ${unit}`);
    for (const [curve, [at, v, i]] of found) {
      g.fillStyle = colour(curve.paint);
      g.beginPath();
      g.arc(f.px(at), f.py(v), 3.5, 0, 2 * Math.PI);
      if (curve.style !== "band") g.fill();
      const name = (this.curves.length > 1 && curve.name) || this.spec.y.label;
      const around = curve.edges?.map((edge) => value("y", edge[i] + curve.middle)).join(" to ");
      const words = { band: around, whiskers: `${value("y", v)} (${around})` }[curve.style] ?? value("y", v);
      this.tip.append(document.createElement("br"), `${name} ${words} ${this.spec.y.unit}`);
    }
    this.tip.hidden = false;
    const w = this.tip.offsetWidth;
    this.tip.style.left = `${x + 14 + w > f.right ? Math.max(0, x - 14 - w) : x + 14}px`;
    this.tip.style.top = `${Math.max(0, y - this.tip.offsetHeight - 8)}px`;
    return undefined;
  }

  leave() {
    if (this.tip.hidden) return;
    this.tip.hidden = true;
    clear(this.over);
  }
}
