#!/usr/bin/env python3
"""Takes the README's pictures of the page: `docs/screenshots.py target/release/tablut-play docs`. Needs chromium and chromedriver; standard library alone."""

import base64
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

GAME = "#rules=kvasir&moves=d1-d2,d5-d4,i4-h4,e5-d5,e8-c8,e6-b6,a4-b4,d5-d6"
LARGE_GAME = "#rules=copenhagen&moves=f10-e10,f8-i8,k8-j8,i8-i7,h11-h7,f7-f8,h1-h5,i7-i5"


class Browser:
    def __init__(self):
        self.process = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = next(line for line in self.process.stdout if "started successfully on port" in line)
        self.root = "http://127.0.0.1:" + "".join(filter(str.isdigit, line))
        self.profile = tempfile.TemporaryDirectory()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
        flags += ["--no-first-run", "--hide-scrollbars", "--disable-dev-shm-usage", f"--user-data-dir={self.profile.name}"]
        options = {"args": flags}
        made = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}})
        self.root += "/session/" + made["sessionId"]

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"}, method=method)
        return json.load(urllib.request.urlopen(request, timeout=60))["value"]

    def js(self, expression):
        return self.ask("POST", "/execute/sync", {"script": f"return ({expression});", "args": []})

    def command(self, name, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def until(self, expression):
        end = time.time() + 60
        while self.js(expression) is not True:
            assert time.time() < end, expression
            time.sleep(0.05)

    def size(self, width, height, scale, phone):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=phone)

    def open(self, link, theme):
        self.ask("POST", "/url", {"url": link})
        self.until("document.documentElement.dataset.ready === 'yes' && document.querySelector('.cell .piece') !== null")
        self.js(f"(document.documentElement.dataset.theme = '{theme}')")

    def panel(self, name):
        """Opens a panel: first the tab of its group, then its part."""
        self.js(f"document.getElementById(document.getElementById('panel-{name}').parentElement.id.replace('group', 'tab')).click()")
        self.js(f"document.getElementById('part-{name}').click()")

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))

    def close(self):
        self.ask("DELETE", "")
        self.process.terminate()


def analysis(browser):
    browser.panel("analysis")
    browser.js("document.getElementById('analyse').click()")
    browser.until("document.querySelectorAll('.lines li').length > 3 && /simulations$/.test(document.querySelector('#panel-analysis .legend + p').textContent)")


def puzzle(browser):
    browser.panel("puzzles")
    browser.js("document.getElementById('open-puzzle').click()")
    browser.until("document.querySelector('#task .task-text') !== null")


def workshop(browser):
    browser.panel("workshop")
    browser.until("document.getElementById('run-experiment')?.disabled === false")
    change = "(() => { const f = document.getElementById('clause-escape'); f.value = 'corners'; f.dispatchEvent(new Event('change')); return true; })()"
    browser.js(change)
    browser.until("document.getElementById('run-experiment').disabled === false")
    browser.js("document.getElementById('run-experiment').click()")
    browser.until("document.querySelector('#panel-workshop [role=status]')?.textContent.includes('finished')")
    browser.js("window.scrollTo(0, 0)")


PICTURES = [
    ("page-light", "light", (1080, 740, 1, False), GAME, analysis),
    ("page-dark", "dark", (1080, 740, 1, False), GAME, workshop),
    ("phone-light", "light", (390, 800, 1, True), LARGE_GAME, None),
    ("phone-dark", "dark", (390, 800, 1, True), GAME, puzzle),
]


def main():
    program, out = sys.argv[1], Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([program, "serve", "--port", "0", "--folder", folder], stdout=subprocess.PIPE, text=True)
        link = server.stdout.readline().strip()
        browser = Browser()
        try:
            for name, theme, size, game, prepare in PICTURES:
                browser.size(*size)
                browser.open(link + "?" + name + game, theme)
                if prepare:
                    prepare(browser)
                browser.picture(out / (name + ".png"))
        finally:
            browser.close()
            server.terminate()


main()
