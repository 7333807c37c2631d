"""Going ahead in the stream of a random generator, so that several threads draw what one would."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

SKIPPING = (np.random.PCG64, np.random.PCG64DXSM)
"""The bit generators of which one step gives one float; NumPy's default is among them."""


def can_skip(generator: np.random.Generator) -> bool:
    """Whether floats of this generator can be passed over."""
    return type(generator.bit_generator) in SKIPPING


def skipped(generator: np.random.Generator, floats: int) -> np.random.Generator:
    """Another generator, as this one is after it has drawn this many floats; `can_skip` must hold."""
    own = cast("Any", generator.bit_generator)
    bits = type(own)(0)
    bits.state = own.state
    bits.advance(floats)
    # advancing drops half an integer that waits for the next one of 32 bits; drawing floats does not
    bits.state = bits.state | {name: own.state[name] for name in ("has_uint32", "uinteger")}
    return np.random.Generator(bits)


def skip(generator: np.random.Generator, floats: int) -> None:
    """Leave this generator as it is after it has drawn this many floats; `can_skip` must hold."""
    generator.bit_generator.state = skipped(generator, floats).bit_generator.state
