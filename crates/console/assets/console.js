// The console: one connection, what came over it, and commands. Nothing is shown that the loop has not said.
"use strict";
const $ = (id) => document.getElementById(id);
const ROWS = 6000, WINDOW = 20;
let about = null, status = null, socket = null, offset = null, best = Infinity, lastStamp = 0, store = [], panels = [], events = [], asked = null, ids = 0, retry = 250, role = "viewer", hasKey = false;
const waiting = new Map();
window.console_latency = [];

const hash = new URLSearchParams(location.hash.slice(1));
if (hash.get("key")) sessionStorage.setItem("key", hash.get("key"));
if (hash.get("view")) { sessionStorage.setItem("view", hash.get("view")); document.cookie = "view=" + hash.get("view") + "; SameSite=Strict; path=/"; }
if (location.hash) history.replaceState(null, "", location.pathname);

function connect() {
  socket = new WebSocket((location.protocol === "https:" ? "wss://" : "ws://") + location.host + "/live");
  socket.binaryType = "arraybuffer";
  let shown = 0;
  socket.onopen = () => {
    retry = 250;
    store = []; events = []; about = null;
    if (sessionStorage.getItem("view")) send({ view: sessionStorage.getItem("view") });
    if (sessionStorage.getItem("key")) present(false);
    send({ ping: Date.now() });
  };
  socket.onmessage = (message) => {
    if (typeof message.data !== "string") { rows(new Float64Array(message.data)); shown += 1; send({ ack: shown }); return; }
    const said = JSON.parse(message.data);
    if (said.about) learn(said.about);
    if (said.status) tell(said.status);
    if (said.events) { events.push(...said.events); happened(said.events); }
    if (said.pong !== undefined) {
      const round = Date.now() - said.pong;
      if (round <= best + 5) { best = Math.min(best, round); offset = Date.now() - round / 2 - said.stamp; }
    }
    if (said.answer) answered(said.answer);
    if (said.desk) {
      role = said.desk; hasKey = said.key === true;
      if (!hasKey) sessionStorage.removeItem("key");
      say(said.why || (role === "operator" ? "You command this test." : "You only look."), !said.why);
      if (said.why && hasKey) ask("Take over the desk?", null, () => present(true));
      enable();
    }
    if (said.refused) say(said.refused, false);
  };
  socket.onclose = () => {
    role = "viewer"; enable();
    if (status && status.over) { say("The console has ended; what is shown is the end of the test.", true); return; }
    retry = Math.min(5000, retry * 1.6);
    setTimeout(connect, retry);
  };
}
const send = (message) => { if (socket && socket.readyState === 1) socket.send(JSON.stringify(message)); };
setInterval(() => send({ ping: Date.now() }), 1000);

function present(take) {
  send({ key: sessionStorage.getItem("key"), who: localStorage.getItem("who") || "operator", take });
}

// Rows of all topics: [number, stamp, (topic, columns, rows, values...)...].
function rows(all) {
  lastStamp = Math.max(lastStamp, all[1]);
  for (let at = 2; at < all.length;) {
    const [topic, n, count] = [all[at], all[at + 1], all[at + 2]];
    const own = store[topic] || (store[topic] = Array.from({ length: n }, () => []));
    for (let r = 0; r < count; r++) for (let c = 0; c < n; c++) own[c].push(all[at + 3 + r * n + c]);
    if (own[0].length > 2 * ROWS) for (const column of own) column.splice(0, column.length - ROWS);
    at += 3 + n * count;
  }
  if (offset !== null) {
    const stamp = all[1];
    requestAnimationFrame(() => { window.console_latency.push(Date.now() - offset - stamp); if (window.console_latency.length > 2000) window.console_latency.shift(); });
  }
  dirty = true;
}
const topicOf = (name) => about ? about.topics.findIndex((t) => t.name === name) : -1;
const columnsOf = (name) => store[topicOf(name)] || [];
const last = (name, column) => { const c = columnsOf(name)[column]; return c && c[c.length - 1]; };
// Topics come with the loop: before it there are none.
const indexOf = (name, column) => { const topic = about && about.topics[topicOf(name)]; return topic ? topic.columns.findIndex((c) => c.name === column) : -1; };

function tell(said) {
  status = said;
  lastStamp = Math.max(lastStamp, said.stamp);
  document.body.dataset.level = said.level || "quiet";
  $("word").textContent = said.word || "no test";
  $("detail").textContent = said.detail || "";
  $("t").textContent = number(said.t, 5) + " s";
  const steps = about && about.steps, step = topicOf("run") >= 0 ? last("run", indexOf("run", "step")) : undefined;
  $("step").textContent = step === undefined ? "–" : step + (steps ? " of " + steps : "");
  $("scale").textContent = said.scale > 0 ? number(said.scale, 3) : "free";
  const left = about && about.duration ? Math.max(0, about.duration - said.t) * (said.scale || 0) : NaN;
  $("left").textContent = said.scale > 0 && Number.isFinite(left) ? (left >= 60 ? Math.floor(left / 60) + " min " + Math.round(left % 60) + " s" : number(left, 3) + " s") : "–";
  const late = said.rigs.reduce((sum, r) => sum + (r.head[9] || 0), 0), missed = said.rigs.reduce((sum, r) => sum + (r.head[13] || 0), 0);
  $("counts").textContent = said.viewers + (said.viewers === 1 ? " viewer" : " viewers") + " · " + (said.holder ? said.holder + " commands" : "nobody commands") + " · late samples " + late + " · missed periods " + missed + " · rows not shown " + said.dropped;
  $("who").textContent = role === "operator" ? "operator: " + (localStorage.getItem("who") || "operator") : "viewer";
  enable();
  dirty = true;
}

// How old what is shown is; said aloud from one second on.
setInterval(() => {
  const age = lastStamp && offset !== null ? Math.max(0, Date.now() - offset - lastStamp) / 1000 : NaN, ended = status && status.over;
  $("age").textContent = Number.isFinite(age) && !ended ? age.toFixed(age < 10 ? 1 : 0) + " s" : "–";
  const old = !ended && (!(age <= 1) || !socket || socket.readyState !== 1);
  $("old").hidden = !old || !status;
  $("old").textContent = "What is shown is " + (Number.isFinite(age) ? age.toFixed(1) + " s" : "") + " old. The test itself is not affected; look at the laboratory.";
  document.body.classList.toggle("stale", old);
}, 200);

// Commands.
const QUESTIONS = { arm: "Arm the test?", start: "Start the test?", resume: "Resume the test?", stop: "Stop, and return to the start position?", scale: "Time scale, seconds in the laboratory per second of the model:", note: "Note:", seek: "Go to time [s]:" };
const TYPED = new Set(["scale", "note", "seek"]);
function enable() {
  const can = new Set((status && status.can) || []), may = role === "operator";
  for (const button of document.querySelectorAll("[data-do]")) {
    button.hidden = button.dataset.do === "seek" && !(about && about.kind === "playback");
    button.disabled = !may || !can.has(button.dataset.do);
  }
  // Whoever has the key can press it at any moment: what comes too early is kept by the loop, what comes too late is answered.
  $("abort").disabled = !hasKey;
  $("abort").textContent = hasKey ? "EMERGENCY STOP" : "EMERGENCY STOP: needs the operator's key";
}
function ask(question, value, yes) {
  asked = yes;
  $("question").textContent = question;
  $("typed").hidden = value === null;
  $("typed").value = value || "";
  $("ask").hidden = false;
  (value === null ? $("ask").querySelector("button") : $("typed")).focus();
}
function unask() { asked = null; $("ask").hidden = true; }
$("ask").onsubmit = (event) => { event.preventDefault(); const yes = asked, typed = $("typed").value; unask(); if (yes) yes(typed); };
$("no").onclick = unask;
function command(name, extra = {}) {
  if (!socket || socket.readyState !== 1) {
    say(name === "abort" ? "NOT SENT: the console is not connected. Use the emergency stop of the laboratory." : name + ": not sent, the console is not connected", false);
    return;
  }
  const id = ++ids;
  waiting.set(id, name);
  say(name + " …", true);
  send({ do: name, id, ...extra });
}
function answered(answer) {
  const name = waiting.get(answer.id) || "";
  waiting.delete(answer.id);
  say(name + ": " + answer.text, answer.ok);
}
function say(text, ok) { $("answer").textContent = text; $("answer").dataset.ok = ok; }
function press(name) {
  const button = document.querySelector(`[data-do="${name}"]`);
  if (!button || button.disabled || button.hidden) return;
  if (name === "pause") return command("pause");
  if (name === "arm" && about.confirm && about.confirm.length) return ask("Type what will move: " + about.confirm.join(", "), "", (typed) => command("arm", { text: typed }));
  if (!TYPED.has(name)) return ask(QUESTIONS[name], null, () => command(name));
  ask(QUESTIONS[name], name === "scale" ? String(status.scale) : "", (typed) => command(name, name === "note" ? { text: typed } : { value: parseFloat(typed) }));
}
for (const button of document.querySelectorAll("[data-do]")) button.onclick = () => press(button.dataset.do);
$("abort").onclick = () => command("abort");
$("key").onclick = () => {
  if (role === "operator") { send({ release: true }); return; }
  ask("Your name:", localStorage.getItem("who") || "", (who) => {
    if (who.trim()) localStorage.setItem("who", who.trim());
    if (sessionStorage.getItem("key")) present(false);
    else ask("Key of the operator:", "", (key) => { sessionStorage.setItem("key", key.trim()); present(false); });
  });
};
$("theme").onclick = () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
function theme(name) {
  document.documentElement.dataset.theme = name;
  localStorage.setItem("theme", name);
  for (const panel of panels) for (const part of panel.parts) if (part.restyle) part.restyle();
  dirty = true;
}
const KEYS = { a: "arm", s: "start", p: "pause", r: "resume", h: "stop", c: "scale", n: "note", g: "seek" };
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { unask(); $("menu").hidden = true; return; }
  if (event.key === "X" && event.shiftKey && !event.ctrlKey && !/INPUT/.test(document.activeElement.tagName)) { if (!$("abort").disabled) command("abort"); return; }
  if (/INPUT|SELECT/.test(document.activeElement.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
  const other = { o: "key", l: "layout", t: "theme", "?": "help" }[event.key];
  if (KEYS[event.key]) { event.preventDefault(); press(KEYS[event.key]); }
  else if (other) { event.preventDefault(); $(other).click(); }
});
$("help").onclick = () => {
  $("menu").hidden = !$("menu").hidden;
  $("menu").replaceChildren(element("p", {}, "a arm · s start · p pause · r resume · h stop and return · c time scale · n note · g go to (playback) · o operator · l panels · t light or dark · Shift+X emergency stop · Esc cancel"));
};

// Alarms stay until somebody has read them.
function happened(list) {
  for (const event of list.filter((e) => e.kind === "alarm")) {
    const line = element("p", {}, element("strong", {}, event.text), " " + event.advice + " ");
    const read = element("button", { type: "button" }, "Read");
    read.onclick = () => line.remove();
    line.append(read);
    $("alarms").append(line);
    while ($("alarms").children.length > 4) $("alarms").firstChild.remove();
  }
  dirty = true;
}

// Panels.
function learn(said) {
  about = said;
  document.title = said.title + " · Interfield console";
  $("title").textContent = said.title + " · " + said.kind;
  build();
  enable();
}
const NAMES = { structure: "Structure", hysteresis: "Hysteresis", tracking: "Command, target, measured", error: "Tracking error", limits: "Limits", cut: "Interface", energy: "Energy error", ground: "Ground motion", timing: "Wake-up and work", compensation: "Compensation", events: "Events and notes", cameras: "Cameras", channels: "Channels" };
function chosen() {
  const all = Object.keys(NAMES);
  const wanted = JSON.parse(sessionStorage.getItem("layout") || "null") || (about.layout && about.layout.panels) || all.filter((p) => p !== "channels" || about.rigs === undefined || about.rigs.length === 0);
  return wanted.filter((p) => all.includes(p));
}
function windowed(name, indices, time) {
  const all = columnsOf(name), t = all[time] || [];
  const end = t[t.length - 1] || 0;
  let from = 0;
  while (from < t.length && t[from] < end - WINDOW) from += 1;
  const part = (c) => (all[c] || []).slice(from);
  // Where time goes back (a playback that was moved) the curve begins anew.
  const times = part(time);
  let start = 0;
  for (let i = 1; i < times.length; i++) if (times[i] < times[i - 1]) start = i;
  return [times.slice(start), ...indices.map((c) => part(c).slice(start))];
}
function build() {
  panels = [];
  $("panels").replaceChildren();
  const add = (kind, title, wide) => {
    const box = element("section", { class: "panel" + (wide ? " wide" : ""), "data-panel": kind }, element("h2", {}, title));
    $("panels").append(box);
    const panel = { kind, box, parts: [] };
    panels.push(panel);
    return panel;
  };
  const each = (make) => { for (const rig of about.rigs || []) for (const a of rig.actuators) make(rig, a, about.rigs.length > 1 || rig.actuators.length > 1 ? rig.name + " " + a.name : rig.name); };
  const makers = {
    structure() {
      if (!about.structure || !about.structure.edges.length) return;
      const p = add("structure", "Structure"), canvas = element("canvas"), note = element("small");
      p.box.append(canvas, note);
      p.parts.push(structurePlot(canvas, note, about.structure, () => columnsOf("shape").slice(1).map((c) => c[c.length - 1])));
    },
    hysteresis() {
      each((rig, a, name) => {
        const p = add("hysteresis", "Hysteresis of " + name), canvas = element("canvas");
        p.box.append(canvas);
        p.parts.push(loopPlot(canvas, ["measured [" + a.length + "]", "force [" + a.force + "]"], () => { const c = columnsOf(rig.topic); return [(c[a.column + 3] || []).slice(-ROWS), (c[a.column + 4] || []).slice(-ROWS)]; }));
      });
    },
    tracking() {
      each((rig, a, name) => {
        const p = add("tracking", "Target, command, measured: " + name);
        p.parts.push(timePlot(p.box, a.length, ["target", "command", "measured"], () => windowed(rig.topic, [a.column, a.column + 2, a.column + 3], rig.time)));
      });
    },
    error() {
      each((rig, a, name) => {
        const p = add("error", "Tracking error of " + name);
        p.parts.push(timePlot(p.box, a.length, ["error"], () => windowed(rig.topic, [a.column + 5], rig.time), 8));
      });
    },
    limits() {
      for (const rig of about.rigs || []) {
        if (!rig.bars.length) continue;
        const p = add("limits", "Limits of " + rig.name), bars = element("div", { class: "bars" });
        p.box.append(bars);
        p.parts.push(limitBars(bars, rig.bars, last));
      }
    },
    cut() {
      for (const [name, list] of Object.entries(about.cut || {})) {
        if (!list.length || name === "energy") continue;
        const p = add("cut", { gap: "Gap at the interface", force: "Interface force (multiplier)" }[name] || name);
        p.parts.push(timePlot(p.box, list[0].unit, list.map((c) => c.name), () => windowed("run", list.map((c) => indexOf("run", c.name)), indexOf("run", "t")), 8));
      }
    },
    energy() {
      const list = (about.cut && about.cut.energy) || [];
      if (!list.length) return;
      const p = add("energy", "Energy error");
      p.parts.push(timePlot(p.box, list[0].unit, list.map((c) => c.name), () => windowed("run", list.map((c) => indexOf("run", c.name)), indexOf("run", "t")), 8));
    },
    ground() {
      if (!about.ground) return;
      const p = add("ground", "Ground motion", true), canvas = element("canvas");
      p.box.append(canvas);
      p.parts.push(groundPlot(canvas, about.ground, () => (status ? status.t : 0)));
    },
    timing() {
      (about.rigs || []).forEach((rig) => {
        for (const [kind, title] of [["wake", "Wake-up of "], ["work", "Work of "]]) {
          const p = add("timing", title + rig.name), canvas = element("canvas"), figures = element("small");
          p.box.append(canvas, figures);
          p.parts.push(histogramPlot(canvas, figures, () => { const found = status && status.rigs.find((r) => r.name === rig.name); return found && found[kind]; }));
        }
      });
    },
    compensation() {
      each((rig, a, name) => {
        if (!a.adapts.length) return;
        const p = add("compensation", "Compensation of " + name), list = element("dl", { class: "figures" });
        p.parts.push(timePlot(p.box, a.adapts[1] || a.adapts[0], [a.adapts[1] || a.adapts[0]], () => windowed(rig.topic, [a.adapted + (a.adapts.length > 1 ? 1 : 0)], rig.time), 7));
        const values = a.adapts.map((n) => { const dd = element("dd"); list.append(element("dt", {}, n), dd); return dd; });
        p.box.append(list);
        p.parts.push({ draw() { values.forEach((dd, i) => { dd.textContent = number(last(rig.topic, a.adapted + i)); }); } });
      });
    },
    events() {
      const p = add("events", "Events and notes"), list = element("ol", { class: "events" });
      p.box.append(list);
      let count = -1;
      p.parts.push({ draw() {
        if (events.length === count) return;
        count = events.length;
        const line = (e) => element("li", {}, element("time", {}, number(e.t, 5) + " s"), element("span", { class: e.kind }, e.text, element("small", {}, (e.who ? " – " + e.who : "") + " – " + new Date(e.stamp).toLocaleTimeString() + (e.advice ? " – " + e.advice : ""))));
        list.replaceChildren(...events.slice(-200).reverse().map(line));
      } });
    },
    cameras() {
      (about.cameras || []).forEach((name, i) => {
        const p = add("cameras", "Camera " + name), image = element("img", { alt: "camera " + name });
        p.box.append(image);
        let next = 0;
        p.parts.push({ draw() { if (performance.now() > next) { next = performance.now() + 500; image.src = "/camera/" + i + "?" + Date.now(); } } });
      });
    },
    channels() {
      if (topicOf("run") < 0) return;
      const topic = about.topics[topicOf("run")], units = new Map();
      topic.columns.forEach((c, i) => { if (!["step", "t"].includes(c.name)) units.set(c.unit, [...(units.get(c.unit) || []), i]); });
      for (const [unit, list] of units) {
        const few = list.slice(0, 4), p = add("channels", few.map((c) => topic.columns[c].name).join(", "));
        p.parts.push(timePlot(p.box, unit, few.map((c) => topic.columns[c].name), () => windowed("run", few, indexOf("run", "t")), 8));
      }
    },
  };
  for (const kind of chosen()) makers[kind]();
  dirty = true;
}
$("layout").onclick = () => {
  if (!$("menu").hidden) { $("menu").hidden = true; return; }
  if (!about) return;
  $("menu").hidden = false;
  const shown = chosen(), all = [...shown, ...Object.keys(NAMES).filter((p) => !shown.includes(p))];
  const list = element("ol");
  const keep = () => { sessionStorage.setItem("layout", JSON.stringify([...list.children].filter((li) => li.querySelector("input").checked).map((li) => li.dataset.panel))); build(); };
  for (const kind of all) {
    const box = element("input", { type: "checkbox", id: "show-" + kind });
    box.checked = shown.includes(kind);
    box.onchange = keep;
    const up = element("button", { type: "button", "aria-label": "move " + NAMES[kind] + " up" }, "↑"), down = element("button", { type: "button", "aria-label": "move " + NAMES[kind] + " down" }, "↓");
    const li = element("li", { "data-panel": kind }, box, element("label", { for: "show-" + kind }, NAMES[kind]), up, down);
    up.onclick = () => { if (li.previousSibling) li.after(li.previousSibling); keep(); up.focus(); };
    down.onclick = () => { if (li.nextSibling) li.before(li.nextSibling); keep(); down.focus(); };
    list.append(li);
  }
  const save = element("button", { type: "button", id: "save" }, "Save with the model"), reset = element("button", { type: "button" }, "As in the model");
  save.onclick = () => { const id = ++ids; waiting.set(id, "layout"); send({ layout: { panels: chosen() }, id }); };
  reset.onclick = () => { sessionStorage.removeItem("layout"); build(); $("menu").hidden = true; };
  $("menu").replaceChildren(list, save, " ", reset);
};

// Drawn at most fifteen times a second, and only what is on the screen.
let dirty = false, drawn = 0;
function frame(now) {
  // Before anything is drawn: one panel that fails does not stop the others.
  requestAnimationFrame(frame);
  if (dirty && now - drawn > 60) {
    dirty = false; drawn = now;
    const seen = window.innerHeight + 200;
    for (const panel of panels) {
      const place = panel.box.getBoundingClientRect();
      if (place.bottom < -200 || place.top > seen) continue;
      for (const part of panel.parts) {
        try { part.draw(); } catch (error) { console.error(panel.kind + ": " + error.stack); }
      }
    }
  }
}
window.addEventListener("resize", () => { dirty = true; });
window.addEventListener("scroll", () => { dirty = true; });
document.documentElement.dataset.theme = localStorage.getItem("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
requestAnimationFrame(frame);
enable();
connect();
