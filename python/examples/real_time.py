"""A specimen of Python in real time, at 1 kHz in a process of its own; and how often it answered too late.

    python real_time.py models/isolated-building.toml 5 test.h5
"""

from __future__ import annotations

import sys

import interfield


class Isolators:
    """A spring of 3 kN/mm in series with a slider of 120 kN, and 0.4 kN/mm beside them; N and m."""

    def __init__(self) -> None:
        self.place = 0.0

    def force(self, t: float, u: float, v: float) -> float:
        trial = 3e6 * (u - self.place)
        if abs(trial) > 120e3:
            self.place = u - 120e3 / 3e6 * (1 if trial > 0 else -1)
        return 3e6 * (u - self.place) + 0.4e6 * u


def main(path: str, seconds: str, output: str) -> None:
    model = interfield.Model.from_file(path)
    model.change("specimen", "isolators", rate="1 kHz")
    try:
        result = model.run(
            until=f"{seconds} s", dt="4 ms", specimens={"isolators": Isolators()}, real_time=True, output=output, progress=False
        )
    except interfield.RunError as stopped:
        # What its limits say about late answers ended the test.
        if stopped.result is None:
            raise
        result = stopped.result
    rig = result.outcome["laboratory"][0]
    print(f"{rig['samples']} samples, {rig['account']['stale']:.0f} without a new measurement in time; {result.verdict}")


# The process of the specimen reads this file too, and must not begin another test.
if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3])
