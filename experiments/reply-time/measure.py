#!/usr/bin/env python3
"""How long the page's computer takes to answer a move, as an interface sees it: from sending the move to hearing of the answer.

    experiments/reply-time/measure.py target/release/tablut-play [LEVEL=MOVES…]

Plays random moves against each level and prints the median, the 90th percentile and the longest. Standard library alone.
"""

import base64
import json
import os
import random
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

LEVELS = {"newcomer": 40, "beginner": 40, "casual": 40, "club": 80, "strong": 60, "expert": 20, "full": 6, "adaptive": 40}


class Page:
    """One interface: JSON messages over a WebSocket."""

    def __init__(self, authority):
        host, port = authority.split(":")
        self.stream = socket.create_connection((host, int(port)))
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET /ws HTTP/1.1", f"Host: {authority}", f"Origin: http://{authority}", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""]
        self.stream.sendall("\r\n".join(lines).encode())
        self.file = self.stream.makefile("rb")
        while self.file.readline() != b"\r\n":
            pass
        self.number = 0

    def send(self, text, opcode=1):
        data, mask = text.encode(), os.urandom(4)
        length = struct.pack("!B", 128 | len(data)) if len(data) < 126 else struct.pack("!BH", 254, len(data))
        self.stream.sendall(bytes([128 | opcode]) + length + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def event(self):
        while True:
            first, length = self.file.read(2)
            if length == 126:
                length = struct.unpack("!H", self.file.read(2))[0]
            elif length == 127:
                length = struct.unpack("!Q", self.file.read(8))[0]
            data = self.file.read(length)
            if first & 15 == 9:
                self.send(data.decode(), 10)
            elif first & 15 == 1:
                return json.loads(data)

    def ask(self, what, **more):
        self.number += 1
        self.send(json.dumps({"id": self.number, "do": what} | more))

    def state(self, wanted):
        while True:
            event = self.event()
            if event["event"] == "refused":
                raise SystemExit(event["error"])
            if event["event"] == "state" and wanted(event):
                return event


def times(page, level, n):
    person, computer = {"kind": "person"}, {"kind": "computer", "name": level, "net": 0}
    found, state, draw = [], None, random.Random(1)
    while len(found) < n:
        if state is None or not state["moves"] or state["ply"] >= 40:
            page.ask("new", rules={"name": "kvasir"}, players={"attackers": person, "defenders": computer})
            state = page.state(lambda state: state["ply"] == 0)
        ply, began = state["ply"], time.perf_counter()
        page.ask("play", move=draw.choice(state["moves"])["text"])
        state = page.state(lambda state: state["ply"] == ply + 2 or state["ending"])
        if state["ply"] == ply + 2:
            found.append(time.perf_counter() - began)
    return sorted(found)


def main():
    program = sys.argv[1]
    levels = {name: int(n) for name, n in (argument.split("=") for argument in sys.argv[2:])} or LEVELS
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([program, "serve", "--port", "0", "--folder", folder], stdout=subprocess.PIPE, text=True)
        try:
            page = Page(server.stdout.readline().strip().removeprefix("http://").strip("/"))
            print("| level | replies | median | 90 % within | longest |\n|---|--:|--:|--:|--:|")
            for level, n in levels.items():
                found = times(page, level, n)
                millis = [statistics.median(found), found[int(0.9 * (len(found) - 1))], found[-1]]
                print(f"| {level} | {n} | " + " | ".join(f"{1000 * value:.0f} ms" for value in millis) + " |", flush=True)
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
