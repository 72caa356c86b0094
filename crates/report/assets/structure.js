// A structure on a canvas: modes that swing, or the deformed shape at the times of a run.

class View extends Drawn {
  constructor(figure, spec) {
    super(figure, spec);
    this.angles = [...spec.angles];
    this.playing = false;
    this.index = 0;
    this.phase = 1;
    this.scale = 1;
  }

  prepare() {
    if (this.ready) return;
    this.ready = true;
    this.box.textContent = "";
    const { spec } = this;
    const numbers = (stored) => new Float32Array(decode(stored));
    const size = 3 * spec.points.length;
    if (spec.motion.shapes) {
      this.states = spec.motion.shapes.map(numbers);
    } else {
      const all = numbers(spec.motion);
      this.states = spec.motion.times.map((_, i) => all.subarray(i * size, (i + 1) * size));
    }
    const farthest = (state) => {
      let most = 0;
      for (let i = 0; i + 2 < state.length; i += 3) most = Math.max(most, Math.hypot(state[i], state[i + 1], state[i + 2]));
      return most;
    };
    this.largest = this.states.map(farthest);
    const span = [0, 1, 2].map((a) => extent(spec.points.map((p) => p[a]))).map(([lo, hi]) => hi - lo);
    this.span = Math.max(...span, 1e-9);
    this.canvas = this.box.appendChild(document.createElement("canvas"));
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${spec.title}: ${spec.nodes} nodes, ${spec.lines.length} lines`);
    if (spec.spatial) this.listen();
    this.addControls();
  }

  // How much displacements are enlarged: the largest is drawn as an eighth of the structure.
  magnification() {
    const most = this.spec.motion.shapes ? this.largest[this.index] : Math.max(...this.largest);
    return most > 0 ? (this.scale * this.span) / (8 * most) : 0;
  }

  addControls() {
    const controls = this.box.appendChild(document.createElement("div"));
    controls.className = "controls";
    const add = (tag, fields) => controls.appendChild(Object.assign(document.createElement(tag), fields));
    this.button = add("button", { type: "button", textContent: "Play" });
    this.button.addEventListener("click", () => this.play(!this.playing));
    const last = this.states.length - 1;
    const what = this.spec.motion.shapes ? "mode" : "time";
    this.slider = add("input", { type: "range", min: 0, max: last, step: 1, value: 0, className: "wide" });
    this.slider.setAttribute("aria-label", what);
    this.slider.hidden = last < 1;
    this.slider.addEventListener("input", () => { this.show(Number(this.slider.value)); });
    this.output = add("output", {});
    const label = add("label", { textContent: "enlarged " });
    const enlarge = label.appendChild(document.createElement("input"));
    Object.assign(enlarge, { type: "range", min: -1.5, max: 1, step: 0.05, value: 0 });
    enlarge.addEventListener("input", () => { this.scale = 10 ** Number(enlarge.value); this.show(this.index); });
    // Start where most happens.
    if (!this.spec.motion.shapes) this.index = this.largest.indexOf(Math.max(...this.largest));
    this.show(this.index);
  }

  show(index) {
    this.index = index;
    this.slider.value = index;
    const { motion, unit, factor, sketch } = this.spec;
    const times = sketch ? "" : `, drawn × ${short(this.magnification(), 3)}`;
    this.output.textContent = motion.shapes
      ? motion.shapes[index].text
      : `t = ${short(motion.times[index], 6)} s, largest ${short(this.largest[index] * factor, 4)} ${unit}${times}`;
    this.dirty = true;
    schedule();
  }

  play(on) {
    this.playing = on;
    this.button.textContent = on ? "Pause" : "Play";
    this.phase = 1;
    if (!on) return this.show(this.index);
    const begin = performance.now() - (this.spec.motion.shapes ? 0 : this.index * 33);
    const tick = (now) => {
      if (!this.playing) return;
      if (this.spec.motion.shapes) {
        this.phase = Math.cos((2 * Math.PI * (now - begin)) / 1600);
        this.dirty = true;
        schedule();
      } else {
        this.show(Math.floor((now - begin) / 33) % this.states.length);
      }
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    return undefined;
  }

  // A point on paper, x to the right and y up.
  flat([x, y, z]) {
    if (!this.spec.spatial) return [x, y];
    const [t, e] = this.angles;
    const right = Math.cos(t) * x - Math.sin(t) * y;
    const away = Math.sin(t) * x + Math.cos(t) * y;
    return [right, Math.cos(e) * z + Math.sin(e) * away];
  }

  draw() {
    this.prepare();
    this.dirty = false;
    const [width, height] = [this.box.clientWidth, 400];
    const g = sized(this.canvas, width, height);
    const { points, lines, held, nodes } = this.spec;
    const rest = points.map((p) => this.flat(p));
    const bounds = [0, 1].map((a) => extent(rest.map((p) => p[a])));
    const room = this.span / 7;
    const scale = Math.min(
      (width - 40) / (bounds[0][1] - bounds[0][0] + 2 * room),
      (height - 40) / (bounds[1][1] - bounds[1][0] + 2 * room),
    );
    const middle = bounds.map(([lo, hi]) => (lo + hi) / 2);
    const place = ([x, y]) => [width / 2 + (x - middle[0]) * scale, height / 2 - (y - middle[1]) * scale];
    const state = this.states[this.index];
    const m = this.magnification() * (this.spec.motion.shapes ? this.phase : 1);
    const moved = points.map((p, i) => place(this.flat(p.map((v, a) => v + m * state[3 * i + a]))));
    const still = rest.map(place);
    const trace = (at, style, thin) => {
      g.strokeStyle = style;
      for (const member of [true, false]) {
        g.lineWidth = member ? thin : thin * 0.75;
        g.setLineDash(member ? [] : [6, 4]);
        g.beginPath();
        for (const [a, b, solid] of lines) {
          if (solid !== member) continue;
          g.moveTo(...at[a]);
          g.lineTo(...at[b]);
        }
        g.stroke();
      }
      g.setLineDash([]);
    };
    g.globalAlpha = 0.45;
    trace(still, colour("--quiet"), 1.5);
    g.globalAlpha = 1;
    g.strokeStyle = colour("--quiet");
    g.fillStyle = colour("--quiet");
    g.lineWidth = 1.2;
    for (const [i, fixed] of held) {
      const [x, y] = i < nodes ? moved[i] : still[i];
      g.beginPath();
      g.moveTo(x, y);
      g.lineTo(x - 7, y + 11);
      g.lineTo(x + 7, y + 11);
      g.closePath();
      if (fixed) g.fill();
      else g.stroke();
    }
    trace(moved, colour("--c0"), 2.2);
    g.fillStyle = colour("--c0");
    const radius = nodes > 400 ? 1.2 : this.spec.sketch ? 5 : 2.8;
    for (let i = 0; i < nodes; i += 1) {
      g.beginPath();
      g.arc(...moved[i], radius, 0, 2 * Math.PI);
      g.fill();
    }
  }

  listen() {
    const { canvas } = this;
    canvas.style.cursor = "grab";
    canvas.style.touchAction = "pan-y";
    canvas.tabIndex = 0;
    let last = null;
    const turn = (dx, dy) => {
      this.angles = [this.angles[0] + dx, Math.max(-1.5, Math.min(1.5, this.angles[1] + dy))];
      this.dirty = true;
      schedule();
    };
    canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); last = [e.clientX, e.clientY]; });
    canvas.addEventListener("pointermove", (e) => {
      if (!last) return;
      turn((e.clientX - last[0]) * 0.01, (e.clientY - last[1]) * 0.01);
      last = [e.clientX, e.clientY];
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { last = null; });
    canvas.addEventListener("dblclick", () => { this.angles = [...this.spec.angles]; turn(0, 0); });
    canvas.addEventListener("keydown", (e) => {
      const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[e.key];
      if (!step) return;
      e.preventDefault();
      turn(...step);
    });
  }
}
