"""Words in boxes: all of them, in order, within the box, marks around their own word only."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from dconvex.display.drawing import Look, Rectangle, Text
from dconvex.display.geometry import Box
from dconvex.display.text_block import Word, text_block
from dconvex.display.typeface import text_width

MARK = Look(fill="#123456")
WORDS = st.builds(
    Word,
    st.text("ab ,", min_size=1, max_size=8).filter(str.strip),
    st.sampled_from(["#111111", "#999999"]),
    st.sampled_from([None, MARK]),
)


@given(st.lists(st.lists(WORDS, max_size=6), max_size=3))
def test_words_stand_in_order_within_the_box(parts):
    words = text_block(parts, 8.0, 2.0, text_width)
    box = Box(0.0, 0.0, *words.size)
    shapes = list(words.shapes(box))
    written = [shape for shape in shapes if isinstance(shape, Text)]
    marked = [(mark, text) for mark, text in itertools.pairwise(shapes) if isinstance(mark, Rectangle)]
    assert [text.text for _, text in marked] == [word.text for part in parts for word in part if word.mark]
    plain = "".join(text.text for text in written).replace(",", "").replace(" ", "")
    assert plain == "".join(word.text for part in parts for word in part).replace(",", "").replace(" ", "")
    for text in written:
        assert box.left <= text.x - text.width / 2
        assert text.x + text.width / 2 <= box.right + 1e-6
        assert box.top <= text.y - 4
        assert text.y + 4 <= box.bottom
    for mark, text in marked:
        assert mark.box.left <= text.x - text.width / 2
        assert mark.box.right >= text.x + text.width / 2
