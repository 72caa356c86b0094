"""A figure of matplotlib that shows itself in a notebook, whatever its backend."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["shown"]


def shown(width: float, height: float) -> Figure:
    """A figure without a window; sizes in inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")

    def png() -> bytes:
        out = io.BytesIO()
        figure.savefig(out, format="png", dpi=90)
        return out.getvalue()

    setattr(figure, "_repr_png_", png)
    return figure
