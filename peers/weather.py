"""A stretch of network with weather: carries Ethernet frames between two interfaces, late, out of order, twice or not at all.

    weather.py LEFT RIGHT '{"delay_ms": 3, "jitter_ms": 1, "loss": 0.02, "double": 0.01}'

For kernels without netem, so that every machine has the same weather. Says "ready" on standard output, and ends with its standard
input. Only IPv4 suffers: a lost ARP would cost a second and prove nothing. Needs root.
"""

import heapq
import json
import os
import random
import select
import socket
import sys
import time

IPV4, UDP, ETH_P_ALL, OUTGOING = b"\x08\x00", 17, 3, 4


def plain(frame):
    """The frame without the checksum of UDP, which a virtual interface leaves for hardware to fill in; zero means none."""
    at = 14 + 4 * (frame[14] & 15)
    if frame[23] != UDP or len(frame) < at + 8:
        return frame
    return frame[: at + 6] + b"\0\0" + frame[at + 8 :]


def main():
    weather = json.loads(sys.argv[3])
    delay, jitter = 1e-3 * weather["delay_ms"], 1e-3 * weather["jitter_ms"]
    chance = random.Random(20261115)
    ends = []
    for name in sys.argv[1:3]:
        end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        end.bind((name, ETH_P_ALL))
        end.setblocking(False)
        ends.append(end)
    print("ready", flush=True)
    queue, count = [], 0
    while True:
        wait = max(0.0, queue[0][0] - time.monotonic()) if queue else None
        ready, _, _ = select.select([sys.stdin, *ends], [], [], wait)
        if sys.stdin in ready and not os.read(sys.stdin.fileno(), 1):
            return
        now = time.monotonic()
        for end in ends:
            while end in ready:
                try:
                    frame, origin = end.recvfrom(4096)
                except OSError:
                    # Nothing more for now, or the interface is down.
                    break
                if origin[2] == OUTGOING:
                    continue
                copies, due = 1, now
                if frame[12:14] == IPV4:
                    frame = plain(frame)
                    copies = 0 if chance.random() < weather["loss"] else 1 + (chance.random() < weather["double"])
                    due += delay + chance.uniform(-jitter, jitter)
                for _ in range(copies):
                    count += 1
                    heapq.heappush(queue, (due, count, ends[1 - ends.index(end)], frame))
        now = time.monotonic()
        while queue and queue[0][0] <= now:
            _, _, end, frame = heapq.heappop(queue)
            try:
                end.send(frame)
            except OSError:
                # Down: lost as on any broken line.
                pass


main()
