"""DynamoDB's numbers: 38 significant digits, magnitudes 1E-130 to 9.99…E+125, kept as canonical
text.

Canonical text is what DynamoDB answers: plain notation, no superfluous zeros. Equal numbers have
equal text.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal

from sortkey.errors import ValidationException

DIGITS_MAX = 38
MAGNITUDE_MAX = 125
MAGNITUDE_MIN = -130

NOT_NUMERIC = "The parameter cannot be converted to a numeric value"
TOO_PRECISE = "Attempting to store more than 38 significant digits in a Number"
OVERFLOW = (
    "Number overflow. Attempting to store a number with magnitude larger than supported range"
)
UNDERFLOW = (
    "Number underflow. Attempting to store a number with magnitude smaller than supported range"
)


def canonical(text: str) -> str:
    """The number in the form that DynamoDB returns. Raises ValidationException in AWS's words."""
    if len(text) <= DIGITS_MAX and text.isdigit() and text.isascii() and text[0] != "0":
        return text
    sign, digits, exponent = _parts(text)
    significant = digits.lstrip("0")
    if not significant:
        _check_magnitude(exponent)  # AWS checks the exponent of a zero too
        return "0"
    trimmed = significant.rstrip("0")
    exponent += len(significant) - len(trimmed)
    # DynamoDB Local checks the precision first: 39 digits E+200 are too precise, not an overflow.
    if len(trimmed) > DIGITS_MAX:
        raise ValidationException(TOO_PRECISE)
    _check_magnitude(exponent + len(trimmed) - 1)
    return sign + _plain(trimmed, exponent)


def encode(text: str) -> bytes:
    """Bytes that sort like the numbers, none of which is a prefix of another. `text` is
    canonical.
    """
    if text.isdigit():  # nearly all key numbers: counters and times
        return _encode_integer(text)
    negative = text[0] == "-"
    whole, _, fraction = text[negative:].partition(".")
    if whole != "0":
        magnitude, digits = len(whole) - 1, whole + fraction
    else:
        digits = fraction.lstrip("0")
        magnitude = len(digits) - len(fraction) - 1
    if not fraction:
        digits = digits.rstrip("0")
    if negative:
        nibbles = digits.translate(_NIBBLES_NEGATIVE) + ("fff" if len(digits) & 1 else "ff")
        return bytes((0x40, MAGNITUDE_MAX - magnitude)) + bytes.fromhex(nibbles)
    nibbles = digits.translate(_NIBBLES_POSITIVE) + ("000" if len(digits) & 1 else "00")
    return bytes((0xC0, magnitude - MAGNITUDE_MIN)) + bytes.fromhex(nibbles)


def add(a: str, b: str) -> str:
    """The exact sum. A sum of more than 38 digits is refused, as DynamoDB does; it is never
    rounded.
    """
    if "." in a or "." in b:
        return _result(format(_EXACT.add(Decimal(a), Decimal(b)), "f"))
    return _result(str(int(a) + int(b)))


def subtract(a: str, b: str) -> str:
    """The exact difference, under the rules of `add`."""
    if "." in a or "." in b:
        return _result(format(_EXACT.subtract(Decimal(a), Decimal(b)), "f"))
    return _result(str(int(a) - int(b)))


def compare(a: str, b: str) -> int:
    """-1, 0 or 1 for two canonical numbers."""
    if a == b:
        return 0
    return -1 if as_number(a) < as_number(b) else 1


def as_number(text: str) -> int | Decimal:
    """A canonical number as the cheapest exact Python number."""
    return Decimal(text) if "." in text else int(text)


def _encode_integer(text: str) -> bytes:
    if text == "0":
        return b"\x80"
    digits = text.rstrip("0")
    nibbles = digits.translate(_NIBBLES_POSITIVE) + ("000" if len(digits) & 1 else "00")
    return _INTEGER_HEADS[len(text)] + bytes.fromhex(nibbles)


def _result(text: str) -> str:
    """The result of a calculation. AWS checks its magnitude before its precision, unlike for a
    number of a request.
    """
    if not text.strip("-0."):
        return "0"  # however many places it has
    try:
        return canonical(text)
    except ValidationException:
        if len(text.lstrip("-").partition(".")[0]) > MAGNITUDE_MAX + 1:
            raise ValidationException(OVERFLOW) from None
        raise


# The sum of the largest and the smallest number spans 126 + 130 + 37 digits; so this context never
# rounds.
_EXACT = Context(prec=320)
_NIBBLES_POSITIVE = str.maketrans("0123456789", "123456789a")
_NIBBLES_NEGATIVE = str.maketrans("0123456789", "a987654321")
_INTEGER_HEADS = [
    bytes((0xC0, length - 1 - MAGNITUDE_MIN)) if length else b""
    for length in range(MAGNITUDE_MAX + 2)
]

# AWS reads numbers with Java's BigDecimal: "+1", ".5", "5." and "1e5" are numbers; spaces, "1_0"
# and "NaN" are not. Python's own digits include other scripts' (as BigDecimal's do); we refuse
# those.
_NUMBER = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?)0*([0-9]{1,10}))?")
_EXPONENT_MAX = 2**31 - 1


def _parts(text: str) -> tuple[str, str, int]:
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise _not_numeric(text)
    sign, whole, fraction, exponent_sign, exponent_digits = match.groups(default="")
    digits = whole + fraction
    stated_exponent = int(exponent_sign + exponent_digits) if exponent_digits else 0
    exponent = stated_exponent - len(fraction)
    if not digits or abs(stated_exponent) > _EXPONENT_MAX or abs(exponent) > _EXPONENT_MAX:
        raise _not_numeric(text)
    return ("-" if sign == "-" else ""), digits, exponent


def _check_magnitude(magnitude: int) -> None:
    if magnitude > MAGNITUDE_MAX:
        raise ValidationException(OVERFLOW)
    if magnitude < MAGNITUDE_MIN:
        raise ValidationException(UNDERFLOW)


def _plain(digits: str, exponent: int) -> str:
    if exponent >= 0:
        return digits + "0" * exponent
    point = len(digits) + exponent
    if point > 0:
        return f"{digits[:point]}.{digits[point:]}"
    return "0." + "0" * -point + digits


def _not_numeric(text: str) -> ValidationException:
    return ValidationException(f"{NOT_NUMERIC}: {text}" if text else NOT_NUMERIC)
