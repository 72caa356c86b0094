"""The synthetic ground motion of the project's examples, in plain Python."""
import math

SAMPLING = 0.01


def samples(peak):
    """Accelerations at 0.01 j s, j = 0..2000, scaled so that the largest is `peak`; linear in between, then zero.

    Twelve sines, 0.4 to 7 Hz, weighted like the response of a soil layer of 2.5 Hz and 60 % damping, under an envelope.
    """
    out = []
    for j in range(2001):
        t = SAMPLING * j
        if t < 2.0:
            envelope = (t / 2.0) ** 2
        elif t < 8.0:
            envelope = 1.0
        else:
            envelope = math.exp(-(t - 8.0) / 2.0)
        total = 0.0
        for n in range(1, 13):
            f = 0.4 + 0.6 * (n - 1)
            a = 1.0 / math.sqrt((1.0 - (f / 2.5) ** 2) ** 2 + (1.2 * f / 2.5) ** 2)
            total += a * math.sin(2.0 * math.pi * f * t + n * n)
        out.append(envelope * total)
    scale = peak / max(abs(a) for a in out)
    return [scale * a for a in out]
