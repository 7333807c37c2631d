"""Codes of integers and of texts, against dictionaries."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dconvex._core import MISSING_CODE, IntegerEncoder, TextEncoder

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32]
CODES = [np.int8, np.int32]


def encoded(values, out_type=np.int32, known=None):
    """All codes; values get codes in the order in which they come."""
    encoder, out, known = IntegerEncoder(), np.full(len(values), 99, out_type), {} if known is None else known
    index = encoder.encode(values, out, 0)
    while index >= 0:
        known[int(values[index])] = len(known)
        encoder.add(int(values[index]), known[int(values[index])])
        index = encoder.encode(values, out, index)
    assert len(encoder) == len(known)
    return out


def arrow(texts, offset_type=np.int32):
    """Offsets and bytes of texts, as Arrow holds them."""
    offsets = np.cumsum([0, *map(len, texts)]).astype(offset_type)
    return offsets, np.frombuffer(b"".join(texts), np.uint8)


def encoded_texts(texts, out_type=np.int32, offset_type=np.int32):
    encoder, out, known = TextEncoder(), np.full(len(texts), 99, out_type), {}
    offsets, text = arrow(texts, offset_type)
    index = encoder.encode(offsets, text, out, 0)
    while index >= 0:
        assert texts[index] not in known
        known[texts[index]] = len(known)
        encoder.add(texts[index], known[texts[index]])
        index = encoder.encode(offsets, text, out, index)
    assert len(encoder) == len(known)
    return out


def in_order_of_appearance(values):
    known = {}
    return [known.setdefault(value, len(known)) for value in values]


class TestIntegers:
    @given(st.lists(st.integers(-(2**63), 2**63 - 1)), st.randoms(use_true_random=False))
    def test_equal_values_get_equal_codes(self, values, random):
        values = values + random.sample(values, len(values) // 2)
        random.shuffle(values)
        assert encoded(np.array(values, np.int64)).tolist() == in_order_of_appearance(values)

    @pytest.mark.parametrize("value_type", INTEGERS)
    @pytest.mark.parametrize("out_type", CODES)
    def test_every_width(self, value_type, out_type):
        ends = np.iinfo(value_type)
        values = np.array([ends.max, 0, ends.min, 1, ends.max, ends.min], value_type)
        assert encoded(values, out_type).tolist() == in_order_of_appearance(values.tolist())

    def test_many_keys_make_the_table_grow(self):
        values = np.random.default_rng(1).permutation(np.arange(20_000, dtype=np.int64) << 20)
        assert encoded(np.tile(values, 2)).tolist() == [*range(20_000), *range(20_000)]

    @pytest.mark.parametrize("step", [2, -1, -3])
    def test_strides(self, step):
        values = np.arange(40, dtype=np.int64)[::step]
        assert encoded(values).tolist() == list(range(len(values)))

    def test_a_row_of_a_matrix_is_written_in_place(self):
        out = np.zeros((3, 8), np.int8)
        encoder = IntegerEncoder()
        encoder.add(7, 5)
        assert encoder.encode(np.full(6, 7), out[1, :6], 0) == -1
        assert out.tolist() == [[0] * 8, [5] * 6 + [0, 0], [0] * 8]

    def test_it_stops_at_the_first_unknown_value_and_goes_on_from_there(self):
        encoder, out = IntegerEncoder(), np.full(5, 99, np.int32)
        encoder.add(1, 10)
        values = np.array([1, 1, 2, 1, 3])
        assert encoder.encode(values, out, 0) == 2
        assert out.tolist() == [10, 10, 99, 99, 99]
        encoder.add(2, MISSING_CODE)
        assert encoder.encode(values, out, 2) == 4
        assert out.tolist() == [10, 10, -1, 10, 99]
        assert encoder.encode(values, out, 5) == -1

    def test_a_known_key_gets_another_code(self):
        encoder, out = IntegerEncoder(), np.zeros(1, np.int32)
        for code in (3, 2**31 - 1):
            encoder.add(0, code)
            encoder.encode(np.zeros(1, np.int64), out, 0)
            assert out[0] == code
        assert len(encoder) == 1

    def test_a_code_too_wide_for_a_byte_is_cut(self):
        encoder, out = IntegerEncoder(), np.zeros(1, np.int8)
        encoder.add(0, 300)
        assert encoder.encode(np.zeros(1, np.int64), out, 0) == -1
        assert out[0] == 300 - 256

    def test_nothing(self):
        assert IntegerEncoder().encode(np.empty(0, np.int64), np.empty(0, np.int8), 0) == -1
        assert len(IntegerEncoder()) == 0

    @pytest.mark.parametrize("code", [-2, 2**31, -(2**40)])
    def test_codes_that_are_none(self, code):
        encoder = IntegerEncoder()
        with pytest.raises(ValueError, match="a code must be at least -1"):
            encoder.add(0, code)
        assert len(encoder) == 0

    @pytest.mark.parametrize("first", [-1, 4])
    def test_a_first_index_outside(self, first):
        with pytest.raises(ValueError, match="outside the values"):
            IntegerEncoder().encode(np.zeros(3, np.int64), np.zeros(3, np.int8), first)

    @pytest.mark.parametrize("length", [2, 4])
    def test_lengths_that_differ(self, length):
        with pytest.raises(ValueError, match="as many codes as values"):
            IntegerEncoder().encode(np.zeros(3, np.int64), np.zeros(length, np.int8), 0)

    @pytest.mark.parametrize("value_type", [np.uint64, np.float64, np.bool_])
    def test_values_of_other_types(self, value_type):
        with pytest.raises(ValueError, match="values must be integers"):
            IntegerEncoder().encode(np.zeros(3, value_type), np.zeros(3, np.int8), 0)

    @pytest.mark.parametrize("out_type", [np.uint8, np.int16, np.int64, np.float64])
    def test_codes_of_other_types(self, out_type):
        with pytest.raises(ValueError, match="codes must be int8 or int32"):
            IntegerEncoder().encode(np.zeros(3, np.int64), np.zeros(3, out_type), 0)

    def test_outputs_that_cannot_be_written_in_place(self):
        fixed = np.zeros(3, np.int8)
        fixed.flags.writeable = False
        for out in (fixed, np.zeros(6, np.int8)[::2], [0, 0, 0]):
            with pytest.raises(TypeError):
                IntegerEncoder().encode(np.zeros(3, np.int64), out, 0)

    @pytest.mark.parametrize("values", [np.zeros((3, 1), np.int64), np.zeros(3, ">i8"), [1, 2, 3], None])
    def test_values_that_are_no_column(self, values):
        with pytest.raises(TypeError):
            IntegerEncoder().encode(values, np.zeros(3, np.int8), 0)


class TestTexts:
    @given(st.lists(st.binary(max_size=40)), st.sampled_from(CODES), st.sampled_from([np.int32, np.int64]))
    def test_equal_texts_get_equal_codes(self, texts, out_type, offset_type):
        texts = texts + texts[::2]
        assert encoded_texts(texts, out_type, offset_type).tolist() == in_order_of_appearance(texts)

    @pytest.mark.parametrize("length", range(40))
    def test_texts_that_differ_in_one_byte_or_in_length(self, length):
        text = bytes(range(65, 65 + length))
        others = [text[:k] + b"!" + text[k + 1 :] for k in range(length)]
        texts = [text, *others, text + b"\0", b"\0" + text, text]
        assert encoded_texts(texts).tolist() == in_order_of_appearance(texts)

    def test_many_texts_make_the_table_grow(self):
        texts = [b"state number %d of a variable" % k for k in range(5_000)]
        assert encoded_texts(texts * 2).tolist() == [*range(5_000), *range(5_000)]

    def test_a_part_of_a_buffer(self):
        offsets, text = arrow([b"before", b"low", b"high", b"low", b"after"])
        encoder, out = TextEncoder(), np.zeros(3, np.int8)
        encoder.add(b"low", 1)
        encoder.add(b"high", 2)
        assert encoder.encode(offsets[1:5], text, out, 0) == -1
        assert out.tolist() == [1, 2, 1]

    def test_a_known_text_gets_another_code(self):
        encoder, out = TextEncoder(), np.zeros(1, np.int32)
        for code in (3, -1, 2**31 - 1):
            encoder.add(b"a text of more than sixteen bytes", code)
            encoder.encode(*arrow([b"a text of more than sixteen bytes"]), out, 0)
            assert out[0] == code
        assert len(encoder) == 1

    @pytest.mark.parametrize("first_bit", [0, 1, 7, 8, 13])
    def test_missing_texts(self, first_bit):
        rng = np.random.default_rng(first_bit)
        is_there = rng.random(100) < 0.7
        texts = [rng.choice([b"low", b"high", b""]) if there else b"whatever lies there" for there in is_there]
        bits = np.packbits(np.concatenate([rng.random(first_bit) < 0.5, is_there]), bitorder="little")
        encoder, out = TextEncoder(), np.full(100, 99, np.int8)
        for code, text in enumerate([b"low", b"high", b""]):
            encoder.add(text, code)
        assert encoder.encode(*arrow(texts), out, 0, bits, first_bit) == -1
        known = {b"low": 0, b"high": 1, b"": 2}
        assert out.tolist() == [known[text] if there else -1 for text, there in zip(texts, is_there, strict=True)]

    @pytest.mark.parametrize(("bytes_of_bits", "first_bit"), [(1, 0), (2, 8), (2, -1), (2, 2**63 - 1)])
    def test_too_few_bits_of_validity(self, bytes_of_bits, first_bit):
        bits = np.zeros(bytes_of_bits, np.uint8)
        with pytest.raises(ValueError, match="fewer bits of validity"):
            TextEncoder().encode(*arrow([b"a"] * 9), np.zeros(9, np.int8), 0, bits, first_bit)

    def test_nothing(self):
        assert TextEncoder().encode(*arrow([]), np.empty(0, np.int8), 0) == -1
        assert encoded_texts([b""]).tolist() == [0]

    def test_offsets_that_are_not_aligned(self):
        offsets, text = arrow([b"low", b"high"])
        shifted = np.frombuffer(b"\0" + offsets.tobytes(), np.uint8)[1:].view(np.int32)
        assert not shifted.flags.aligned
        encoder, out = TextEncoder(), np.zeros(2, np.int8)
        encoder.add(b"low", 1)
        assert encoder.encode(shifted, text, out, 0) == 1
        assert out.tolist() == [1, 0]

    @pytest.mark.parametrize("offsets", [[0, 3, 2], [-1, 0, 1], [0, 2, 5], [0, 2**31 - 1, 4], [5, 5, 5]])
    @pytest.mark.parametrize("offset_type", [np.int32, np.int64])
    def test_offsets_that_leave_the_bytes(self, offsets, offset_type):
        encoder = TextEncoder()
        for text in (b"", b"a", b"aa", b"aaa"):
            encoder.add(text, 0)
        with pytest.raises(ValueError, match="must ascend and lie within"):
            encoder.encode(np.array(offsets, offset_type), np.full(4, ord("a"), np.uint8), np.zeros(2, np.int8), 0)

    @pytest.mark.parametrize(("length", "first"), [(1, 0), (3, 0), (2, -1), (2, 3)])
    def test_wrong_lengths(self, length, first):
        with pytest.raises(ValueError, match=r"as many codes as values|outside the values"):
            TextEncoder().encode(*arrow([b"a", b"b"]), np.zeros(length, np.int8), first)

    def test_no_offsets_at_all(self):
        with pytest.raises(ValueError, match=r"n \+ 1 offsets"):
            TextEncoder().encode(np.empty(0, np.int32), np.empty(0, np.uint8), np.empty(0, np.int8), 0)

    def test_other_types(self):
        offsets, text = arrow([b"a"])
        with pytest.raises(ValueError, match="offsets must be int32 or int64"):
            TextEncoder().encode(offsets.astype(np.int16), text, np.zeros(1, np.int8), 0)
        with pytest.raises(ValueError, match="codes must be int8 or int32"):
            TextEncoder().encode(offsets, text, np.zeros(1, np.int16), 0)
        with pytest.raises(TypeError):
            TextEncoder().encode(offsets, text.astype(np.int16), np.zeros(1, np.int8), 0)
        with pytest.raises(TypeError):
            TextEncoder().add("text", 0)

    def test_a_code_that_is_none(self):
        with pytest.raises(ValueError, match="a code must be at least -1"):
            TextEncoder().add(b"a", -2)


class TestObjects:
    def encoded(self, values, out_type=np.int8):
        encoder, out, known = TextEncoder(), np.full(len(values), 99, out_type), {}
        index = encoder.encode_objects(values, out, 0)
        while index >= 0:
            known[values[index]] = len(known)
            encoder.add(values[index].encode(), known[values[index]])
            index = encoder.encode_objects(values, out, index)
        return out

    @given(st.lists(st.one_of(st.none(), st.just(float("nan")), st.text(alphabet="ab\u00e9\U0001f600", max_size=20))))
    def test_equal_texts_get_equal_codes_and_missing_cells_none(self, values):
        texts = [value for value in values if isinstance(value, str)]
        codes = iter(in_order_of_appearance(texts))
        expected = [next(codes) if isinstance(value, str) else -1 for value in values]
        array = np.empty(len(values), object)
        array[:] = values
        assert self.encoded(array).tolist() == expected
        assert self.encoded(array, np.int32).tolist() == expected

    def test_texts_in_arrow_and_objects_share_their_codes(self):
        encoder, out = TextEncoder(), np.zeros(1, np.int32)
        encoder.add("größer".encode(), 5)
        assert encoder.encode_objects(np.array(["größer"], object), out, 0) == -1
        assert out[0] == 5

    def test_strides(self):
        values = np.array(["a", None, "b", None, "a", None], object)[::2]
        assert self.encoded(values).tolist() == [0, 1, 0]
        assert self.encoded(values[::-1]).tolist() == [0, 1, 0]

    @pytest.mark.parametrize("value", [1, True, 1.5, b"a", np.str_("a"), "\ud800", (), object()])
    def test_all_else_is_unknown(self, value):
        encoder, out = TextEncoder(), np.zeros(2, np.int8)
        encoder.add(b"a", 1)
        values = np.empty(2, object)
        values[:] = ["a", value]
        assert encoder.encode_objects(values, out, 0) == 1
        assert encoder.encode_objects(values, out, 2) == -1
        assert out.tolist() == [1, 0]

    def test_an_array_that_was_never_filled(self):
        assert self.encoded(np.empty(3, object)).tolist() == [-1, -1, -1]
        assert self.encoded(np.empty(0, object)).tolist() == []

    @pytest.mark.parametrize("values", [np.zeros(2), np.zeros((2, 1), object), np.array(["a", "b"])])
    def test_arrays_of_other_types(self, values):
        with pytest.raises(ValueError, match="a column of objects"):
            TextEncoder().encode_objects(values, np.zeros(2, np.int8), 0)

    def test_other_wrong_calls(self):
        values = np.array(["a", "b"], object)
        for length, first in ((1, 0), (3, 0), (2, -1), (2, 3)):
            with pytest.raises(ValueError, match=r"as many codes as values|outside the values"):
                TextEncoder().encode_objects(values, np.zeros(length, np.int8), first)
        with pytest.raises(ValueError, match="codes must be int8 or int32"):
            TextEncoder().encode_objects(values, np.zeros(2, np.int16), 0)
        with pytest.raises(TypeError):
            TextEncoder().encode_objects(["a", "b"], np.zeros(2, np.int8), 0)


def test_threads_that_share_an_encoder_are_refused_and_do_no_harm():
    encoder, refused = IntegerEncoder(), []
    values = np.zeros(2_000_000, np.int64)
    encoder.add(0, 1)

    def encode():
        out = np.zeros(len(values), np.int8)
        try:
            for _ in range(5):
                assert encoder.encode(values, out, 0) == -1
                encoder.add(0, 1)
        except RuntimeError as error:
            refused.append(str(error))

    workers = [threading.Thread(target=encode) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert set(refused) <= {"another thread uses the encoder"}
    assert len(encoder) == 1
