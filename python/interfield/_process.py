"""Python specimens in real time: each in a process of its own, over shared memory.

The interpreter may pause for milliseconds (garbage, other threads). The test then sees a late answer, does what its specimen
says (`late`, `patience`), counts it, and the verdict tells; its own loop is never held up.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import json
import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import _native, callables
from .errors import CallbackError

if TYPE_CHECKING:
    from .model import Model

__all__ = ["in_processes"]


_HINT = (
    "its class or function must stand in a module that another process can import (not in a notebook), and a script that starts a "
    "real-time test needs `if __name__ == \"__main__\":`"
)
#: Longest time that a busy thread keeps the lock of the interpreter from a specimen, s: a small part of a sample.
_HANDOVER = 50e-6
#: Of pieces of shared memory of this process.
_NUMBER = itertools.count(1)


def _follow() -> None:
    """Ends this process with the one that started it, however that ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _host(source: Any, chosen: str, name: str, law: Any, dofs: int, pipe: Any) -> None:
    """The process of a specimen."""
    # Ctrl-C reaches this process too: the test still needs its specimen, to lead it home.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, daemon=True).start()
    # Another thread of the specimen gives the lock of the interpreter away after this long, not after the usual 5 ms.
    sys.setswitchinterval(_HANDOVER)
    try:
        # What is there already need not be searched for garbage while the test goes on.
        gc.freeze()
        told = _native.host(
            source, chosen, callables.spec(name, law, dofs), name, lambda address: pipe.send(("ready", address))
        )
        pipe.send(("done", json.loads(told)))
    except BaseException as e:  # whatever it was, the parent says it
        pipe.send(("failed", f"{type(e).__name__}: {e}"))


@contextlib.contextmanager
def in_processes(
    model: Model, chosen: str, specimens: Mapping[str, Any]
) -> Iterator[tuple[Any, Callable[[], dict[str, Any]]]]:
    """The model with its Python specimens behind shared memory, their processes running; and what they counted."""
    moved = model.copy()
    document = moved._open()
    _, tested = _native.parts(model._source(), chosen)
    known = {name: n for name, n, _, _ in tested}
    unknown = [name for name in specimens if name not in known]
    if unknown:
        raise ValueError(f"the model has no specimen `{unknown[0]}`; it has: {', '.join(known) or 'none'}")
    for table in document.get("specimen", []):
        if table["name"] in specimens:
            # Names of specimens may hold what names of shared memory may not; several tests may run at once.
            table["at"] = f"shm:/interfield-{os.getpid()}-{next(_NUMBER)}"
    source = moved._source()
    context = multiprocessing.get_context("spawn")
    running: dict[str, tuple[Any, Any]] = {}

    def hear(name: str) -> tuple[str, Any]:
        process, pipe = running[name]
        try:
            word, what = pipe.recv()
            return str(word), what
        except EOFError:
            process.join()
            return "ended", f"its process ended with code {process.exitcode}"

    try:
        for name, law in specimens.items():
            here, there = context.Pipe(duplex=False)
            process = context.Process(target=_host, args=(source, chosen, name, law, known[name], there), daemon=True)
            try:
                process.start()
            except (pickle.PicklingError, AttributeError, TypeError) as e:
                raise TypeError(f"specimen `{name}` cannot be sent to a process of its own: {e}\n{_HINT}") from e
            # Its end is its own: when it is gone, this is heard here.
            there.close()
            running[name] = (process, here)
        for name in running:
            word, what = hear(name)
            if word == "ended":
                raise RuntimeError(f"specimen `{name}`: {what}\n{_HINT}")
            if word != "ready":
                raise CallbackError(f"specimen `{name}`: {what}")

        def counted() -> dict[str, Any]:
            told: dict[str, Any] = {}
            for name, (_, pipe) in running.items():
                if pipe.poll(5.0):
                    word, what = hear(name)
                    told[name] = what if word == "done" else {"failed": what}
            return told

        yield source, counted
    finally:
        for process, pipe in running.values():
            process.join(1.0)
            if process.is_alive():
                process.terminate()
                process.join()
            pipe.close()
