"""A progress bar for terminals and notebooks."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from typing import Any

__all__ = ["bar"]


def _notebook() -> bool:
    shell = sys.modules.get("IPython")
    if shell is None:
        return False
    got = shell.get_ipython()
    return got is not None and type(got).__name__ == "ZMQInteractiveShell"


class _Terminal:
    def __init__(self, title: str) -> None:
        self.title, self.begun, self.width = title, time.monotonic(), 0

    def __call__(self, done: int, all: int) -> None:
        share = done / max(all, 1)
        spent = time.monotonic() - self.begun
        left = f", {spent * (1 - share) / share:.0f} s left" if 0.02 < share < 1 and spent > 1 else ""
        text = f"{self.title} [{'#' * round(30 * share):30}] {100 * share:3.0f} %{left}"
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def close(self) -> None:
        sys.stderr.write("\r" + " " * self.width + "\r")
        sys.stderr.flush()


class _Notebook:
    def __init__(self, title: str) -> None:
        shown: Any = importlib.import_module("IPython.display")
        self.title, self.html = title, shown.HTML
        self.handle: Any = shown.display(shown.HTML(""), display_id=True)

    def __call__(self, done: int, all: int) -> None:
        self.handle.update(self.html(f"<progress value='{done}' max='{max(all, 1)}'></progress> {self.title}"))

    def close(self) -> None:
        self.handle.update(self.html(""))


def bar(title: str, wanted: bool | None) -> tuple[Callable[[int, int], None] | None, Callable[[], None]]:
    """The function to call with what is done and all there is, and the one that removes the bar. `None`: where somebody looks."""
    shown: _Terminal | _Notebook | None = None
    if wanted is not False:
        if _notebook():
            shown = _Notebook(title)
        elif wanted or sys.stderr.isatty():
            shown = _Terminal(title)
    if shown is None:
        return None, lambda: None
    return shown, shown.close
