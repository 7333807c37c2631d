"""Texts of blocks in braces, `node wet { states = (dry, wet); visual { … }; }`, as GeNIe's DSL and Netica's DNE have them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from dconvex.formats.scanner import Excerpt, Scanner, blank

INSIDE = r'(?:[^"\\]++|\\.)*+'
STRING = f'"{INSIDE}"'
COMMENT = re.compile(rf"{STRING}?+|(//[^\n]*+|/\*.*?\*/)", re.DOTALL)  # a string without an end goes on to the end of the text
WORD = re.compile(r"[\w.@#-]++")
EQUALS, OPEN, CLOSE, SEMICOLON = re.compile(r"="), re.compile(r"\{"), re.compile(r"\}"), re.compile(r";")
OPEN_VALUE = re.compile(r"(?:\w++\s*+)?\{")
VALUE = re.compile(rf'((?:[^;{{}}"]++|{STRING})*+);', re.DOTALL)
MOST_NESTED = 100
ITEM = re.compile(rf'"({INSIDE})"|([^\s,()"]++)', re.DOTALL)


@dataclass(slots=True)
class Block:
    """`kind name { … }`, or `key = { … }`: what is assigned inside, and the blocks inside."""

    kind: str
    name: str
    position: int
    values: dict[str, Excerpt] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)

    def inside(self, key: str) -> Block | None:
        """The first block with that kind."""
        return next((block for block in self.blocks if block.kind == key), None)

    def words(self, key: str) -> list[str]:
        """The words and strings of a value, without brackets; none where there is no such value."""
        return [word for word, _ in items(self.values[key])] if key in self.values else []

    def word(self, key: str) -> str:
        """The first word of a value, or nothing."""
        return next(iter(self.words(key)), "")


def items(value: Excerpt) -> Iterator[tuple[str, int]]:
    """The words and strings of a value with their positions in it, without brackets and commas."""
    for item in ITEM.finditer(value.text):
        string, word = item.groups()
        yield word if string is None else re.sub(r"\\(.)", r"\1", string, flags=re.DOTALL), item.start()


def read_blocks(text: str, path: str) -> tuple[Scanner, Block]:
    """The one block that a text consists of; comments count as white space."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    scanner = Scanner(COMMENT.sub(lambda found: blank(found) if found.group(1) else found.group(), lines), path)
    root = _begun(scanner)
    is_open = [root]
    while is_open:
        if scanner.take(CLOSE):
            scanner.take(SEMICOLON)
            is_open.pop()
            continue
        position = scanner.skip_space()
        key = scanner.expect(WORD, "'name = value;', a block or '}'").group()
        if not scanner.take(EQUALS):
            scanner.position = position
            inner = _begun(scanner)
        elif scanner.take(OPEN_VALUE):
            inner = Block(key, "", position)
        else:
            value = scanner.expect(VALUE, "a value and ';'")
            is_open[-1].values[key] = scanner.excerpt(*value.span(1))
            continue
        if len(is_open) == MOST_NESTED:
            scanner.fail("the blocks are nested too deeply", position)
        is_open[-1].blocks.append(inner)
        is_open.append(inner)
    return scanner, root


def _begun(scanner: Scanner) -> Block:
    """`kind name {` or `kind {`."""
    position = scanner.skip_space()
    kind = scanner.expect(WORD, "the name of a block").group()
    name = scanner.take(WORD)
    scanner.expect(OPEN, "'{'")
    return Block(kind, name.group() if name else "", position)
