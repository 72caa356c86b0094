"""Stands in for OpenSees in the tests: a linear frame behind one adapter, in the units of its script.

An adapter of stiffness kb is in series with the frame: (K + kb) x = kb u, and the force is kb (u - x).
"""

import socket
import struct

K = [[11.502, -5.187], [-5.187, 4.2333]]
adapter = {}


def __getattr__(name):
    """Everything else of a script builds the frame, which is K here."""
    return lambda *arguments: 0


def element(kind, *arguments):
    if kind == "adapter":
        stiffness = arguments[arguments.index("-stif") + 1 : -1]
        adapter.update(port=arguments[-1], kb=[stiffness[0], stiffness[3]])


def solve(u):
    kb = adapter["kb"]
    a, b, c, d = K[0][0] + kb[0], K[0][1], K[1][0], K[1][1] + kb[1]
    f = [kb[0] * u[0], kb[1] * u[1]]
    x = [(d * f[0] - b * f[1]) / (a * d - b * c), (a * f[1] - c * f[0]) / (a * d - b * c)]
    force = [sum(k * y for k, y in zip(row, x)) for row in K]
    return x + force


def receive(client, size):
    data = b""
    while len(data) < size:
        more = client.recv(size - len(data))
        if not more:
            raise SystemExit(0)
        data += more
    return data


def analyze(steps):
    listener = socket.create_server(("127.0.0.1", adapter["port"]))
    client, _ = listener.accept()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    numbers = struct.unpack("<11i", receive(client, 44))[10]
    answer = [0.0] * numbers
    while True:
        message = struct.unpack(f"<{numbers}d", receive(client, 8 * numbers))
        if message[0] == 3:
            answer[:4] = solve(message[1:3])
        elif message[0] == 10:
            client.sendall(struct.pack(f"<{numbers}d", *answer))
        elif message[0] == 99:
            raise SystemExit(255)
