"""One tidy bar for work that takes more than a second; nothing otherwise."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.status import Status

PATIENCE = 1.0
"""Seconds until the bar appears."""


class HasRows(Protocol):
    """A table that may know the number of its rows."""

    @property
    def rows(self) -> int | None: ...


class Bar:
    """Shows how many rows have been read, after the first second."""

    def __init__(self, title: str, *, is_shown: bool) -> None:
        self.title, self.is_shown = title, is_shown
        self.total: int | None = 0
        self._done = 0
        self._began = time.monotonic()
        self._bar: Any = None

    def expect_rows_of(self, table: HasRows) -> None:
        """Add the rows of a table to those expected, if their number is known; it is asked for only if the bar is shown."""
        if not self.is_shown:
            return
        rows = table.rows
        self.total = None if self.total is None or rows is None else self.total + rows
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], total=self.total)

    def advance(self, rows: int) -> None:
        """Add to the rows that have been read."""
        self._done += rows
        if not self.is_shown or (self._bar is None and time.monotonic() - self._began < PATIENCE):
            return
        if self._bar is None:
            self._bar = _started(self.title, self.total)
        self._bar.update(self._bar.task_ids[0], completed=self._done)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()


class SampleBar:
    """Shows how many steps of a known number are done, after the first second."""

    def __init__(self, title: str, total: int, *, is_shown: bool) -> None:
        self.title, self.total, self.is_shown = title, total, is_shown
        self._began = time.monotonic()
        self._bar: Any = None

    def show(self, done: int) -> None:
        """Say how many steps are done."""
        if not self.is_shown or (self._bar is None and time.monotonic() - self._began < PATIENCE):
            return
        if self._bar is None:
            self._bar = _started(self.title, self.total, "")
        self._bar.update(self._bar.task_ids[0], completed=done)

    def __enter__(self) -> SampleBar:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()


class Iterations:
    """Shows the number of the iteration and what it has come to, after the first second."""

    def __init__(self, title: str, measure: str, *, is_shown: bool) -> None:
        self.title, self.measure, self.is_shown = title, measure, is_shown
        self._began = time.monotonic()
        self._status: Status | None = None

    def show(self, iteration: int, value: float | None = None) -> None:
        """Say how far it is."""
        if not self.is_shown or (self._status is None and time.monotonic() - self._began < PATIENCE):
            return
        come_to = "" if value is None else f", {self.measure} {value:,.3f}"
        text = f"{self.title}: iteration {iteration:,}{come_to}"
        if self._status is None:
            from rich.console import Console

            self._status = Console(stderr=True).status(text)
            self._status.start()
        self._status.update(text)

    def __enter__(self) -> Iterations:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._status is not None:
            self._status.stop()


def _started(title: str, total: int | None, unit: str = " rows") -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,.0f}" + unit), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task(title, total=total)
    bar.start()
    return bar
