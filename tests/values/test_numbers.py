"""Numbers: what text is one, its canonical form, its sort key, and exact arithmetic."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.errors import ValidationException
from sortkey.values import numbers

NINES = "9" * 38
ONES = "1" * 38


def number_texts() -> st.SearchStrategy[str]:
    """Canonical texts of up to 38 digits over the whole range of magnitudes, both signs,
    and zero.
    """
    digits = st.integers(1, 10**38 - 1).map(str)
    any_number = st.builds(
        lambda sign, d, magnitude: numbers.canonical(f"{sign}{d[0]}.{d[1:]}e{magnitude}"),
        st.sampled_from(["", "-"]),
        digits,
        st.one_of(st.integers(-130, 125), st.integers(-3, 3)),
    )
    return st.one_of(any_number, st.just("0"), st.integers(-10000, 10000).map(str))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", "1"),
        ("+1", "1"),
        ("-1", "-1"),
        ("1e5", "100000"),
        ("1E+5", "100000"),
        ("1E-5", "0.00001"),
        ("-1.5e-7", "-0.00000015"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("5.", "5"),
        ("-0", "0"),
        ("-00.00", "0"),
        ("0E+3", "0"),
        ("0e125", "0"),
        ("-0e-130", "0"),
        ("0" * 200, "0"),
        ("007", "7"),
        ("1.50", "1.5"),
        ("100", "100"),
        ("100.00", "100"),
        ("1e-130", "0." + "0" * 129 + "1"),
        ("9.99e125", "999" + "0" * 123),
        (ONES, ONES),
        (ONES + "0", ONES + "0"),
        (ONES + ".000", ONES),
        ("0." + ONES, "0." + ONES),
        ("0" * 400 + "1", "1"),
    ],
)
def test_a_number_is_answered_in_plain_notation(text: str, expected: str) -> None:
    # Clients compare what they read with what they wrote; each of these is what DynamoDB Local
    # answers.
    assert numbers.canonical(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        " 1",
        "1 ",
        "1\n",
        "1_0",
        "0x1F",
        "1,0",
        ".",
        "-",
        "+",
        "--1",
        "NaN",
        "Infinity",
        "-Infinity",
        "inf",
        "abc",
        "1e",
        "e5",
        "1e1.5",
        "1e 5",
        "1d",
        "1L",
        "\x001",
        "\u0661",
        "\uff11",
        "1e99999999999",
        "0e99999999999",
        "1e-2147483648",
        "0.1e-2147483647",
    ],
)
def test_text_that_is_no_plain_decimal_is_refused(text: str) -> None:
    # Python's int and Decimal take underscores, spaces and other scripts' digits, which would then
    # be stored. DynamoDB Local refuses all of these but the digits of other scripts.
    with pytest.raises(ValidationException) as error:
        numbers.canonical(text)
    assert error.value.message == f"The parameter cannot be converted to a numeric value: {text}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The parameter cannot be converted to a numeric value"),
        ("1" * 39, numbers.TOO_PRECISE),
        ("0." + "1" * 39, numbers.TOO_PRECISE),
        ("1" * 39 + "e200", numbers.TOO_PRECISE),
        ("1e126", numbers.OVERFLOW),
        ("0e126", numbers.OVERFLOW),
        ("0e999999999", numbers.OVERFLOW),
        ("0e-131", numbers.UNDERFLOW),
        ("-1e126", numbers.OVERFLOW),
        ("1" + "0" * 126, numbers.OVERFLOW),
        ("1e1000000000", numbers.OVERFLOW),
        ("9.9e-131", numbers.UNDERFLOW),
        ("-1e-131", numbers.UNDERFLOW),
    ],
)
def test_a_number_out_of_limits_is_refused_in_the_words_of_aws(text: str, message: str) -> None:
    # The limits are part of the API: applications catch these messages.
    with pytest.raises(ValidationException) as error:
        numbers.canonical(text)
    assert error.value.message == message


@pytest.mark.parametrize(
    ("a", "b", "total", "difference"),
    [
        ("0.1", "0.2", "0.3", "-0.1"),
        ("5", "-5", "0", "10"),
        (NINES, "1", "1" + "0" * 38, "9" * 37 + "8"),
        ("1" + "0" * 38, "1", numbers.TOO_PRECISE, NINES),
        (NINES, "0.1", numbers.TOO_PRECISE, numbers.TOO_PRECISE),
        (NINES, "2", numbers.TOO_PRECISE, "9" * 37 + "7"),
        ("9" + "0" * 125, "9" + "0" * 125, numbers.OVERFLOW, "0"),
        # More than 38 digits and too large at once: AWS names the magnitude.
        (NINES + "0" * 88, "1" + "0" * 125, numbers.OVERFLOW, "8" + "9" * 37 + "0" * 88),
        ("-" + NINES + "0" * 88, "1" + "0" * 125, "-8" + "9" * 37 + "0" * 88, numbers.OVERFLOW),
        (
            "0." + "0" * 129 + "15",
            "0." + "0" * 129 + "1",
            "0." + "0" * 129 + "25",
            numbers.UNDERFLOW,
        ),
        (
            "0." + "0" * 129 + "1" * 38,
            "-0." + "0" * 129 + "1" * 38,
            "0",
            "0." + "0" * 129 + "2" * 38,
        ),
        ("1" + "0" * 125, "0." + "0" * 129 + "1", numbers.TOO_PRECISE, numbers.TOO_PRECISE),
    ],
)
def test_sums_are_exact_or_refused(a: str, b: str, total: str, difference: str) -> None:
    # A counter that rounds silently loses money; DynamoDB Local refuses where we do, in words of
    # its own.
    for operation, expected in ((numbers.add, total), (numbers.subtract, difference)):
        if expected[0].isalpha():
            with pytest.raises(ValidationException) as error:
                operation(a, b)
            assert error.value.message == expected
        else:
            assert operation(a, b) == expected


@given(number_texts())
def test_canonical_text_stays_as_it_is(text: str) -> None:
    # Stored text is read again by updates and copied to indexes; a second pass must change nothing.
    assert numbers.canonical(text) == text
    assert Decimal(text) == Decimal(numbers.as_number(text))


@given(number_texts(), number_texts())
def test_encoded_numbers_sort_as_numbers(a: str, b: str) -> None:
    # SQLite compares bytes; a range query over numbers is right only if this holds for every pair.
    expected = (Decimal(a) > Decimal(b)) - (Decimal(a) < Decimal(b))
    left, right = numbers.encode(a), numbers.encode(b)
    assert (left > right) - (left < right) == expected
    assert numbers.compare(a, b) == expected
    if expected:
        assert not left.startswith(right)


@given(st.integers(-(10**37), 10**37), st.integers(-(10**37), 10**37))
def test_integer_sums_agree_with_python(a: int, b: int) -> None:
    # The fast path for integers must not differ from the decimal one.
    x, y = numbers.canonical(str(a)), numbers.canonical(str(b))
    assert numbers.add(x, y) == numbers.canonical(str(a + b))
    assert numbers.subtract(x, y) == numbers.canonical(str(a - b))
