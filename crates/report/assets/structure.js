// A structure on a canvas: modes that swing, or the deformed shape at the times of a run, seen from any side.

// Numbers 1, 2, 5, 10, 20, ... by their place in the row, and the place of one of them.
const roundNumber = (k) => [1, 2, 5][((k % 3) + 3) % 3] * 10 ** Math.floor(k / 3);
const roundPlace = (m) => Math.round(3 * Math.floor(Math.log10(m) + 1e-9) + [1, 2, 5].indexOf(Number((m / 10 ** Math.floor(Math.log10(m) + 1e-9)).toPrecision(1))));

// How large a displacement is drawn, in words.
function enlargement(m) {
  if (m === 1) return "drawn to scale";
  return m > 1 ? `displacements drawn ${short(m)} times larger` : `displacements drawn at 1/${short(Math.round(1 / m))} of their size`;
}

const DIRECTIONS = [["Front", [0, 0]], ["Side", [-Math.PI / 2, 0]], ["Top", [0, Math.PI / 2]], ["3-D", [-0.6, 0.35]]];
const MEMBER_POINTS = 12;

const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

// A point of a member at the share s of its length: linear along its axis, the cubic of Hermite across it, with the slopes
// (rotation × axis) that its ends have; a hinged end has the slope that leaves it without a moment. As `bent` of structure/bent.rs.
function bent([a, ua, ta], [b, ub, tb], hinges, s) {
  const axis = minus(b, a);
  const length = Math.hypot(...axis);
  const mix = (x, y) => x.map((v, i) => v + s * (y[i] - v));
  const rest = mix(a, b);
  if (!(length > 0)) return mix(ua, ub).map((u, i) => rest[i] + u);
  const e = axis.map((x) => x / length);
  const across = (u) => { const along = dot(u, e); return u.map((x, i) => x - along * e[i]); };
  const [wa, wb] = [across(ua), across(ub)];
  const chord = minus(wb, wa);
  let [pa, pb] = [cross(ta, e), cross(tb, e)].map((p) => p.map((x) => x * length));
  if (hinges === 3) [pa, pb] = [chord, chord];
  else if (hinges === 1) pa = chord.map((c, i) => 1.5 * c - 0.5 * pb[i]);
  else if (hinges === 2) pb = chord.map((c, i) => 1.5 * c - 0.5 * pa[i]);
  const [s2, s3] = [s * s, s * s * s];
  const axial = mix(minus(ua, wa), minus(ub, wb));
  return rest.map((x, i) => x + axial[i] + (1 - 3 * s2 + 2 * s3) * wa[i] + (s - 2 * s2 + s3) * pa[i] + (3 * s2 - 2 * s3) * wb[i] + (s3 - s2) * pb[i]);
}

class View extends Drawn {
  constructor(figure, spec) {
    super(figure, spec);
    this.direction = [...spec.direction];
    this.playing = false;
    this.index = 0;
    this.phase = 1;
    this.enlarged = 0;
  }

  prepare() {
    if (this.ready) return;
    this.ready = true;
    this.box.textContent = "";
    const { spec } = this;
    const { motion } = spec;
    this.values = new Int16Array(decode(motion));
    this.scales = new Float32Array(decode({ d: motion.scales }));
    this.count = motion.largest.length;
    this.size = Math.max(...[0, 1, 2].map((a) => extent(spec.points.map((p) => p[a]))).map(([lo, hi]) => hi - lo), 1e-9);
    this.most = motion.largest.reduce((a, b) => Math.max(a, b), 0);
    // How far each state goes along each axis.
    const { axes } = motion;
    this.reach = motion.largest.map(() => [0, 0, 0]);
    for (let i = 0; i < this.values.length; i += 1) {
      const [state, axis] = [Math.floor(i / (axes.length * spec.nodes)), axes[i % axes.length]];
      if (axis < 3) this.reach[state][axis] = Math.max(this.reach[state][axis], (Math.abs(this.values[i]) / 32767) * this.scales[2 * state]);
    }
    if (!motion.texts) {
      const all = [0, 1, 2].map((a) => this.reach.reduce((most, r) => Math.max(most, r[a]), 0));
      this.reach = this.reach.map(() => all);
    }
    this.canvas = this.box.appendChild(document.createElement("canvas"));
    this.canvas.setAttribute("role", "img");
    const how = "Drag or use the arrow keys to turn it, 0 to turn it back.";
    this.canvas.setAttribute("aria-label", `${spec.title}: ${spec.nodes} nodes, ${spec.edges.length} elements. ${how}`);
    this.tip = this.box.appendChild(Object.assign(document.createElement("div"), { className: "tip", hidden: true }));
    this.listen();
    this.addControls();
  }

  // Displacement and rotation of a node, as they are.
  state(node) {
    const { axes } = this.spec.motion;
    const d = [0, 0, 0, 0, 0, 0];
    if (node >= this.spec.nodes) return d;
    const from = (this.index * this.spec.nodes + node) * axes.length;
    axes.forEach((axis, k) => { d[axis] = (this.values[from + k] / 32767) * this.scales[2 * this.index + (axis < 3 ? 0 : 1)]; });
    return d;
  }

  magnification() {
    const { drawn } = this.spec.motion;
    const chosen = drawn[Math.min(this.index, drawn.length - 1)];
    return chosen > 0 ? roundNumber(roundPlace(chosen) + this.enlarged) : 0;
  }

  addControls() {
    const controls = this.box.appendChild(document.createElement("div"));
    controls.className = "controls";
    const add = (tag, fields, into = controls) => into.appendChild(Object.assign(document.createElement(tag), fields));
    this.button = add("button", { type: "button", textContent: "Play" });
    this.button.addEventListener("click", () => this.play(!this.playing));
    const last = this.count - 1;
    const { shapes } = this;
    this.slider = add("input", { type: "range", min: 0, max: last, step: 1, value: 0, className: "wide" });
    this.slider.setAttribute("aria-label", shapes ? "mode" : "time");
    this.slider.hidden = last < 1;
    this.slider.addEventListener("input", () => { this.show(Number(this.slider.value)); });
    const label = add("label", { textContent: shapes ? "amplitude " : "enlarged " });
    const enlarge = add("input", { type: "range", min: -4, max: 4, step: 1, value: 0 }, label);
    enlarge.addEventListener("input", () => { this.enlarged = Number(enlarge.value); this.show(this.index); });
    const views = add("span", { className: "views" });
    for (const [name, direction] of DIRECTIONS) {
      add("button", { type: "button", textContent: name }, views).addEventListener("click", () => this.turnTo(direction));
    }
    this.output = add("output", {}, this.box);
    // Start where most happens.
    if (!shapes) this.index = this.spec.motion.largest.indexOf(this.most);
    this.show(Math.max(this.index, 0));
  }

  get shapes() { return this.spec.motion.texts !== undefined; }

  show(index) {
    this.index = index;
    this.slider.value = index;
    const { motion, unit, factor, sketch } = this.spec;
    if (this.shapes) {
      this.output.textContent = motion.texts[index];
    } else {
      const how = sketch ? "not to scale" : enlargement(this.magnification());
      this.output.textContent = `t = ${motion.times[index].toFixed(3)} s: largest displacement at this moment ${short(motion.largest[index] * factor, 3)} ${unit}; ${how}`;
    }
    this.dirty = true;
    schedule();
  }

  play(on) {
    this.playing = on;
    this.button.textContent = on ? "Pause" : "Play";
    this.phase = 1;
    if (!on) return this.show(this.index);
    const { times } = this.spec.motion;
    // As fast as it was, but no run takes longer than half a minute.
    const whole = times ? times.at(-1) - times[0] : 0;
    const speed = Math.max(1, whole / 30);
    const begin = performance.now() - (times ? ((times[this.index] - times[0]) / speed) * 1000 : 0);
    const tick = (now) => {
      if (!this.playing) return;
      if (!times) {
        this.phase = Math.cos((2 * Math.PI * (now - begin)) / 1600);
        this.dirty = true;
        schedule();
      } else {
        const t = times[0] + (whole > 0 ? (((now - begin) / 1000) * speed) % whole : 0);
        this.show(Math.min(lowerBound(times, t), this.count - 1));
      }
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    return undefined;
  }

  // A point on paper, x to the right and y up.
  flat([x, y, z]) {
    const [t, e] = this.direction;
    const away = Math.sin(t) * x + Math.cos(t) * y;
    return [Math.cos(t) * x - Math.sin(t) * y, Math.cos(e) * z + Math.sin(e) * away];
  }

  // How points become pixels; the structure keeps its size while it moves, and is in sight when it moves most.
  frame(width, height) {
    const { points, motion } = this.spec;
    const rest = points.map((p) => this.flat(p));
    const bounds = [0, 1].map((a) => extent(rest.map((p) => p[a])));
    const chosen = motion.drawn[Math.min(this.index, motion.drawn.length - 1)];
    const room = [0, 0];
    this.reach[this.index].forEach((r, a) => {
      const d = this.flat([0, 1, 2].map((b) => (a === b ? 2 * chosen * r : 0)));
      room.forEach((_, k) => { room[k] += Math.abs(d[k]); });
    });
    const span = bounds.map(([lo, hi], k) => hi - lo + room[k]);
    const scale = Math.min((width - 60) / Math.max(span[0], 1e-9), (height - 70) / Math.max(span[1], 1e-9));
    const middle = bounds.map(([lo, hi]) => (lo + hi) / 2);
    return (p) => {
      const [x, y] = this.flat(p);
      return [width / 2 + (x - middle[0]) * scale, height / 2 - (y - middle[1]) * scale];
    };
  }

  // The points of an edge; `m` times displaced.
  course([a, b, , bends, hinges], m) {
    const { points } = this.spec;
    const end = (i) => {
      const d = m === 0 ? [0, 0, 0, 0, 0, 0] : this.state(i).map((x) => x * m);
      return [points[i], d.slice(0, 3), d.slice(3)];
    };
    const [from, to] = [end(a), end(b)];
    const pieces = bends && m !== 0 ? MEMBER_POINTS : 1;
    return Array.from({ length: pieces + 1 }, (_, k) => bent(from, to, hinges, k / pieces));
  }

  draw() {
    this.prepare();
    this.dirty = false;
    const [width, height] = [this.box.clientWidth, Math.min(420, Math.max(260, 0.7 * this.box.clientWidth))];
    const g = sized(this.canvas, width, height);
    const { points, edges, supports, nodes } = this.spec;
    const place = this.frame(width, height);
    const m = this.magnification() * (this.shapes ? this.phase : 1);
    const trace = (by, thin, ghost) => {
      for (const edge of edges) {
        const [, , kind, , , where] = edge;
        g.strokeStyle = colour(ghost ? "--quiet" : { 0: "--c1", 1: "--c2" }[where] ?? "--c0");
        g.lineWidth = kind === 0 || edge[3] ? thin : 1;
        g.setLineDash(kind >= 2 ? [6, 4] : []);
        g.beginPath();
        for (const p of this.course(edge, by)) g.lineTo(...place(p));
        g.stroke();
      }
      g.setLineDash([]);
    };
    g.globalAlpha = 0.4;
    trace(0, edges.length > 500 ? 0.6 : 1.2, true);
    g.globalAlpha = 1;
    g.strokeStyle = colour("--quiet");
    for (const [i, strokes, thick] of supports) {
      const d = this.state(i);
      const [x, y] = place(points[i].map((v, a) => v + m * d[a]));
      for (const [lines, thin] of [[strokes, 1], [thick, 2.4]]) {
        g.lineWidth = thin;
        for (const line of lines) {
          g.beginPath();
          for (const [dx, dy] of line) g.lineTo(x + dx, y + dy);
          g.stroke();
        }
      }
    }
    trace(m, edges.length > 500 ? 1.1 : 2.2, false);
    g.fillStyle = colour("--c0");
    const radius = nodes > 400 ? 1.2 : this.spec.sketch ? 5 : 2.8;
    this.places = [];
    for (let i = 0; i < nodes; i += 1) {
      const d = this.state(i);
      const at = place(points[i].map((v, a) => v + m * d[a]));
      this.places.push(at);
      g.beginPath();
      g.arc(...at, radius, 0, 2 * Math.PI);
      g.fill();
    }
    this.triad(g, height);
  }

  // The axes of the model, as they are seen.
  triad(g, height) {
    if (this.spec.sketch) return;
    g.strokeStyle = colour("--quiet");
    g.fillStyle = colour("--quiet");
    g.lineWidth = 1.2;
    g.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    g.textAlign = "center";
    g.textBaseline = "middle";
    const at = [38, height - 38];
    this.spec.axes.forEach((axis, i) => {
      const [x, y] = this.flat(axis);
      if (Math.hypot(x, y) < 0.15) return;
      stroke(g, ...at, at[0] + 24 * x, at[1] - 24 * y);
      g.fillText("xyz"[i], at[0] + 32 * x, at[1] - 32 * y);
    });
  }

  turnTo(direction) {
    this.direction = [...direction];
    this.dirty = true;
    schedule();
  }

  // The name of the node under the pointer, and how far it is displaced.
  hover(e) {
    const r = this.canvas.getBoundingClientRect();
    const [x, y] = [e.clientX - r.left, e.clientY - r.top];
    const distance = (p) => Math.hypot(p[0] - x, p[1] - y);
    const near = (this.places ?? []).reduce((best, p, i) => (distance(p) < distance(this.places[best] ?? [1e9, 1e9]) ? i : best), -1);
    this.tip.hidden = near < 0 || distance(this.places[near]) > 14;
    if (this.tip.hidden) return;
    const { unit, factor, names } = this.spec;
    const far = Math.hypot(...this.state(near).slice(0, 3)) * factor;
    this.tip.textContent = this.shapes || this.spec.swinging.includes(near) ? names[near] : `${names[near]}: ${short(far, 3)} ${unit}`;
    this.tip.style.left = `${Math.min(x + 12, r.width - this.tip.offsetWidth)}px`;
    this.tip.style.top = `${Math.max(0, y - 30)}px`;
  }

  listen() {
    const { canvas } = this;
    canvas.style.cursor = "grab";
    canvas.style.touchAction = "pan-y";
    canvas.tabIndex = 0;
    let last = null;
    const turn = (dx, dy) => {
      this.turnTo([this.direction[0] + dx, Math.max(-Math.PI / 2, Math.min(Math.PI / 2, this.direction[1] + dy))]);
    };
    canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); last = [e.clientX, e.clientY]; });
    canvas.addEventListener("pointermove", (e) => {
      if (!last) return this.hover(e);
      turn((e.clientX - last[0]) * 0.01, (e.clientY - last[1]) * 0.01);
      last = [e.clientX, e.clientY];
      return undefined;
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { last = null; });
    canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    canvas.addEventListener("dblclick", () => this.turnTo(this.spec.direction));
    canvas.addEventListener("keydown", (e) => {
      if (e.key === "0") return this.turnTo(this.spec.direction);
      if (e.key === " ") { e.preventDefault(); return this.play(!this.playing); }
      const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[e.key];
      if (!step) return undefined;
      e.preventDefault();
      return turn(...step);
    });
  }
}
