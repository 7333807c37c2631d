"""Linear expressions with normal noise, as programs write them: `2.5*x - y + Normal(1, 0.5)`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import NoReturn

from dconvex.formats.scanner import Excerpt

NUMBER = r"(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?"
TOKEN = re.compile(rf"\s*+(?:(?P<number>{NUMBER})|(?P<word>[^\W\d][\w.]*+)|(?P<sign>[-+*/(),^]))\s*+")


@dataclass(slots=True)
class Linear:
    """A constant, a coefficient for each variable, and the variance of the noise."""

    constant: float = 0.0
    coefficients: dict[str, float] = field(default_factory=dict)
    variance: float = 0.0

    def add(self, other: Linear, factor: float) -> None:
        """Add `factor` times another expression, whose noise is independent."""
        self.constant += factor * other.constant
        for variable, coefficient in other.coefficients.items():
            self.coefficients[variable] = self.coefficients.get(variable, 0.0) + factor * coefficient
        self.variance += factor * factor * other.variance


class Terms:
    """Reads sums of products of numbers with at most one variable, and `Normal(mean, deviation)` in place of a number."""

    def __init__(self, excerpt: Excerpt, *, is_variance: bool = False) -> None:
        """Of the two numbers of `Normal` the second is a deviation, or with `is_variance` a variance."""
        self.excerpt, self.is_variance = excerpt, is_variance
        self.tokens: list[re.Match[str]] = []
        position = 0
        while position < len(excerpt.text.rstrip()):
            found = TOKEN.match(excerpt.text, position)
            if found is None:
                excerpt.fail(f"expected a linear expression, found {excerpt.text[position:].split()[0][:40]!r}", position)
            self.tokens.append(found)
            position = found.end()
        self.next = 0

    def whole(self) -> Linear:
        """The expression, which must be all of the text."""
        found = self._sum(is_inside=False)
        self._end("expected '+' or '-'")
        return found

    def normal_alone(self) -> Linear:
        """`( mean, second number )`, which must be all of the text."""
        found = self._normal()
        self._end("expected the end of the distribution")
        return found

    def _end(self, expected: str) -> None:
        if self.next < len(self.tokens):
            self._fail(expected)

    def _normal(self) -> Linear:
        """`( mean, second number )`, the mean being an expression without noise of its own."""
        self._expect("(")
        mean = self._sum(is_inside=True)
        self._expect(",")
        second = self._sum(is_inside=True)
        self._expect(")")
        if second.coefficients or second.constant < 0 or not math.isfinite(second.constant):
            self._fail("expected a number that is not negative as the second of a normal distribution, before this")
        mean.variance += second.constant if self.is_variance else second.constant**2
        return mean

    def _sum(self, *, is_inside: bool) -> Linear:
        total, factor = Linear(), 1.0
        if self._peek() in ("+", "-"):
            factor = -1.0 if self._take() == "-" else 1.0
        while True:
            total.add(self._product(is_inside=is_inside), factor)
            if self._peek() not in ("+", "-"):
                return total
            factor = -1.0 if self._take() == "-" else 1.0

    def _product(self, *, is_inside: bool) -> Linear:
        product = self._factor(is_inside=is_inside)
        while self._peek() in ("*", "/"):
            is_division = self._take() == "/"
            other = self._factor(is_inside=is_inside)
            if is_division and not other.coefficients and not other.variance and other.constant:
                other = Linear(1.0 / other.constant)
            elif is_division:
                self._fail("expected a division by a number, before this")
            if product.coefficients or product.variance:
                product, other = other, product
            if product.coefficients or product.variance:
                self._fail("expected a linear expression; two variables are multiplied before this")
            scaled = Linear()
            scaled.add(other, product.constant)
            product = scaled
        return product

    def _factor(self, *, is_inside: bool) -> Linear:
        sign = 1.0
        while self._peek() in ("+", "-"):
            sign = -sign if self._take() == "-" else sign
        token = self.tokens[self.next] if self.next < len(self.tokens) else None
        if token is not None and token["number"] is not None:
            self.next += 1
            return Linear(sign * float(token["number"]))
        if token is None or token["word"] is None:
            self._fail("expected a number or a variable")
        self.next += 1
        found = Linear()
        if self._peek() != "(":
            found.add(Linear(0.0, {token["word"]: 1.0}), sign)
        elif token["word"].lower() == "normal" and not is_inside:
            found.add(self._normal(), sign)
        else:
            self.next -= 1
            self._fail("expected a linear expression with normal noise")
        return found

    def _peek(self) -> str | None:
        return self.tokens[self.next]["sign"] if self.next < len(self.tokens) else None

    def _take(self) -> str:
        self.next += 1
        return self.tokens[self.next - 1]["sign"]

    def _expect(self, sign: str) -> None:
        if self._peek() != sign:
            self._fail(f"expected {sign!r}")
        self.next += 1

    def _fail(self, expected: str) -> NoReturn:
        at_end = self.next >= len(self.tokens)
        found = "the end" if at_end else repr(self.tokens[self.next].group().strip()[:40])
        position = len(self.excerpt.text) if at_end else self.tokens[self.next].start()
        self.excerpt.fail(f"{expected}, found {found}", position)
