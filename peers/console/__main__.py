"""The operator's console in a real browser: a test is armed, started, paused, noted, resumed and finished from the page; another one is stopped in an
emergency; one identifies a law; a finished one is played back. Prints what was found as JSON; pictures of the page go to a folder.

Usage: python peers/console PROGRAM MODEL FOLDER CHROMIUM [--latency]: everything, or only how long a sample takes to the screen
"""

import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.request

from driver import Browser

ENTER = "\ue007"


class Run:
    """A program with a console, and what it says."""

    all = []

    def __init__(self, *command):
        Run.all.append(self)
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines, pages = [], {}
        for line in self.process.stderr:
            self.lines.append(line)
            found = re.search(r"console (for viewers|to command): +(\S+)", line)
            if found:
                pages[found[1]] = found[2]
            if len(pages) == 2:
                break
        else:
            raise AssertionError("no console: " + "".join(self.lines))
        self.viewer, self.operator = pages["for viewers"], pages["to command"]
        self.rest = threading.Thread(target=lambda: self.lines.extend(self.process.stderr), daemon=True)
        self.rest.start()

    def end(self):
        self.process.stdout.read()
        return self.process.wait(timeout=240)


def confirm(browser, name):
    browser.wait(f"{name} can be pressed", "return !document.querySelector(arguments[0]).disabled", f'[data-do="{name}"]')
    browser.click(f'[data-do="{name}"]')
    browser.press([ENTER])


def time_scale(browser, scale):
    """Slow enough that a busy machine sees the test before it is over, or fast to its end."""
    browser.wait("time scale can be pressed", "return !document.querySelector('[data-do=scale]').disabled")
    browser.press(["c"])
    browser.type("#typed", scale)
    browser.press([ENTER])
    browser.wait("time scale", "return document.getElementById('scale').textContent === arguments[0]", scale)


def looks_right(browser, name):
    """Nothing is cut off or lies over something else: no scrolling sideways, no text wider than its place, the emergency stop on the screen."""
    assert browser.run("return document.documentElement.scrollWidth <= window.innerWidth"), f"the page scrolls sideways at {name}"
    assert browser.run("const r = document.getElementById('abort').getBoundingClientRect(); return r.top >= 0 && r.right <= innerWidth && r.width > 60"), name
    cut = browser.run("return [...document.querySelectorAll('#word, #abort, #numbers dd, nav button, .panel h2, .panel h2 > *, .panel small, .limit, .figures div')]"
                      ".filter((e) => e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1).map((e) => e.outerHTML.slice(0, 160))")
    assert not cut, f"cut off at {name}: {cut}"
    covered = browser.run("const b = [...document.querySelectorAll('.panel')].map((p) => p.getBoundingClientRect()); const over = (p, q) => p.left < q.right - 1 && "
                          "q.left < p.right - 1 && p.top < q.bottom - 1 && q.top < p.bottom - 1; return b.some((p, i) => b.some((q, k) => k > i && over(p, q)))")
    assert not covered, f"panels lie over each other at {name}"


def drawn(browser):
    """Waits until the page was drawn after what changed."""
    browser.run("window.resized_at = performance.now()")
    browser.wait("drawn again", "return performance.now() - window.resized_at > 300")


# Whatever is a picture or a script in the name of somebody or in a note stays a text.
SCRIPT = "<img src=x onerror='window.hacked=1'>"


def first_run(program, model, folder, browser, found):
    results, mcap = os.path.join(folder, "first.h5"), os.path.join(folder, "first.mcap")
    # The layout is saved beside the model.
    own = os.path.join(folder, "model.toml")
    shutil.copy(model, own)
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    udp.settimeout(120)
    cameras = os.path.join(folder, "camera")
    os.makedirs(cameras)
    shutil.copy(os.path.join(folder, "camera.png"), os.path.join(cameras, "1.png"))
    run = Run(program, "run", own, "--quiet", "-o", results, "--until", "16 s", "--console", "127.0.0.1:0", "--console-mcap", mcap,
              "--console-mcap-live", "--console-metrics", "--console-udp", f"127.0.0.1:{udp.getsockname()[1]}", "--console-camera", cameras)
    live = Live(run.viewer + "live.mcap")
    # Who has no key sees the page and commands nothing.
    browser.open(run.viewer)
    browser.word("ready")
    assert browser.run("return [...document.querySelectorAll('[data-do]'), document.getElementById('abort')].every((b) => b.disabled)")
    browser.open("about:blank")
    browser.open(run.operator)
    browser.word("ready")
    browser.wait("operator", "return document.getElementById('who').textContent.startsWith('operator')")
    assert "key=" not in browser.run("return location.href"), "the key stays in the address"
    time_scale(browser, "1")
    confirm(browser, "arm")
    browser.word("armed")
    assert browser.run("return document.body.dataset.level") == "attention", "armed is no state to overlook"
    browser.picture(os.path.join(folder, "armed.png"))
    confirm(browser, "start")
    browser.word("running", "to start")
    browser.wait("hysteresis", "const c = document.querySelector('[data-panel=hysteresis] canvas'); return c && c.dataset.points > 100")
    browser.wait("structure moves", "const c = document.querySelector('[data-panel=structure] canvas'); return c && c.dataset.peak > 0")
    # At its own speed into the motion; then so slowly that a busy machine sees the pause before the test is over.
    browser.wait("6 s of the test", "return parseFloat(document.getElementById('t').textContent) > 6")
    time_scale(browser, "20")
    browser.press(["p"])
    browser.word("holding")
    # The test slows down along its way before it stands.
    still = browser.wait("the test stands", "const t = document.getElementById('t').textContent; if (window.seen_t !== t) { window.seen_t = t; "
                         "window.since_t = performance.now(); } return performance.now() - window.since_t > 1000 && t")
    confirm_note(browser, "crack at the base of the column")
    # Only what is on the screen is drawn.
    browser.run("document.querySelector('[data-panel=events]').scrollIntoView()")
    browser.wait("the note in the time line", "return [...document.querySelectorAll('.events .note')].some((e) => e.textContent.startsWith('crack at the base'))")
    assert browser.run("return document.getElementById('t').textContent") == still, "time goes on during a pause"
    assert browser.run("return document.body.dataset.level") == "attention"
    # What was pressed while the page stood still is not sent when it goes on; the loop is not asked.
    browser.run("window.old_click = new MouseEvent('click', { bubbles: true }); window.made_at = performance.now()")
    browser.wait("the click is old", "return performance.now() - window.made_at > 1100")
    browser.run("document.querySelector('[data-do=resume]').dispatchEvent(window.old_click)")
    assert "not sent" in browser.text("#answer") and browser.run("return document.getElementById('ask').hidden")
    # The page says the numbers that the loop says.
    limits = browser.run("return [...document.querySelectorAll('.limit')].map((e) => e.innerText)")
    assert any("displacement" in text and "of 280 mm" in text and "%" in text for text in limits), limits
    assert any("tracking" in text and "of 20 mm" in text and "abort" in text for text in limits), limits
    assert any("missing" in text and "of 10 samples" in text and "hold" in text for text in limits), limits
    cursor = browser.run("return [...document.querySelectorAll('[data-panel=ground] canvas')].map((c) => parseFloat(c.dataset.cursor))[0]")
    assert abs(cursor - float(still.split()[0])) < 0.02, (cursor, still)
    assert browser.text("#step").split()[0].isdigit() and "of" in browser.text("#step"), browser.text("#step")
    layout(browser, own)
    shown = browser.run("return [...document.querySelectorAll('.panel')].map((p) => p.dataset.panel)")
    for panel in ["structure", "hysteresis", "tracking", "error", "limits", "cut", "energy", "ground", "compensation", "events", "cameras"]:
        assert panel in shown, f"no panel {panel}: {shown}"
    assert "timing" not in shown, "no clock drives this test, and there is an empty panel"
    browser.wait("camera", "window.scrollTo(0, 1e6); const i = document.querySelector('[data-panel=cameras] img'); return i.naturalWidth > 0")
    browser.run("window.scrollTo(0, 0)")
    found["metrics"] = read_metrics(run.viewer + "metrics")
    # During a pause nothing new is sent of the run, but the rig goes on: what is received names one topic and its numbers.
    names = plotjuggler(json.loads(udp.recv(65536)))
    assert len({name.split("/")[0] for name in names}) == 1 and len(names) > 3, names
    # What is shown says so when it is old: the program is stopped as a whole, as a bad network would.
    browser.run("window.before = socket")
    run.process.send_signal(signal.SIGSTOP)
    browser.wait("the page says that it is old", "return !document.getElementById('old').hidden")
    browser.picture(os.path.join(folder, "old.png"))
    run.process.send_signal(signal.SIGCONT)
    browser.wait("the page is fresh again", "return document.getElementById('old').hidden")
    assert browser.run("return socket === window.before"), "a program that was stopped and goes on has lost its viewers"
    # A connection that is well, and a loop that stands: a status that says so, judged at once.
    text = browser.run("tell({ ...status, can: ['pause'], silent: 90 }); judge(); return document.getElementById('old').hidden ? '' : document.getElementById('old').textContent")
    assert "nothing new for 1 min 30 s" in text, text
    browser.wait("the page is fresh again", "return document.getElementById('old').hidden")
    # This machine slept, and its clock stood: what is shown seems to come from the future, until the clocks are compared anew.
    assert browser.run("offset += 60000; judge(); return offset === null"), "a clock that stood is believed"
    browser.wait("the clocks are compared again", "return offset !== null && age() < 5 && document.getElementById('old').hidden")
    for name, (width, height), theme in [("light", (1600, 1200), "light"), ("dark", (1600, 1200), "dark"), ("480", (480, 1400), "light"),
                                         ("1440p", (2560, 1440), "light"), ("4k", (3840, 2160), "dark")]:
        browser.size(width, height)
        if browser.run("return document.documentElement.dataset.theme") != theme:
            browser.press(["t"])
        drawn(browser)
        looks_right(browser, name)
        browser.picture(os.path.join(folder, f"{name}.png"))
    browser.size(1600, 1200)
    drawn(browser)
    confirm_note(browser, SCRIPT)
    browser.wait("the note as a text", "return [...document.querySelectorAll('.events .note')].some((e) => e.textContent.startsWith(arguments[0]))", SCRIPT)
    assert not browser.run("return window.hacked"), "a note is a script"
    confirm(browser, "resume")
    browser.word("running")
    time_scale(browser, "0.2")
    browser.word("finished")
    browser.wait("verdict", "return document.getElementById('detail').textContent.includes('verdict')")
    found["latency_ms"] = latency(browser)
    browser.picture(os.path.join(folder, "finished.png"))
    code = run.end()
    assert code == 0, "".join(run.lines)
    found["mcap_live"] = read_mcap(live.end())
    log = open(results.replace(".h5", ".lab.h5"), "rb").read()
    for kind, what in [(b"operator", b"arm"), (b"operator", b"pause"), (b"note", b"crack at the base of the column")]:
        assert re.search(kind + rb" \(operator, \d{4}-\d\d-\d\dT[\d:]+Z\): " + what, log), f"not in the recording: {what}"
    times = open(results.replace(".h5", ".pictures/times.csv")).read()
    assert "unix [ms]" in times and len(times.splitlines()) >= 2, times
    with open(mcap, "rb") as file:
        found["mcap"] = read_mcap(file)
    return results


class Live:
    """The stream as MCAP while it is written, until it ends."""

    def __init__(self, address):
        self.bytes = io.BytesIO()
        answer = urllib.request.urlopen(address)
        self.thread = threading.Thread(target=lambda: shutil.copyfileobj(answer, self.bytes), daemon=True)
        self.thread.start()

    def end(self):
        self.thread.join(60)
        assert not self.thread.is_alive(), "the live stream does not end with the test"
        self.bytes.seek(0)
        return self.bytes


def latency(browser):
    """How many frames, and how old the oldest sample in them was when they were on the screen, ms: median, 99 %, most."""
    return browser.run("const l = [...window.console_latency].sort((a, b) => a - b), at = (p) => Math.round(10 * l[Math.floor(p * (l.length - 1))]) / 10; "
                       "return [l.length, at(0.5), at(0.99), at(1)]")


def layout(browser, model):
    """Panels are left out, moved and saved, and the layout is there again when the page is."""
    before = browser.run("return [...new Set([...document.querySelectorAll('.panel')].map((p) => p.dataset.panel))]")
    points = browser.run("return +document.querySelector('[data-panel=hysteresis] canvas').dataset.points")
    browser.press(["l"])
    browser.click("#show-energy")
    browser.wait("a panel less", "return !document.querySelector('[data-panel=energy].panel')")
    browser.click("#menu li[data-panel=events] button[aria-label$=up]")
    browser.wait("a panel moved", "const k = [...new Set([...document.querySelectorAll('.panel')].map((p) => p.dataset.panel))]; return k.indexOf('events') < k.indexOf('error')")
    browser.click("#save")
    browser.wait("saved", "return document.getElementById('answer').textContent.includes('saved in')")
    saved = json.load(open(model.replace(".toml", ".console.json")))["panels"]
    assert "energy" not in saved and saved.index("events") < saved.index("error"), saved
    browser.run("sessionStorage.removeItem('layout')")
    browser.again()
    browser.wait("operator again", "return document.getElementById('who').textContent.startsWith('operator')")
    browser.wait("the saved layout", "const k = [...document.querySelectorAll('.panel')].map((p) => p.dataset.panel); return k.length > 5 && !k.includes('energy')")
    # As it was, for what follows.
    browser.run("sessionStorage.setItem('layout', JSON.stringify(arguments[0]))", before)
    browser.again()
    browser.wait("operator again", "return document.getElementById('who').textContent.startsWith('operator')")
    # The whole test is there again, not only its end.
    browser.wait("hysteresis again", "const c = document.querySelector('[data-panel=hysteresis] canvas'); return c && c.dataset.points > arguments[0]", 0.4 * points)


def read_metrics(address):
    from prometheus_client.parser import text_string_to_metric_families

    families = {f.name: f for f in text_string_to_metric_families(urllib.request.urlopen(address).read().decode())}
    state = families["interfield_test_state"].samples[0]
    assert state.labels == {"state": "holding"} and state.value == 1, state
    assert families["interfield_rig_late_samples"].type == "counter" and families["interfield_console_viewers"].samples[0].value >= 1, families
    assert all(f.documentation for f in families.values()), families
    return sum(len(f.samples) for f in families.values())


def plotjuggler(row, path=""):
    """Series of a datagram as PlotJuggler makes them: every number by its path; the time is the field `timestamp`."""
    names = []
    for key, value in row.items():
        name = f"{path}/{key}" if path else key
        if isinstance(value, dict):
            names += plotjuggler(value, name)
        elif isinstance(value, (int, float)) and name != "timestamp":
            names.append(name)
    assert path or row["timestamp"] > 1.7e9, row
    return names


def read_mcap(file):
    from mcap.reader import make_reader

    counts = {}
    for schema, channel, message in make_reader(file).iter_messages():
        row = json.loads(message.data)
        assert schema.encoding == "jsonschema" and set(row) <= set(json.loads(schema.data)["properties"]) | {"stamp", "advice"}
        counts[channel.topic] = counts.get(channel.topic, 0) + 1
    assert counts.get("/run", 0) > 100 and counts.get("/events", 0) > 3 and any(c.startswith("/rig.") for c in counts), counts
    return counts


def confirm_note(browser, text):
    browser.press(["n"])
    browser.type("#typed", text)
    browser.press([ENTER])


def emergency(program, model, folder, browser, found):
    results = os.path.join(folder, "second.h5")
    # In real time, slowly enough for a busy machine, and with a model that records nothing of its interface.
    own = os.path.join(folder, "slow.toml")
    text = open(model).read().replace('rate = "2 kHz"', 'rate = "200 Hz"\ntime_scale = 10.0')
    text = text.replace('    "slab.x.lambda", "slab.x.gap", "quake",\n', "").replace("energy = true\n", "").replace("missing = 10 ", "missing = 1000 ")
    assert text.count("lambda") == 0 and "time_scale = 10.0" in text and "missing = 1000" in text
    with open(own, "w") as file:
        file.write(text)
    run = Run(program, "run", own, "--quiet", "-o", results, "--real-time", "--console", "127.0.0.1:0")
    browser.open("about:blank")
    browser.open(run.operator)
    browser.word("ready")
    confirm(browser, "arm")
    browser.word("armed")
    confirm(browser, "start")
    browser.word("running")
    browser.wait("0.5 s of the test", "return parseFloat(document.getElementById('t').textContent) > 0.5")
    shown = browser.run("return [...document.querySelectorAll('.panel')].map((p) => p.dataset.panel)")
    assert shown.count("cut") == 2 and "energy" in shown, f"no gap, multiplier or energy of the interface: {shown}"
    browser.run("document.querySelector('[data-panel=timing]').scrollIntoView()")
    browser.wait("how the clock was kept", "return [...document.querySelectorAll('[data-panel=timing] canvas')].every((c) => c.dataset.count > 50)")
    browser.run("window.scrollTo(0, 0)")
    # The page is loaded again at the worst moment: whoever holds the key still does. One click, no question.
    browser.again()
    browser.wait("the emergency stop", "return !document.getElementById('abort').disabled")
    browser.click("#abort")
    browser.word("aborted")
    browser.wait("alarm", "return document.body.dataset.level === 'alarm'")
    browser.wait("what to do", "return document.getElementById('detail').textContent.length > 10")
    drawn(browser)
    looks_right(browser, "alarm")
    browser.picture(os.path.join(folder, "alarm.png"))
    # An alarm stays until it was read, also with the keyboard.
    alarms = browser.run("return unread.length")
    browser.press(["m"])
    assert alarms > 0 and browser.run("return unread.length") == alarms - 1, alarms
    code = run.end()
    assert code == 3, f"exit code {code}: {''.join(run.lines)}"
    assert re.search(rb"operator \(operator, [-\dT:]+Z\): abort", open(results.replace(".h5", ".lab.h5"), "rb").read())
    found["emergency"] = "aborted"


def learning(program, model, folder, browser, found):
    """Estimates of online updating with their bands: the specimen of this model is 1.43 times as stiff as the first guess, 5.6 kN/mm."""
    run = Run(program, "run", os.path.join(os.path.dirname(model), "learning-building.toml"), "--quiet", "-o", os.path.join(folder, "third.h5"), "--until", "10 s",
              "--console", "127.0.0.1:0")
    browser.open("about:blank")
    browser.open(run.operator)
    browser.word("ready")
    time_scale(browser, "0.5")
    confirm(browser, "arm")
    browser.word("armed")
    confirm(browser, "start")
    browser.word("finished")
    browser.run("document.querySelector('[data-panel=updating]').scrollIntoView()")
    drawn(browser)
    strips = browser.run("return [...document.querySelectorAll('[data-panel=updating] .strip')].map((s) => [s.innerText.replace(/\\s+/g, ' '), +s.querySelector('canvas').dataset.value])")
    assert len(strips) == 5 and strips[0][0].startswith("k kN/mm") and " to " in strips[0][0], strips
    assert abs(strips[0][1] - 1.43 * 5.6) < 0.4, strips
    assert "kN" in browser.text("[data-panel=updating] .tank"), "no energy that changes gave"
    looks_right(browser, "learning")
    browser.picture(os.path.join(folder, "learning.png"))
    run.end()
    found["identified"] = strips[0][1]


def playback(program, results, folder, browser, found):
    run = Run(program, "console", results, "--console", "127.0.0.1:0")
    browser.open("about:blank")
    browser.open(run.operator)
    browser.word("playing")
    browser.wait("hysteresis", "const c = document.querySelector('[data-panel=hysteresis] canvas'); return c && c.dataset.points > 100")
    shown = browser.run("return [...document.querySelectorAll('.panel')].map((p) => p.dataset.panel)")
    for panel in ["structure", "hysteresis", "tracking", "ground", "events"]:
        assert panel in shown, f"no panel {panel} in a playback: {shown}"
    browser.wait("notes of the test", "return [...document.querySelectorAll('.events .note')].some((e) => e.textContent.includes('crack at the base'))")
    browser.wait("who armed it, and when", "return [...document.querySelectorAll('.events .command')].some((e) => e.textContent.startsWith('arm') && /operator, 20[-0-9T:]+Z/.test(e.textContent))")
    browser.wait("its pictures", "const i = document.querySelector('[data-panel=cameras] img'); return i && i.naturalWidth > 0")
    browser.press(["c"])
    browser.type("#typed", "0.05")
    browser.press([ENTER])
    browser.word("end")
    browser.press(["g"])
    browser.type("#typed", "2")
    browser.press([ENTER])
    browser.word("playing", "paused", "end")
    assert browser.run("return document.getElementById('abort').disabled"), "a playback has nothing to stop"
    browser.picture(os.path.join(folder, "playback.png"))
    run.process.send_signal(signal.SIGINT)
    run.process.wait(timeout=120)
    found["playback"] = len(shown)


def only_latency(program, model, folder, browser):
    """A test at its own speed, with the page in front of it."""
    run = Run(program, "run", model, "--quiet", "-o", os.path.join(folder, "latency.h5"), "--console", "127.0.0.1:0", "--console-start")
    browser.open(run.operator)
    browser.word("running")
    browser.wait("20 s of the test", "return parseFloat(document.getElementById('t').textContent) > 20")
    found = latency(browser)
    browser.click("#abort")
    run.end()
    return found


def main():
    # What a shell starts in the background ignores Ctrl-C, and so would the programs that are started here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    program, model, folder, chromium = sys.argv[1:5]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    picture(os.path.join(folder, "camera.png"))
    found = {}
    browser = Browser(os.path.join(folder, "profile"), chromium)
    try:
        browser.size(1600, 1200)
        if "--latency" in sys.argv:
            print(json.dumps(only_latency(program, model, folder, browser)))
            return
        results = first_run(program, model, folder, browser, found)
        emergency(program, model, folder, browser, found)
        learning(program, model, folder, browser, found)
        playback(program, results, folder, browser, found)
        errors = [e for e in browser.errors() if "WebSocket" not in e and "ERR_CONNECTION" not in e and "camera" not in e]
        assert not errors, errors
    finally:
        browser.close()
        for run in Run.all:
            if run.process.poll() is None:
                run.process.kill()
    print(json.dumps(found))


def picture(path):
    """A small picture, as a camera would give it."""
    import struct
    import zlib

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes((x * 2 + y) % 256 for x in range(96)) for y in range(64))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 96, 64, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    main()
