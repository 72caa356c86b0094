"""How long a step of OpenSees takes with a served spring: served by Interfield, and by a server as one would write it.

usage: opensees_client_speed.py INTERFIELD FOLDER STEPS      prints one line of JSON: microseconds per step, median
       opensees_client_speed.py --plain                      the plain server, which prints its port
"""
import json
import socket
import statistics
import struct
import subprocess
import sys

CASES = [
    ("Newmark", {}),
    ("AlphaOS", {"integrator": ("AlphaOS", 0.9), "algorithm": ("Linear", "-initial")}),
    ("KRAlphaExplicit", {"integrator": ("KRAlphaExplicit", 0.5), "algorithm": ("Linear",)}),
]


def plain():
    """Reads, answers, and leaves all options of its socket alone."""
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    client = listener.accept()[0]

    def receive(count):
        data = b""
        while len(data) < count:
            data += client.recv(count - len(data)) or sys.exit()
        return data

    numbers = struct.unpack("<11i", receive(44))[10]
    link = struct.Struct("<4d")
    u, stiffness, nothing = [0.0, 0.0], (4.0, -4.0, -4.0, 4.0), (0.0,) * 4
    while True:
        request = struct.unpack("<3d", receive(8 * numbers)[:24])
        if request[0] == 3:
            u = request[1:]
        elif request[0] == 99:
            return
        elif request[0] != 5:
            force = 4.0 * (u[0] - u[1])
            answer = {10: (force, -force, 0.0, 0.0), 12: stiffness, 13: stiffness}.get(int(request[0]), nothing)
            client.sendall(link.pack(*answer).ljust(8 * numbers, b"\0"))


def measure(remote, settings, count):
    import opensees_client as client

    client.masses()
    client.upper(remote, 0.0)
    client.quake(0.0)
    _, times = client.steps(**settings, count=count)
    client.ops.wipe()
    return 1e6 * statistics.median(times)


def main(program, folder, steps):
    import opensees_client as client

    found = []
    for name, settings in CASES:
        row = {"name": name}
        for transport in ("tcp", "udp"):
            server, remote = client.serve(program, transport, "link.toml", folder + "/speed")
            row[transport] = measure(remote, settings, int(steps))
            server.communicate(timeout=60)
        server = subprocess.Popen([sys.executable, "-B", __file__, "--plain"], stdout=subprocess.PIPE, text=True)
        # Some tens of them are enough to see what a step costs.
        row["plain"] = measure((int(server.stdout.readline()), "127.0.0.1"), settings, 20)
        server.wait(timeout=60)
        found.append(row)
    print(json.dumps({"ok": 0, "cases": found}))


if __name__ == "__main__":
    plain() if sys.argv[1] == "--plain" else main(*sys.argv[1:])
