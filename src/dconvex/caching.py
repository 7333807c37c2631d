"""Properties that are computed once, without a lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class cached_property(Generic[Value]):  # noqa: N801
    """What `functools.cached_property` is from Python 3.12 on: two threads may both compute a value, none waits.

    Before, all objects of a class share one lock, which a child that is forked while another thread computes never gets.
    Whatever is computed must therefore be the same every time.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> cached_property[Value]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance: object | None, owner: type) -> cached_property[Value] | Value:
        if instance is None:
            return self
        value: Value = self._compute(instance)
        instance.__dict__[self._name] = value
        return value
