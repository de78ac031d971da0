"""Numbers in svmlight files: to the last bit those that Python reads."""

from decimal import Decimal

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from fixtures.svmlight_reading import VALUES, small  # noqa: F401
from rosenblatt import data
from rosenblatt.data import svmlight


def bits(numbers):
    return np.array(numbers, np.float64).view(np.int64).tolist()


@st.composite
def decimals(draw):
    """Draw numbers as strings: few digits and many, tiny and huge, subnormal, and halfway between two floats."""
    kind = draw(st.sampled_from(["any", "digits", "float", "halfway"]))
    if kind == "float":
        return repr(draw(VALUES))
    if kind == "halfway":
        whole = 2 * draw(st.integers(2**52, 2**53 - 1)) + 1
        return f"{Decimal(whole * 2 ** draw(st.integers(0, 20))) / Decimal(2) ** draw(st.integers(0, 3)):f}"
    digits = draw(st.text("0123456789", min_size=1, max_size=30 if kind == "any" else 19))
    point = draw(st.integers(0, len(digits)))
    number = (
        draw(st.sampled_from(["", "-", "+"]))
        + digits[:point]
        + draw(st.sampled_from(["", "."]))
        + digits[point:]
    )
    exponent = draw(st.integers(-345, 307 - len(digits)) | st.none())
    return number if exponent is None else f"{number}{draw(st.sampled_from('eE'))}{exponent}"


@given(st.lists(decimals(), min_size=1, max_size=40))
@example(
    ["-0", "+1", ".5", "5.", "1e-3", "0e99999", "9007199254740993", "9007199254740992.9999999999999999999"]
)
@example(
    [
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.2250738585072011e-308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1e-999",
    ]
)
@example(
    ["1" * 400 + "e-390", "0." + "0" * 400 + "1e390", "123456789012345678" * 2, "9" * 19, "9" * 20, "9" * 16]
)
def test_read_svmlight_parses_numbers_as_python(numbers):
    table = data.read_svmlight([f"{number} 1:{number}" for number in numbers])
    assert bits(table.y) == bits(table.X.data) == bits([float(number) for number in numbers])


def test_read_svmlight_parses_every_power_of_ten():
    digits = ["1", "3", "9007199254740991", "9007199254740993", "1234567890123456789"]
    test_read_svmlight_parses_numbers_as_python.hypothesis.inner_test(
        [f"{some}e{power}" for some in digits for power in range(-345, 290)]
    )


def test_read_svmlight_falls_back_for_few_lines(monkeypatch):
    monkeypatch.setattr(svmlight, "SMALL", 0)
    lines = [
        f"{i} 1:{v!r} 2:{v:.3g}\t3:{v:.25f}\r\n"
        for i, v in enumerate(np.random.default_rng(0).random(1000).tolist())
    ]
    looked, read = [], svmlight.read_line
    monkeypatch.setattr(svmlight, "read_line", lambda *line: looked.append(line) or read(*line))
    assert bits(data.read_svmlight(lines).X.data) == bits(
        [float(f) for line in lines for f in values_of(line)]
    )
    assert len(looked) < 10


def values_of(line):
    return [cell.partition(":")[2] for cell in line.split()[1:]]
