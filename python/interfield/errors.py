"""Exceptions and warnings of Interfield."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .result import Result

__all__ = [
    "CallbackError", "InterfieldError", "InterfieldWarning", "MachineError", "Message", "ModelError", "RunError",
]


@dataclass(frozen=True)
class Message:
    """One message about a model: what is wrong, where, and what to write instead."""

    severity: str
    message: str
    help: str = ""
    file: str | None = None
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        place = "" if self.line is None else f"{self.file}:{self.line}:{self.column}: "
        return place + self.message + (f" ({self.help})" if self.help else "")


class InterfieldWarning(UserWarning):
    """Something about a model or a run is doubtful."""


class InterfieldError(Exception):
    """Base of all exceptions of this package. `messages` lists everything that was found, each with its place."""

    messages: list[Message]

    def __init__(self, text: str, messages: list[Message] | None = None) -> None:
        super().__init__(text)
        self.messages = messages or []


class ModelError(InterfieldError, ValueError):
    """The model, or what was chosen for it, is wrong."""


class MachineError(InterfieldError, OSError):
    """A file, a disk, a network or a laboratory is not available."""


class RunError(InterfieldError, RuntimeError):
    """A run was begun and stopped. `result` holds what was computed up to there, if something was."""

    result: Result | None = None


class CallbackError(RunError):
    """A Python function inside of the run failed: the cause is its exception."""


def parse(text: str) -> list[Message]:
    """Messages from the native part."""
    keys = ("severity", "message", "help", "file", "line", "column")
    return [Message(**{k: m[k] for k in keys if m.get(k) is not None}) for m in json.loads(text)]


def from_native(cause: str, shown: str, messages: str) -> InterfieldError:
    """The exception for a refusal of the native part."""
    kinds = {"Input": ModelError, "Machine": MachineError, "Fault": RunError}
    return kinds[cause](shown, parse(messages))


def in_callback(name: str, cause: BaseException, failure: BaseException) -> BaseException:
    """The exception for a function that failed before the first step."""
    if not isinstance(cause, Exception):
        return cause
    error = CallbackError(f"the function of `{name}` failed: {type(cause).__name__}: {cause}\n{failure}")
    error.__cause__ = cause
    return error


def warn(text: str, stacklevel: int = 3) -> None:
    """Shows warnings of the native part as warnings of Python."""
    warn_each([str(m) for m in parse(text) if m.severity == "warning"], stacklevel + 1)


def warn_each(texts: list[str], stacklevel: int = 3) -> None:
    """Shows sentences as warnings of Python."""
    for text in texts:
        warnings.warn(text, InterfieldWarning, stacklevel=stacklevel)
