"""A browser driven as a person would: a small client of the WebDriver protocol (W3C), with the standard library only."""

import base64
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
PATIENCE = 120.0
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--force-device-scale-factor=1",
]


class Browser:
    def __init__(self, profile, chromium):
        self.process = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            if "started successfully on port" in line:
                port = int(line.rsplit("port", 1)[1].strip().rstrip("."))
                self.base = f"http://127.0.0.1:{port}"
                break
        # A driver looks for no program by its name.
        options = {"binary": shutil.which(chromium) or chromium, "args": [*FLAGS, f"--user-data-dir={profile}"]}
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}}
        self.session = self.call("POST", "/session", wanted)["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()[:600]) from None

    def do(self, method, path, body=None):
        return self.call(method, f"/session/{self.session}{path}", body)

    def open(self, address):
        self.do("POST", "/url", {"url": address})

    def run(self, script, *args):
        return self.do("POST", "/execute/sync", {"script": script, "args": list(args)})

    def find(self, css):
        return self.do("POST", "/element", {"using": "css selector", "value": css})[ELEMENT]

    def click(self, css):
        self.do("POST", f"/element/{self.find(css)}/click", {})

    def text(self, css):
        return self.do("GET", f"/element/{self.find(css)}/text")

    def type(self, css, text):
        element = self.find(css)
        self.do("POST", f"/element/{element}/clear", {})
        self.do("POST", f"/element/{element}/value", {"text": text})

    def press(self, keys):
        """Keys as a person presses them, wherever the focus is."""
        actions = [a for key in keys for a in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})]
        self.do("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def size(self, width, height):
        """Size of the page itself, in its own pixels."""
        self.develop("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def develop(self, command, parameters):
        return self.do("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def again(self):
        self.do("POST", "/refresh", {})

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.do("GET", "/screenshot")))

    def errors(self):
        lines = self.do("POST", "/se/log", {"type": "browser"})
        return [line["message"] for line in lines if line["level"] == "SEVERE"]

    def wait(self, what, script, *args):
        """Waits until a script says yes: never for a time, always for what should be on the page."""
        begun = time.monotonic()
        while time.monotonic() - begun < PATIENCE:
            found = self.run(script, *args)
            if found:
                return found
            time.sleep(0.05)
        page = self.run("return document.body.innerText")
        raise AssertionError(f"{what}: not on the page after {PATIENCE} s; the page says:\n{page[:1500]}")

    def word(self, *words):
        return self.wait(f"state {words}", "return arguments[0].includes(document.getElementById('word').textContent)", list(words))

    def close(self):
        try:
            self.do("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()
