"""A figure of matplotlib that shows itself in a notebook, whatever its backend."""

from __future__ import annotations

import io

from matplotlib.figure import Figure

__all__ = ["Shown"]


class Shown(Figure):
    """A figure without a window."""

    def _repr_png_(self) -> bytes:
        out = io.BytesIO()
        self.savefig(out, format="png", dpi=90)
        return out.getvalue()
