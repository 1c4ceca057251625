#!/usr/bin/env python3
"""A slow, lossy link between this network namespace and another one, in user space.

For kernels without `tc netem`: two TUN devices, one of them in the namespace `tablut-far`; this process carries packets
from one to the other, drops a share of them and delivers the rest after a delay, each way. TCP above it is the kernel's
own, with its retransmissions.

    sudo ./far_link.py --delay-ms 50 --loss 0.01      # near side 10.99.0.1, far side 10.99.0.2
    sudo ip netns exec tablut-far ping 10.99.0.1
"""

import argparse
import fcntl
import heapq
import os
import random
import select
import signal
import struct
import subprocess
import time

NAMESPACE = "tablut-far"
NEAR, FAR = "10.99.0.1", "10.99.0.2"


def tun(name):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, 0x400454CA, struct.pack("16sH", name.encode(), 0x1001))  # TUNSETIFF: IFF_TUN | IFF_NO_PI
    return device


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delay-ms", type=float, default=50, help="each way")
    parser.add_argument("--loss", type=float, default=0.01, help="share of packets dropped, each way")
    options = parser.parse_args()
    subprocess.run(["ip", "netns", "del", NAMESPACE], stderr=subprocess.DEVNULL)
    ip("netns", "add", NAMESPACE)
    near, far = tun("tablut-near"), tun("tablut-far")
    ip("link", "set", "tablut-far", "netns", NAMESPACE)
    ip("addr", "add", f"{NEAR}/24", "dev", "tablut-near")
    ip("link", "set", "tablut-near", "up")
    ip("-n", NAMESPACE, "addr", "add", f"{FAR}/24", "dev", "tablut-far")
    ip("-n", NAMESPACE, "link", "set", "tablut-far", "up")
    ip("-n", NAMESPACE, "link", "set", "lo", "up")
    print("up", flush=True)
    random.seed(1)
    other = {near: far, far: near}
    waiting, number, carried, dropped = [], 0, 0, 0
    running = True

    def stop(*_):
        nonlocal running
        running = False

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    while running:
        pause = max(0.0, waiting[0][0] - time.monotonic()) if waiting else 0.5
        ready, _, _ = select.select([near, far], [], [], pause)
        now = time.monotonic()
        for device in ready:
            while True:
                try:
                    packet = os.read(device, 65536)
                except BlockingIOError:
                    break
                if random.random() < options.loss:
                    dropped += 1
                    continue
                number += 1
                heapq.heappush(waiting, (now + options.delay_ms / 1000, number, other[device], packet))
        while waiting and waiting[0][0] <= now:
            _, _, device, packet = heapq.heappop(waiting)
            try:
                os.write(device, packet)
                carried += 1
            except OSError:
                dropped += 1
    subprocess.run(["ip", "netns", "del", NAMESPACE])
    print(f"{carried} packets carried, {dropped} dropped", flush=True)


if __name__ == "__main__":
    main()
