// The console: one connection, what came over it, and commands. Nothing is shown that the loop has not said. All ages are measured with clocks
// that only go forward, of the program and of the browser: what the browser takes for the time of day does not matter.
"use strict";
const $ = (id) => document.getElementById(id);
const ROWS = 8000, PAST = 4000, NEWEST = 3000, WINDOW = 20, EVENTS = 2000;
let about = null, status = null, socket = null, offset = null, best = Infinity, lastClock = 0, since = null, caughtUp = false, store = [], past = [], panels = [], events = [], asked = null, ids = 0, retry = 250, role = "viewer", hasKey = false, taking = false;
const waiting = new Map();
window.console_latency = [];

const hash = new URLSearchParams(location.hash.slice(1));
if (hash.get("key")) sessionStorage.setItem("key", hash.get("key"));
// Pictures are asked for with a cookie. Cookies know no ports, and there may be several consoles: the port is in its name.
const pictured = (key) => { document.cookie = "view" + location.port + "=" + key + "; SameSite=Strict; path=/"; };
if (hash.get("view")) { sessionStorage.setItem("view", hash.get("view")); pictured(hash.get("view")); }
if (location.hash) history.replaceState(null, "", location.pathname);

function connect() {
  socket = new WebSocket((location.protocol === "https:" ? "wss://" : "ws://") + location.host + "/live");
  socket.binaryType = "arraybuffer";
  let shown = 0;
  socket.onopen = () => {
    retry = 250;
    store = []; past = []; events = []; unread = []; about = null; offset = null; best = Infinity; lastClock = 0; since = null; caughtUp = false;
    waiting.clear();
    if (sessionStorage.getItem("view")) send({ view: sessionStorage.getItem("view") });
    if (sessionStorage.getItem("key")) present(false);
    ping();
  };
  socket.onmessage = (message) => {
    if (typeof message.data !== "string") { rows(new Float64Array(message.data)); shown += 1; send({ ack: shown }); return; }
    const said = JSON.parse(message.data);
    if (said.about) learn(said.about);
    if (said.status) { tell(said.status); shown += 1; send({ ack: shown }); }
    if (said.events) { events.push(...said.events); events.splice(0, events.length - EVENTS); happened(said.events); }
    if (said.pong !== undefined) {
      const now = performance.now(), round = now - said.pong;
      // The best round trip counts, and that less and less: the network may have changed.
      best += 1;
      if (round <= best + 5) { best = Math.min(best, round); offset = now - round / 2 - said.clock; }
    }
    if (said.answer) answered(said.answer);
    if (said.desk) {
      role = said.desk; hasKey = said.key === true;
      if (said.view) pictured(said.view);
      if (!hasKey) sessionStorage.removeItem("key");
      say(said.why || (role === "operator" ? "You command this test." : "You only look."), !said.why);
      if (said.why && hasKey) { ask("Take over the desk?", null, () => present(true)); taking = true; }
      enable();
    }
    if (said.refused) say(said.refused, false);
  };
  socket.onclose = () => {
    role = "viewer"; enable();
    for (const name of waiting.values()) say(name + ": no answer, the connection was lost. Look at the state of the test.", false);
    waiting.clear();
    if (status && status.over) { say("The console has ended; what is shown is the end of the test.", true); return; }
    retry = Math.min(5000, retry * 1.6);
    setTimeout(connect, retry);
  };
}
const send = (message) => { if (socket && socket.readyState === 1) socket.send(JSON.stringify(message)); };
const ping = () => send({ ping: performance.now() });
setInterval(ping, 1000);

function present(take) {
  send({ key: sessionStorage.getItem("key"), who: localStorage.getItem("who") || "operator", take });
}

// Rows of all topics: [number, clock, clock when the rings were empty before, (topic, columns, rows, values...)...]. A connection begins with
// number 0: the whole test so far, evenly thinned, with how many rows each stands for behind their count.
function rows(all) {
  if (all[0] === 0) {
    for (let at = 3; at < all.length; at += 4 + all[at + 1] * all[at + 2]) {
      past[all[at]] = { stride: all[at + 3], skipped: 0, columns: Array.from({ length: all[at + 1] }, () => []) };
      append(past[all[at]].columns, all, at + 4, all[at + 2]);
    }
    return;
  }
  lastClock = Math.max(lastClock, all[1]);
  // No sample of these rows is older than that: the longest that any of them can have been under way, until it is drawn. The first rows of a
  // connection are what happened before it, and are in its past.
  if (since === null && caughtUp) since = all[2];
  for (let at = 3; at < all.length; at += 3 + all[at + 1] * all[at + 2]) {
    const [topic, n, count] = [all[at], all[at + 1], all[at + 2]];
    // Of a shape only the newest is drawn, and one may have thousands of columns.
    if (about && !about.topics[topic].open) { store[topic] = Array.from({ length: n }, (_, c) => [all[at + 3 + (count - 1) * n + c]]); continue; }
    const own = store[topic] || (store[topic] = Array.from({ length: n }, () => []));
    const old = past[topic] || (past[topic] = { stride: 1, skipped: 0, columns: Array.from({ length: n }, () => []) });
    // A playback that was moved back: what comes later in the test has not been yet.
    const time = about ? about.topics[topic].time : 0, t = all[at + 3 + time];
    for (const list of [own, old.columns]) forget(list, time, t);
    append(own, all, at + 3, count);
    if (own[0].length > 1.25 * ROWS) for (const column of own) column.splice(0, column.length - ROWS);
    if (caughtUp) remember(old, all, at + 3, count);
  }
  caughtUp = true;
  dirty = true;
}
function append(columns, all, at, count) {
  const n = columns.length;
  for (let r = 0; r < count; r++) for (let c = 0; c < n; c++) columns[c].push(all[at + r * n + c]);
}
function forget(columns, time, t) {
  let n = columns[time].length;
  while (n > 0 && columns[time][n - 1] > t) n -= 1;
  if (n < columns[time].length) for (const column of columns) column.length = n;
}
function remember(old, all, at, count) {
  const n = old.columns.length;
  for (let r = 0; r < count; r++) {
    if (++old.skipped < old.stride) continue;
    old.skipped = 0;
    append(old.columns, all, at + r * n, 1);
    if (old.columns[0].length < PAST) continue;
    old.columns = old.columns.map((column) => column.filter((_, i) => i % 2 === 1));
    old.stride *= 2;
  }
}
// Columns of the whole test, the newest part of them as it came.
function whole(name, indices, time) {
  const own = columnsOf(name), old = (past[topicOf(name)] || { columns: [] }).columns, t = own[time] || [], from = Math.max(0, t.length - NEWEST);
  let before = (old[time] || []).length;
  while (before > 0 && t.length && !(old[time][before - 1] < t[from])) before -= 1;
  return indices.map((c) => (old[c] || []).slice(0, before).concat((own[c] || []).slice(from)));
}
const topicOf = (name) => about ? about.topics.findIndex((t) => t.name === name) : -1;
const columnsOf = (name) => store[topicOf(name)] || [];
const last = (name, column) => { const c = columnsOf(name)[column]; return c && c[c.length - 1]; };
// Topics come with the loop: before it there are none.
const indexOf = (name, column) => { const topic = about && about.topics[topicOf(name)]; return topic ? topic.columns.findIndex((c) => c.name === column) : -1; };
const clocked = (s) => s >= 3600 ? Math.floor(s / 3600) + " h " + Math.floor(s % 3600 / 60) + " min" : s >= 60 ? Math.floor(s / 60) + " min " + Math.floor(s % 60) + " s" : s.toFixed(1) + " s";

function tell(said) {
  status = said;
  lastClock = Math.max(lastClock, said.clock);
  document.body.dataset.level = said.level || "quiet";
  $("word").textContent = said.word || "no test";
  $("detail").textContent = said.detail || "";
  const duration = about && about.duration;
  $("t").textContent = (said.t || 0).toFixed(2) + " s";
  $("progress").style.width = duration ? Math.min(100, 100 * said.t / duration) + "%" : "0";
  const steps = about && about.steps, step = topicOf("run") >= 0 ? last("run", indexOf("run", "step")) : undefined;
  $("step").replaceChildren(step === undefined ? "–" : String(step), steps ? element("small", {}, " of " + steps) : "");
  $("scale").textContent = said.scale > 0 ? number(said.scale, 3) : "free";
  const left = duration ? Math.max(0, duration - said.t) * (said.scale || 0) : NaN;
  $("left").textContent = said.scale > 0 && !said.over && Number.isFinite(left) ? clocked(left) : "–";
  const sum = (column) => said.rigs.reduce((all, r) => all + (r.head[column] || 0), 0), late = sum(9), missed = sum(13);
  // A recording does not hold these counts.
  const counted = said.rigs.length > 0 && !(about && about.kind === "playback");
  $("late").textContent = counted ? String(late + missed) : "–";
  $("late").title = late + " samples without a target in time, " + missed + " periods missed";
  $("late").className = late + missed > 0 ? "deviates" : "";
  $("counts").textContent = [said.viewers + (said.viewers === 1 ? " viewer" : " viewers"), said.holder ? said.holder + " commands" : "nobody commands", ...(counted ? [late + " late samples", missed + " missed periods"] : []), said.dropped + " rows not shown", said.refused + " messages refused"].join(" · ");
  // Whoever commanded has left while it was asked whether to take over; perhaps that was this page, before it was loaded again.
  if (taking && !said.holder) { unask(); present(false); }
  $("who").textContent = role === "operator" ? "operator: " + (localStorage.getItem("who") || "operator") : "viewer";
  enable();
  dirty = true;
}

// How old what is shown is; said aloud from one second on. A connection that is well says nothing of a loop that stands: while a test runs, the age
// is that of its last row. At a slow time scale a step takes its time.
const age = () => lastClock && offset !== null ? Math.max(0, performance.now() - offset - lastClock) / 1000 : NaN;
function judge() {
  // What is shown cannot be younger than now: this machine slept, and its clock stood. It is compared anew.
  if (offset !== null && performance.now() - offset - lastClock < -250) { offset = null; best = Infinity; ping(); }
  const old = age(), ended = status && status.over, runs = status && about && about.kind !== "playback" && (status.can || []).includes("pause");
  const silent = runs ? (status.silent || 0) + (old || 0) : 0, lost = !(old <= 1) || !socket || socket.readyState !== 1;
  const stands = silent > Math.max(1, 2 * (about && about.dt || 0) * (status && status.scale || 0)), stale = !ended && (lost || stands);
  const most = Math.max(old || 0, stands ? silent : 0);
  $("age").textContent = Number.isFinite(old) && !ended ? most.toFixed(most < 10 ? 1 : 0) + " s" : "–";
  $("age").className = stale ? "deviates" : "";
  $("old").hidden = !stale || !status;
  $("old").textContent = lost ? "What is shown is " + (Number.isFinite(old) ? clocked(old) + " old" : "old") + ". What the test does now is unknown here: look at the laboratory."
    : "The test has shown nothing new for " + clocked(silent) + ": a step takes long, or it stands. Look at the laboratory.";
  document.body.classList.toggle("stale", stale && !!status);
}
setInterval(judge, 200);

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
  const connected = socket && socket.readyState === 1;
  const plays = about && about.kind === "playback";
  $("abort").disabled = !hasKey || !connected || plays;
  $("abort").textContent = plays ? "Playback: nothing moves" : !connected ? "Not connected: use the emergency stop of the laboratory" : hasKey ? "EMERGENCY STOP" : "EMERGENCY STOP: needs the operator's key";
}
function ask(question, value, yes) {
  asked = yes; taking = false;
  $("question").textContent = question;
  $("typed").hidden = value === null;
  $("typed").value = value || "";
  $("ask").hidden = false;
  (value === null ? $("ask").querySelector("button") : $("typed")).focus();
}
// What is hidden must not keep the keys for itself.
function unask() { asked = null; taking = false; $("ask").hidden = true; $("typed").blur(); }
$("ask").onsubmit = (event) => { event.preventDefault(); const yes = asked, typed = $("typed").value; unask(); if (yes && !late(event)) yes(typed); };
$("no").onclick = unask;
// What was pressed while the tab was frozen, or waited on the way, is not obeyed later: `seen` is the age of what the operator saw. An emergency
// stop and a note are taken whenever they come.
function command(name, extra = {}) {
  if (!socket || socket.readyState !== 1) {
    say(name === "abort" ? "NOT SENT: the console is not connected. Use the emergency stop of the laboratory." : name + ": not sent, the console is not connected", false);
    return;
  }
  const id = ++ids;
  waiting.set(id, name);
  say(name + " …", true);
  send({ do: name, id, seen: status ? status.clock : 0, ...extra });
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
const late = (event) => { const old = performance.now() - event.timeStamp > 1000; if (old) say("Pressed more than a second ago, while this page stood still: not sent.", false); return old; };
for (const button of document.querySelectorAll("[data-do]")) button.onclick = (event) => { if (!late(event)) press(button.dataset.do); };
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
  $("theme").firstChild.data = (name === "dark" ? "Light" : "Dark") + " ";
  restyled();
  for (const panel of panels) for (const part of panel.parts) if (part.restyle) part.restyle();
  dirty = true;
}
const KEYS = { a: "arm", s: "start", p: "pause", r: "resume", h: "stop", c: "scale", n: "note", g: "seek" };
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { unask(); $("menu").hidden = true; return; }
  if (event.key === "X" && event.shiftKey && !event.ctrlKey && !/INPUT/.test(document.activeElement.tagName)) { if (!$("abort").disabled) command("abort"); return; }
  if (/INPUT|SELECT/.test(document.activeElement.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
  const other = { o: "key", l: "layout", t: "theme", "?": "help" }[event.key];
  if (event.key === "m") { const first = $("alarms").querySelector("button"); if (first) first.click(); return; }
  if (KEYS[event.key]) { event.preventDefault(); if (!late(event)) press(KEYS[event.key]); }
  else if (other) { event.preventDefault(); $(other).click(); }
});
$("help").onclick = () => {
  $("menu").hidden = !$("menu").hidden;
  const keys = [["a", "arm"], ["s", "start"], ["p", "pause"], ["r", "resume"], ["h", "stop, return to the start position"], ["c", "time scale"], ["n", "note"], ["m", "first alarm: read"], ["g", "go to a time (playback)"], ["Shift+X", "emergency stop"], ["o", "operator"], ["l", "panels"], ["t", "light or dark"], ["?", "keys"], ["Esc", "cancel"]];
  $("menu").replaceChildren(element("dl", {}, ...keys.map(([key, what]) => element("div", {}, element("dt", {}, element("kbd", {}, key)), element("dd", {}, what)))));
};

// Alarms stay until somebody has read them. The first one is the cause more often than the last one: both stay on the page, also in a flood.
let unread = [];
function happened(list) {
  for (const event of list.filter((e) => e.kind === "alarm")) {
    const known = unread.find((alarm) => alarm.text === event.text);
    if (known) { known.times += 1; known.t = event.t; } else unread.push({ ...event, times: 1 });
  }
  showAlarms();
  dirty = true;
}
function showAlarms() {
  const shown = unread.length > 4 ? [unread[0], null, ...unread.slice(-2)] : unread;
  $("alarms").replaceChildren(...shown.map((alarm) => {
    const read = element("button", { type: "button" });
    if (!alarm) {
      read.append("Read all of these");
      read.onclick = () => { unread.splice(1, unread.length - 3); showAlarms(); };
      return element("p", { class: "more" }, element("span", {}, (unread.length - 3) + " more alarms are not read; they stand in the list of events"), read);
    }
    read.setAttribute("aria-label", "I have read this alarm");
    read.append("Read ", alarm === unread[0] ? element("kbd", {}, "m") : "");
    read.onclick = () => { unread = unread.filter((a) => a !== alarm); showAlarms(); };
    const times = alarm.times > 1 ? ", " + alarm.times + " times" : "";
    return element("p", {}, element("time", {}, alarm.t.toFixed(2) + " s" + times), element("span", {}, element("strong", {}, alarm.text), " " + alarm.advice), read);
  }));
}
// Panels.
function learn(said) {
  about = said;
  // Topics may have been replaced by those of the next test.
  past.forEach((old, topic) => { if (about.topics[topic] && old.columns.length !== about.topics[topic].columns.length) delete past[topic]; });
  document.title = said.title + " · Interfield console";
  $("title").textContent = said.title + " · " + said.kind;
  if (status) tell(status);
  build();
  enable();
}
const NAMES = { structure: "Structure", hysteresis: "Hysteresis", tracking: "Command, target, measured", limits: "Limits", updating: "Identified parameters", error: "Tracking error", events: "Events and notes", ground: "Ground motion", cut: "Interface", energy: "Energy error", timing: "Wake-up and work", compensation: "Compensation", cameras: "Cameras", channels: "Channels" };
function chosen() {
  const all = Object.keys(NAMES);
  const saved = about.layout && Array.isArray(about.layout.panels) ? about.layout.panels : null;
  const wanted = JSON.parse(sessionStorage.getItem("layout") || "null") || saved || all.filter((p) => p !== "channels" || !about.rigs || about.rigs.length === 0);
  return wanted.filter((p) => all.includes(p));
}
function arrange(list) { sessionStorage.setItem("layout", JSON.stringify(list)); build(); }
// The latest part of some columns. Where time goes back (a playback that was moved) the curve begins anew.
function windowed(name, indices, time) {
  const all = columnsOf(name), t = all[time] || [], end = t[t.length - 1];
  let from = t.length;
  while (from > 0 && t[from - 1] >= end - WINDOW && !(t[from - 1] > t[from])) from -= 1;
  return [time, ...indices].map((c) => (all[c] || []).slice(from));
}
let dragged = null;
function build() {
  panels = [];
  $("panels").replaceChildren();
  const add = (kind, title, wide) => {
    const name = element("span", {}, title), read = element("output"), heading = element("h2", { draggable: "true" }, name, read);
    const box = element("section", { class: "panel" + (wide ? " wide" : ""), "data-panel": kind }, heading);
    $("panels").append(box);
    heading.ondragstart = () => { dragged = kind; };
    box.ondragover = (event) => { if (dragged && dragged !== kind) { event.preventDefault(); box.classList.add("over"); } };
    box.ondragleave = () => box.classList.remove("over");
    box.ondrop = (event) => { event.preventDefault(); const list = chosen().filter((p) => p !== dragged); list.splice(list.indexOf(kind), 0, dragged); dragged = null; arrange(list); };
    const panel = { kind, box, name, read, parts: [] };
    panels.push(panel);
    return panel;
  };
  const each = (make) => { for (const rig of about.rigs || []) for (const a of rig.actuators) make(rig, a, about.rigs.length > 1 || rig.actuators.length > 1 ? " of " + rig.name + " " + a.name : ""); };
  // A name only where there is another one.
  const ofRig = (rig) => (about.rigs.length > 1 ? " of " + rig.name : "");
  const overTime = (kind, title, list, topic = "run") => {
    const p = add(kind, title);
    p.parts.push(timePlot(p, list[0].unit, list.map((c) => c.name), () => windowed(topic, list.map((c) => indexOf(topic, c.name)), indexOf(topic, "t"))));
    return p;
  };
  // As the model records it; else as the loop sees it.
  const atCut = (kind, panel, recorded, live) => {
    const [own, seen] = [about.cut, about.live_cut].map((c) => (c && c[kind]) || []);
    if (own.length) overTime(panel, recorded, own);
    else if (seen.length) overTime(panel, live, seen, about.live_cut.topic);
  };
  const makers = {
    structure() {
      if (!about.structure || !about.structure.edges.length) return;
      const p = add("structure", "Structure");
      p.parts.push(structurePlot(p, about.structure, () => columnsOf("shape").slice(1).map((c) => c[c.length - 1]), about.unrecorded));
    },
    hysteresis() {
      each((rig, a, name) => {
        const p = add("hysteresis", "Hysteresis" + name);
        p.parts.push(loopPlot(p, ["measured", "force"], [a.length, a.force], () => whole(rig.topic, [a.column + 3, a.column + 4], rig.time)));
      });
    },
    tracking() {
      each((rig, a, name) => {
        const p = add("tracking", "Displacement" + name, true);
        p.parts.push(timePlot(p, a.length, ["target", "command", "measured"], () => windowed(rig.topic, [a.column, a.column + 2, a.column + 3], rig.time), FOLLOWED));
      });
    },
    error() {
      each((rig, a, name) => {
        const p = add("error", "Tracking error" + name);
        p.parts.push(timePlot(p, a.length, ["error"], () => windowed(rig.topic, [a.column + 5], rig.time)));
      });
    },
    limits() {
      for (const rig of about.rigs || []) {
        if (!rig.bars.length) continue;
        const p = add("limits", "Limits" + ofRig(rig));
        p.parts.push(limitBars(p, rig.bars, last));
      }
    },
    cut() {
      for (const [kind, title] of [["gap", "Interface gap"], ["force", "Interface force λ"]]) atCut(kind, "cut", title, title);
    },
    energy() {
      atCut("energy", "energy", "Energy error", "Net work of the interface");
    },
    ground() {
      if (!about.ground) return;
      const p = add("ground", "Ground motion", true);
      p.parts.push(groundPlot(p, about.ground, () => (status ? status.t : 0)));
    },
    timing() {
      // Where no clock drives the rigs there is nothing to keep.
      if (!about.clocked) return;
      for (const rig of about.rigs || []) {
        const p = add("timing", "Wake-up and work" + ofRig(rig)), of = (kind) => () => { const found = status && status.rigs.find((r) => r.name === rig.name); return found && found[kind]; };
        p.parts.push(histogramPlot(p, "wake-up", of("wake")), histogramPlot(p, "work", of("work")));
      }
    },
    compensation() {
      each((rig, a, name) => {
        if (!a.adapts.length) return;
        const p = add("compensation", "Compensation" + name);
        const rows = a.adapts.map((n, i) => ({ name: n.replace(/ \[.*/, ""), unit: (n.match(/\[(.*)\]/) || ["", ""])[1], columns: [a.adapted + i] }));
        p.parts.push(strips(p, rows, (columns) => whole(rig.topic, [rig.time, ...columns], rig.time)));
      });
    },
    updating() {
      for (const update of about.updates || []) {
        const p = add("updating", "Identified online: " + update.name), column = (name) => indexOf("run", update.name + "." + name);
        const rows = update.parameters.map(({ name, unit }) => ({ name, unit, columns: ["", ".low", ".high"].map((bound) => column(name + bound)) }));
        p.box.classList.toggle("tall", rows.length > 3);
        p.parts.push(strips(p, rows, (columns) => whole("run", [indexOf("run", "t"), ...columns], indexOf("run", "t")), about.duration));
        p.parts.push(tankBar(p, update, (name) => last("run", column(name))));
      }
    },
    events() {
      const p = add("events", "Events and notes");
      p.parts.push(eventList(p, () => events, () => about.duration, () => (status ? status.t : 0), about.kind === "playback"));
    },
    cameras() {
      (about.cameras || []).forEach((name, i) => {
        const p = add("cameras", "Camera " + (name.replace(/\/+$/, "").split("/").pop() || name)), image = element("img", { alt: "" }), none = element("span", { class: "empty" }, "no picture yet");
        p.name.title = name;
        image.hidden = true;
        image.onload = () => { image.hidden = false; none.hidden = true; };
        p.box.append(element("div", { class: "body" }, none, image));
        let known = null;
        p.parts.push({ draw() {
          const picture = status && status.pictures && status.pictures[i];
          if (!picture) return;
          if (picture.clock !== known) { known = picture.clock; image.alt = "camera " + name; image.src = "/camera/" + i + "?" + known; }
          p.read.textContent = "at " + picture.t.toFixed(2) + " s" + (about.kind === "playback" ? "" : ", " + clocked(Math.max(0, status.clock - picture.clock) / 1000) + " old");
        } });
      });
    },
    channels() {
      if (topicOf("run") < 0) return;
      const units = new Map();
      about.topics[topicOf("run")].columns.forEach((c) => { if (!["step", "t"].includes(c.name)) units.set(c.unit, [...(units.get(c.unit) || []), c]); });
      for (const [unit, list] of units) {
        const pages = Math.ceil(list.length / CURVES.length), key = "page " + unit, page = Math.min(pages - 1, Number(sessionStorage.getItem(key)) || 0);
        const p = overTime("channels", list.length > 1 ? "Channels" : list[0].name, list.slice(page * CURVES.length, (page + 1) * CURVES.length));
        if (pages < 2) continue;
        const turn = (by, sign, words) => {
          const button = element("button", { type: "button", class: "turn", "aria-label": words }, sign);
          button.onclick = () => { sessionStorage.setItem(key, (page + by + pages) % pages); const at = window.scrollY; build(); window.scrollTo(0, at); };
          return button;
        };
        p.name.append(" ", turn(-1, "‹", "channels before these"), element("small", {}, ` ${page * CURVES.length + 1} to ${Math.min(list.length, (page + 1) * CURVES.length)} of ${list.length} `), turn(1, "›", "next channels"));
      }
    },
  };
  for (const kind of chosen()) makers[kind]();
  pack();
  dirty = true;
}

// Panels stand in a grid without holes: as many columns as show all of them at once with the fewest empty cells, then whoever has room beside or
// below takes it.
const NARROWEST = 19.6, WIDEST = 26, LOWEST = 15.5, GAP = 0.6;
function pack() {
  const place = $("panels"), unit = em(), width = place.clientWidth / unit - 1.6 + GAP, height = (window.innerHeight - place.offsetTop - $("footer").offsetHeight) / unit;
  const most = Math.max(1, Math.floor(width / (NARROWEST + GAP))), least = Math.max(1, Math.min(most, Math.floor(width / (WIDEST + GAP))));
  let best = null;
  for (let columns = least; columns <= most; columns++) {
    const grid = placed(columns), fits = grid.rows * (LOWEST + GAP) <= height;
    // Where all cannot be seen at once, as much as possible is.
    if (!best || fits > best.fits || (fits === best.fits && (fits ? grid.holes < best.holes : grid.rows < best.rows))) best = { ...grid, columns, fits };
  }
  place.style.gridTemplateColumns = `repeat(${best.columns}, minmax(0, 1fr))`;
  panels.forEach((panel, i) => {
    const p = best.list[i];
    panel.box.style.gridArea = `${p.y + 1} / ${p.x + 1} / span ${p.h} / span ${p.w}`;
  });
}
function placed(columns) {
  const cells = [], taken = (x, y) => cells[y] && cells[y][x];
  const free = (x, y, w, h) => { for (let j = y; j < y + h; j++) for (let i = x; i < x + w; i++) if (i >= columns || taken(i, j)) return false; return true; };
  const take = (p) => { for (let j = p.y; j < p.y + p.h; j++) for (let i = p.x; i < p.x + p.w; i++) (cells[j] = cells[j] || [])[i] = true; };
  const list = panels.map(({ box }) => {
    const w = columns > 1 && box.classList.contains("wide") ? 2 : 1, h = box.classList.contains("tall") ? 2 : 1;
    for (let y = 0; ; y++) for (let x = 0; x + w <= columns; x++) if (free(x, y, w, h)) { const p = { x, y, w, h }; take(p); return p; }
  });
  const rows = cells.length, holes = rows * columns - list.reduce((sum, p) => sum + p.w * p.h, 0);
  // In turns, so that one does not take it all; bars need room least.
  const order = panels.map((panel, i) => [list[i], panel.kind]).sort((a, b) => (a[1] === "limits") - (b[1] === "limits"));
  for (let grown = true; grown;) {
    grown = false;
    for (const [p] of order) {
      const right = free(p.x + p.w, p.y, 1, p.h), below = !right && p.y + p.h < rows && free(p.x, p.y + p.h, p.w, 1);
      if (!right && !below) continue;
      if (right) p.w += 1; else p.h += 1;
      take(p);
      grown = true;
    }
  }
  return { list, rows, holes };
}
$("layout").onclick = () => {
  if (!$("menu").hidden) { $("menu").hidden = true; return; }
  if (!about) return;
  $("menu").hidden = false;
  const shown = chosen(), all = [...shown, ...Object.keys(NAMES).filter((p) => !shown.includes(p))];
  const list = element("ol");
  const keep = () => arrange([...list.children].filter((li) => li.querySelector("input").checked).map((li) => li.dataset.panel));
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

// Drawn at most thirty times a second, and only what is on the screen; on a slow machine less often, so that clicks are never late.
let dirty = false, drawn = 0, cost = 0;
function frame(now) {
  // Before anything is drawn: one panel that fails does not stop the others.
  requestAnimationFrame(frame);
  if (!dirty || now - drawn < Math.max(30, 2 * cost)) return;
  dirty = false; drawn = now;
  const begun = performance.now(), seen = window.innerHeight + 100, oldest = since;
  since = null;
  for (const panel of panels) {
    const place = panel.box.getBoundingClientRect();
    if (place.bottom < -100 || place.top > seen) continue;
    for (const part of panel.parts) {
      try { part.draw(); } catch (error) { console.error(panel.kind + ": " + error.stack); }
    }
  }
  cost = 0.8 * cost + 0.2 * (performance.now() - begun);
  if (oldest === null || offset === null) return;
  // Until the next frame what was drawn is on the screen.
  requestAnimationFrame(() => { window.console_latency.push(performance.now() - offset - oldest); if (window.console_latency.length > 4000) window.console_latency.shift(); });
}
// Sizes of letters are those of the panels when they were made.
window.addEventListener("resize", () => { const before = em(); restyled(); if (about) { if (em() !== before) build(); else pack(); } dirty = true; });
window.addEventListener("scroll", () => { dirty = true; });
const wished = localStorage.getItem("theme");
if (wished) theme(wished); else { theme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"); localStorage.removeItem("theme"); }
requestAnimationFrame(frame);
enable();
connect();
