"""Decimal numbers in text, parsed to the nearest float64.

Digits w < 2⁵³ times or through 10ᵏ, k ≤ 22, are one operation on two exact floats, and so rounded once
(W. Clinger, How to read floating point numbers accurately, PLDI 1990). Other numbers are w · 10ᵏ by a product
of w with the first 128 bits of 5ᵏ (D. Lemire, Number parsing at a gigabyte per second, Software: Practice and
Experience 51 (2021), algorithm 1). Where even that is not enough, a number is unclear and left to the caller.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.compiling import compilable, merged
from rosenblatt.loops.instructions import byte_at, high_product, leading_zeros, trailing_zeros, word_at

ZERO, NINE, POINT, PLUS, MINUS, EXPONENT, SPACE, NEWLINE = map(ord, "09.+-e \n")

LEAST, MOST = -342, 308
"""Exponents of ten beyond which every number of 19 digits is 0 or infinite."""

DIGITS = 19
"""Numbers of this many digits are below 2⁶⁴."""

FAR = 100_000
"""Exponents are clipped here."""

EXACT = np.array([10.0**k for k in range(23)])
"""The powers of ten that are floats."""

SHIFTS = np.array([10**k for k in range(9)], np.uint64)
"""SHIFTS[k] is the factor of digits that k more follow."""


def _fives() -> list[tuple[int, int]]:
    """The first 128 bits of 5ᵏ as two words; rounded up where a product with them may be exact."""
    powers = []
    for k in range(LEAST, MOST + 1):
        five = 5 ** abs(k)
        bits = five.bit_length()
        if k >= 0:
            power = five << (128 - bits) if bits <= 128 else five >> (bits - 128)
        else:
            power = (1 << (bits + 127)) // five + (k >= -27)
        powers.append((power >> 64, power & (2**64 - 1)))
    return powers


FIVES = np.array(_fives(), np.uint64)


@compilable
def nearest(w, exponent):
    """The float64 nearest to w · 10^exponent, w > 0; −1 where that is unclear, infinite or subnormal."""
    if exponent < LEAST or exponent > MOST:
        return -1.0
    empty = leading_zeros(w)
    w <<= np.uint64(empty)
    five = exponent - LEAST
    low, high = w * FIVES[five, 0], high_product(w, FIVES[five, 0])
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):
        more = high_product(w, FIVES[five, 1])
        low += more
        if low < more:
            high += np.uint64(1)
        if low == np.uint64(0xFFFFFFFFFFFFFFFF):
            return -1.0
    top = high >> np.uint64(63)
    mantissa = high >> (top + np.uint64(9))
    power = ((217706 * exponent) >> 16) + 63 + np.int64(top) - empty + 1023
    if power <= 0 or power >= 2046:
        return -1.0
    halfway = low <= np.uint64(1) and -4 <= exponent <= 23 and mantissa << (top + np.uint64(9)) == high
    if halfway and mantissa & np.uint64(3) == np.uint64(1):
        mantissa &= ~np.uint64(1)  # to the even one
    mantissa = (mantissa + (mantissa & np.uint64(1))) >> np.uint64(1)
    # A mantissa that was rounded up to 2⁵³ carries into the power.
    return np.uint64((np.uint64(power - 1) << np.uint64(52)) + mantissa).view(np.float64)


@merged
def others(word):
    """The highest bit of the first byte that is not a digit, perhaps of some after it; 0 if all are."""
    apart = word ^ np.uint64(0x3030303030303030)
    return ((apart + np.uint64(0x7676767676767676)) | apart) & np.uint64(0x8080808080808080)


@merged
def number_of(word, count):
    """The number that the first 1 to 8 bytes are digits of."""
    pairs = (word ^ np.uint64(0x3030303030303030)) << np.uint64(64 - 8 * count)
    pairs = (pairs * np.uint64(2561)) >> np.uint64(8)
    fours = ((pairs & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601)) >> np.uint64(16)
    return ((fours & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001)) >> np.uint64(32)


@merged
def is_digit(word):
    """Whether the first byte is a digit."""
    return np.uint64(ZERO) <= word & np.uint64(255) <= np.uint64(NINE)


@merged
def digits(text, at, word, w):
    """Append the digits at a position, where `word` is read, to w; return w and the position after them."""
    count = trailing_zeros(others(word)) >> 3
    while count == 8:
        w = w * SHIFTS[8] + number_of(word, 8)
        at += 8
        word = word_at(text, at)
        count = trailing_zeros(others(word)) >> 3
    if count > 0:
        w = w * SHIFTS[count] + number_of(word, count)
    return w, at + count


@compilable
def exponent_at(text, at):
    """Return the exponent after an e, and the position after it; −1 if it is not an exponent."""
    sign = byte_at(text, at)
    if sign == MINUS or sign == PLUS:
        at += 1
    first, exponent = at, 0
    while ZERO <= byte_at(text, at) <= NINE:
        exponent = min(10 * exponent + byte_at(text, at) - ZERO, FAR)
        at += 1
    return (-exponent if sign == MINUS else exponent), (at if at > first else -1)


@compilable
def many_digits(text, at, exponent):
    """Return a number of more than 19 digits, perhaps with a point, whose last digit counts 10^exponent.

    It lies between its first 19 digits and those plus one; where these give different floats it is −1.
    """
    w, taken, dropped = np.uint64(0), 0, 0
    code = byte_at(text, at)
    while ZERO <= code <= NINE or code == POINT:
        if code != POINT:
            if taken < DIGITS:
                w = w * np.uint64(10) + np.uint64(code - ZERO)
                taken += 1 if w > np.uint64(0) else 0
            else:
                dropped += 1
        at += 1
        code = byte_at(text, at)
    if w == np.uint64(0):
        return 0.0
    value = nearest(w, exponent + dropped)
    return value if dropped == 0 or value == nearest(w + np.uint64(1), exponent + dropped) else -1.0


@merged
def magnitude_at(text, at, word):
    """Return the number without a sign at a position, and the position after it; −1 if none or unclear."""
    first = at
    if word >> np.uint64(8) & np.uint64(255) == np.uint64(POINT) and is_digit(word):
        w, at = (word & np.uint64(255)) - np.uint64(ZERO), at + 1
    else:
        w, at = digits(text, at, word, np.uint64(0))
    count, exponent = at - first, 0
    if byte_at(text, at) == POINT:
        point = at + 1
        w, at = digits(text, point, word_at(text, point), w)
        exponent = point - at
        count -= exponent
    if byte_at(text, at) | 32 == EXPONENT:
        raised, at = exponent_at(text, at + 1)
        exponent += raised
    if count <= DIGITS and w < np.uint64(2**53) and -22 <= exponent <= 22:
        whole = np.float64(np.int64(w))
        value = whole / EXACT[-exponent] if exponent < 0 else whole * EXACT[exponent]
    elif count > DIGITS:
        value = many_digits(text, first, exponent)
    else:
        value = nearest(w, exponent) if w > np.uint64(0) else 0.0
    if count == 0 or value < 0.0:
        at = -1
    return value, at


@merged
def decimal_at(text, at):
    """Return the number at a position, and the position after it; −1 if there is none or it is unclear."""
    word, code = word_at(text, at), byte_at(text, at)
    after = byte_at(text, at + 1)
    if is_digit(word) and (after == SPACE or after == NEWLINE):  # the most frequent case: 1
        return np.float64(code - ZERO), at + 1
    negative = code == MINUS
    if negative or code == PLUS:
        at += 1
        word = word_at(text, at)
    value, at = magnitude_at(text, at, word)
    return (-value if negative else value), at
