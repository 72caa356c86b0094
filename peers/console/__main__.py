"""The operator's console in a real browser: a test is armed, started, paused, noted, resumed and finished from the page; another one is stopped in an
emergency; a finished one is played back. Prints what was found as JSON; pictures of the page go to a folder.

Usage: python peers/console PROGRAM MODEL FOLDER CHROMIUM
"""

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

    def __init__(self, *command):
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


def fits(browser):
    return browser.run("return document.documentElement.scrollWidth <= window.innerWidth")


def first_run(program, model, folder, browser, found):
    results, mcap = os.path.join(folder, "first.h5"), os.path.join(folder, "first.mcap")
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    udp.settimeout(120)
    cameras = os.path.join(folder, "camera")
    os.makedirs(cameras)
    shutil.copy(os.path.join(folder, "camera.png"), os.path.join(cameras, "1.png"))
    run = Run(program, "run", model, "--quiet", "-o", results, "--until", "8 s", "--console", "127.0.0.1:0", "--console-mcap", mcap,
              "--console-mcap-live", "--console-metrics", "--console-udp", f"127.0.0.1:{udp.getsockname()[1]}", "--console-camera", cameras)
    # Who has no key sees the page and commands nothing.
    browser.open(run.viewer)
    browser.word("ready")
    assert browser.run("return [...document.querySelectorAll('[data-do]'), document.getElementById('abort')].every((b) => b.disabled)")
    browser.open("about:blank")
    browser.open(run.operator)
    browser.word("ready")
    browser.wait("operator", "return document.getElementById('who').textContent.startsWith('operator')")
    assert "key=" not in browser.run("return location.href"), "the key stays in the address"
    time_scale(browser, "20")
    confirm(browser, "arm")
    browser.word("armed")
    confirm(browser, "start")
    browser.word("running", "to start")
    browser.wait("hysteresis", "const c = document.querySelector('[data-panel=hysteresis] canvas'); return c && c.dataset.points > 100")
    browser.wait("structure moves", "const c = document.querySelector('[data-panel=structure] canvas'); return c && c.dataset.peak > 0")
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
    shown = browser.run("return [...document.querySelectorAll('.panel')].map((p) => p.dataset.panel)")
    for panel in ["structure", "hysteresis", "tracking", "error", "limits", "cut", "energy", "ground", "timing", "compensation", "events", "cameras"]:
        assert panel in shown, f"no panel {panel}: {shown}"
    browser.wait("camera", "window.scrollTo(0, 1e6); const i = document.querySelector('[data-panel=cameras] img'); return i.naturalWidth > 0")
    browser.run("window.scrollTo(0, 0)")
    metrics = urllib.request.urlopen(run.viewer + "metrics").read().decode()
    assert 'interfield_test_state{state="holding"} 1' in metrics, metrics
    found["metrics"] = sum(not line.startswith("#") for line in metrics.splitlines())
    row = json.loads(udp.recv(65536))
    assert "timestamp" in row and len(row) == 2, row
    # What is shown says so when it is old: the program is stopped as a whole, as a bad network would.
    run.process.send_signal(signal.SIGSTOP)
    browser.wait("the page says that it is old", "return !document.getElementById('old').hidden")
    browser.picture(os.path.join(folder, "old.png"))
    run.process.send_signal(signal.SIGCONT)
    browser.wait("the page is fresh again", "return document.getElementById('old').hidden")
    for name, (width, height), theme in [("light", (1600, 1200), "light"), ("dark", (1600, 1200), "dark"), ("480", (480, 1400), "light"),
                                         ("1440p", (2560, 1440), "light"), ("4k", (3840, 2160), "dark")]:
        browser.size(width, height)
        if browser.run("return document.documentElement.dataset.theme") != theme:
            browser.press(["t"])
        browser.run("window.resized_at = performance.now()")
        browser.wait("drawn again", "return performance.now() - window.resized_at > 300")
        assert fits(browser), f"the page scrolls sideways at {name}"
        assert browser.run("const r = document.getElementById('abort').getBoundingClientRect(); return r.top >= 0 && r.right <= innerWidth && r.width > 60")
        browser.picture(os.path.join(folder, f"{name}.png"))
    browser.size(1600, 1200)
    confirm(browser, "resume")
    browser.word("running")
    time_scale(browser, "0.2")
    browser.word("finished")
    browser.wait("verdict", "return document.getElementById('detail').textContent.includes('verdict')")
    found["latency_ms"] = browser.run("const l = [...window.console_latency].sort((a, b) => a - b); return [l.length, l[l.length >> 1], l[Math.floor(0.99 * l.length)]]")
    browser.picture(os.path.join(folder, "finished.png"))
    code = run.end()
    assert code == 0, "".join(run.lines)
    log = open(results.replace(".h5", ".lab.h5"), "rb").read()
    for line in [b"operator (operator): arm", b"operator (operator): pause", b"note (operator): crack at the base of the column"]:
        assert line in log, f"not in the recording: {line}"
    times = open(results.replace(".h5", ".pictures/times.csv")).read()
    assert "unix [ms]" in times and len(times.splitlines()) >= 2, times
    found["mcap"] = read_mcap(mcap)
    return results


def read_mcap(path):
    from mcap.reader import make_reader

    counts = {}
    with open(path, "rb") as file:
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
    run = Run(program, "run", model, "--quiet", "-o", results, "--console", "127.0.0.1:0")
    browser.open("about:blank")
    browser.open(run.operator)
    browser.word("ready")
    time_scale(browser, "20")
    confirm(browser, "arm")
    browser.word("armed")
    confirm(browser, "start")
    browser.word("running")
    # One click, no question; the button is open to the holder of the key in every state.
    assert not browser.run("return document.getElementById('abort').disabled")
    browser.click("#abort")
    browser.word("aborted")
    browser.wait("alarm", "return document.body.dataset.level === 'alarm'")
    browser.picture(os.path.join(folder, "alarm.png"))
    code = run.end()
    assert code == 3, f"exit code {code}: {''.join(run.lines)}"
    assert b"operator (operator): abort" in open(results.replace(".h5", ".lab.h5"), "rb").read()
    found["emergency"] = "aborted"


def playback(program, results, folder, browser, found):
    run = Run(program, "console", results, "--console", "127.0.0.1:0")
    browser.open("about:blank")
    browser.open(run.operator)
    browser.word("playing")
    browser.wait("hysteresis", "const c = document.querySelector('[data-panel=hysteresis] canvas'); return c && c.dataset.points > 100")
    shown = browser.run("return [...document.querySelectorAll('.panel')].map((p) => p.dataset.panel)")
    for panel in ["structure", "hysteresis", "tracking", "ground", "events"]:
        assert panel in shown, f"no panel {panel} in a playback: {shown}"
    browser.press(["c"])
    browser.type("#typed", "0.05")
    browser.press([ENTER])
    browser.word("end")
    browser.press(["g"])
    browser.type("#typed", "2")
    browser.press([ENTER])
    browser.word("playing", "paused", "end")
    browser.picture(os.path.join(folder, "playback.png"))
    run.process.send_signal(signal.SIGINT)
    run.process.wait(timeout=120)
    found["playback"] = len(shown)


def main():
    program, model, folder, chromium = sys.argv[1:]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    picture(os.path.join(folder, "camera.png"))
    found = {}
    browser = Browser(os.path.join(folder, "profile"), chromium)
    try:
        browser.size(1600, 1200)
        results = first_run(program, model, folder, browser, found)
        emergency(program, model, folder, browser, found)
        playback(program, results, folder, browser, found)
        errors = [e for e in browser.errors() if "WebSocket" not in e and "ERR_CONNECTION" not in e and "camera" not in e]
        assert not errors, errors
    finally:
        browser.close()
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
