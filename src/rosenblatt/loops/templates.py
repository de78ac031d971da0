"""From symbols to features: templates as walks through one table of numbers.

A walk begins at the root of its template and takes a step per part: the table knows, for a place and a
symbol, the next place, or at the last step the feature. So features are exact whatever their parts are, and
no text is ever put together.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.compiling import compilable, compiled, inlined

UNKNOWN = -1
"""A symbol never seen, or a feature that has no number."""

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2⁶⁴ divided by the golden ratio: multiples of it spread evenly."""


@inlined
def slot_of(table, key):
    """Where a key is in the table, or the free slot where it would be.

    A slot is a key, 0 if it is free, and beside it its value; there are a power of 2 of them.
    """
    mask = np.uint64(table.shape[0] // 2 - 1)
    mixed = np.uint64(key) * MULTIPLIER
    slot = (mixed ^ (mixed >> np.uint64(32))) & mask
    while table[slot << np.uint64(1)] != key and table[slot << np.uint64(1)] != 0:
        slot = (slot + np.uint64(1)) & mask
    return slot << np.uint64(1)


@inlined
def symbol_at(symbols, first, last, token, offset, column):
    """What a part of a template sees; beyond the ends, a symbol for every distance from them."""
    seen = token + offset
    if seen < first:
        return np.int64(0xFFFFFFFF - 2 * (first - seen))
    if seen >= last:
        return np.int64(0xFFFFFFFF - 2 * (seen - last) - 3)
    return np.int64(symbols[seen, column])


@inlined
def walk(symbols, first, last, token, template, roots, bounds, offsets, columns, firsts, known, table):
    """The feature that a template has at a token, or UNKNOWN."""
    part = bounds[template]
    column = symbol_at(symbols, first, last, token, offsets[part], columns[part])
    if column >= known:  # beyond the ends
        column = known + 0xFFFFFFFF - column
    if column < 0 or column >= firsts.shape[1]:
        column = np.int64(firsts.shape[1] - 1)  # where nothing leads anywhere
    place = -2 - np.int64(firsts[roots[template], column])
    for part in range(bounds[template] + 1, bounds[template + 1]):
        symbol = symbol_at(symbols, first, last, token, offsets[part], columns[part])
        if symbol < 0 or place < 0:
            return np.int64(UNKNOWN)
        slot = slot_of(table, place << 32 | symbol)
        if table[slot] == 0:
            return np.int64(UNKNOWN)
        place = -2 - table[slot + np.uint64(1)]
    return -2 - place


@compiled
def find(symbols, starts, roots, bounds, offsets, columns, firsts, known, table, features):
    """The features (tokens × templates) of sequences, UNKNOWN where there is none.

    `firsts` holds the first steps of the table (roots × known symbols, those beyond the ends, and none).
    """
    for i in range(starts.shape[0] - 1):
        first, last = starts[i], starts[i + 1]
        for token in range(first, last):
            for template in range(roots.shape[0]):
                features[token, template] = walk(
                    symbols,
                    first,
                    last,
                    token,
                    template,
                    roots,
                    bounds,
                    offsets,
                    columns,
                    firsts,
                    known,
                    table,
                )


@compilable
def step_learning(table, key, last, size, tally):
    """Take a step, and make it first where it was never taken: to a new feature if it is the last."""
    slot = slot_of(table, key)
    if table[slot] == 0:
        table[slot] = key
        tally[0] += 1
        if last:
            table[slot + np.uint64(1)] = tally[2]
            tally[2] += size
        else:
            table[slot + np.uint64(1)] = -2 - tally[1]
            tally[1] += 1
    return table[slot + np.uint64(1)]


@compiled
def learn(symbols, starts, roots, bounds, offsets, columns, sizes, table, tally, begin, features):
    """The same, where what was never seen becomes a new feature, from round `begin` on.

    `tally` counts the steps in the table, the places and the features; a new feature of a template takes
    as many numbers as its size says. Returns the round to come back to with a larger table.
    """
    most = table.shape[0] // 4
    for i in range(begin, starts.shape[0] - 1):
        first, last = starts[i], starts[i + 1]
        if tally[0] + (last - first) * columns.shape[0] > most:
            return i
        for token in range(first, last):
            for template in range(roots.shape[0]):
                place, end = np.int64(roots[template]), bounds[template + 1] - 1
                for part in range(bounds[template], end + 1):
                    symbol = symbol_at(symbols, first, last, token, offsets[part], columns[part])
                    key = place << 32 | symbol
                    place = -2 - step_learning(table, key, part == end, sizes[template], tally)
                features[token, template] = -2 - place
    return starts.shape[0] - 1


@compiled
def rehash(old, table):
    """Move the steps into an empty table."""
    for i in range(0, old.shape[0], 2):
        if old[i] != 0:
            slot = slot_of(table, old[i])
            table[slot], table[slot + np.uint64(1)] = old[i], old[i + 1]


@compiled
def hashed(symbols, starts, roots, bounds, offsets, columns, sizes, width, features):
    """Features (tokens × templates) below `width` from what the parts look like, without a table."""
    for i in range(starts.shape[0] - 1):
        first, last = starts[i], starts[i + 1]
        for token in range(first, last):
            for template in range(roots.shape[0]):
                mixed = np.uint64(roots[template]) * MULTIPLIER
                for part in range(bounds[template], bounds[template + 1]):
                    seen = symbol_at(symbols, first, last, token, offsets[part], columns[part])
                    mixed = (mixed ^ np.uint64(seen)) * MULTIPLIER
                    mixed ^= mixed >> np.uint64(29)
                size = np.uint64(sizes[template])
                features[token, template] = np.int64(mixed % (np.uint64(width) // size) * size)
