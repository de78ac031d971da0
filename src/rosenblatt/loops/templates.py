"""From symbols to features: templates as walks through a table of numbers.

A walk begins at the root of its template and takes a step per part: the table knows, for a place and what is
seen there, the next place, or at the last step the feature. So features are exact whatever their parts are,
and no text is ever put together. Most walks are one step, and so the first steps stand apart (seen × roots),
where they are found at once.

What is seen is a number: first those for beyond the ends of a sequence, at every distance, then the symbols.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.compiling import compilable, inlined, without_counting
from rosenblatt.loops.mixing import MULTIPLIER, spread

UNKNOWN = -1
"""A symbol never seen, or a feature that has no number."""


@inlined
def slot_of(table, key):
    """Where a key is in the table, or the free slot where it would be.

    A slot is a key, 0 if it is free, and beside it its value; there are a power of 2 of them.
    """
    mask = np.uint64(table.shape[0] // 2 - 1)
    slot = spread(key) & mask
    while table[slot << np.uint64(1)] != key and table[slot << np.uint64(1)] != 0:
        slot = (slot + np.uint64(1)) & mask
    return slot << np.uint64(1)


@inlined
def look_around(symbols, first, last, farthest, nothing, seen):
    """Write what is seen at the tokens of a sequence, and as far beyond its ends as templates look."""
    length = last - first
    for view in range(symbols.shape[1]):
        for distance in range(farthest):
            seen[farthest - 1 - distance, view] = 2 * distance
            seen[farthest + length + distance, view] = 2 * distance + 1
        for i in range(length):
            symbol = symbols[first + i, view]
            seen[farthest + i, view] = nothing if symbol < 0 else symbol + 2 * farthest


@inlined
def look(seen, token, places, views, part):
    """What a part of a template sees at a token."""
    return np.int64(seen[np.uint64(token + places[part]), np.uint64(views[part])])


@without_counting
def find(symbols, starts, roots, bounds, places, views, farthest, firsts, table, seen, features):
    """The features (tokens × templates) of sequences, UNKNOWN where there is none.

    Part p of the templates sees a view of the token at place p, counted from the farthest that any sees.
    """
    nothing = firsts.shape[0] - 1  # from which no step leads anywhere
    for i in range(starts.shape[0] - 1):
        first, last = starts[i], starts[i + 1]
        look_around(symbols, first, last, farthest, nothing, seen)
        for template in range(roots.shape[0]):
            begin, end, root = bounds[template], bounds[template + 1], np.uint64(roots[template])
            for token in range(last - first):
                line = np.uint64(min(look(seen, token, places, views, begin), nothing))
                features[first + token, template] = firsts[line, root]
            for part in range(begin + 1, end):
                for token in range(last - first):
                    step = np.int64(features[first + token, template])
                    if step < UNKNOWN:
                        key = (-2 - step) << 32 | look(seen, token, places, views, part)
                        slot = slot_of(table, key)
                        step = table[slot + np.uint64(1)] if table[slot] == key else np.int64(UNKNOWN)
                        features[first + token, template] = step


@compilable
def new_step(last, size, tally):
    """Where a step leads that was never taken: to a new feature if it is the last of its walk."""
    count = 2 if last else 1
    number = tally[count]
    tally[count] += size if last else 1
    return number if last else -2 - number


@without_counting
def learn(
    symbols, starts, roots, bounds, places, views, farthest, firsts, table, seen, sizes, tally, begin,
    features,
):  # fmt: skip
    """The same, where what was never seen becomes a new feature, from round `begin` on.

    `tally` counts the steps in the table, the places and the features; a new feature of a template takes
    as many numbers as its size says. Returns the round to come back to with a larger table.
    """
    most = table.shape[0] // 4
    for i in range(begin, starts.shape[0] - 1):
        first, last = starts[i], starts[i + 1]
        if tally[0] + (last - first) * views.shape[0] > most:
            return i
        look_around(symbols, first, last, farthest, UNKNOWN, seen)
        for token in range(last - first):
            for template in range(roots.shape[0]):
                part, end, root = bounds[template], bounds[template + 1] - 1, roots[template]
                line = seen[token + places[part], views[part]]
                step = np.int64(firsts[line, root])
                if step == UNKNOWN:
                    step = new_step(part == end, sizes[template], tally)
                    firsts[line, root] = step
                while part < end:
                    part += 1
                    key = (-2 - step) << 32 | np.int64(seen[token + places[part], views[part]])
                    slot = slot_of(table, key)
                    if table[slot] == 0:
                        table[slot], tally[0] = key, tally[0] + 1
                        table[slot + np.uint64(1)] = new_step(part == end, sizes[template], tally)
                    step = table[slot + np.uint64(1)]
                features[first + token, template] = step
    return starts.shape[0] - 1


@without_counting
def rehash(old, table):
    """Move the steps into an empty table."""
    for i in range(0, old.shape[0], 2):
        if old[i] != 0:
            slot = slot_of(table, old[i])
            table[slot], table[slot + np.uint64(1)] = old[i], old[i + 1]


@without_counting
def hashed(symbols, starts, roots, bounds, places, views, farthest, seen, sizes, width, features):
    """Features (tokens × templates) below `width` from what the parts look like, without a table."""
    for i in range(starts.shape[0] - 1):
        first, last = starts[i], starts[i + 1]
        look_around(symbols, first, last, farthest, UNKNOWN, seen)
        for token in range(last - first):
            for template in range(roots.shape[0]):
                mixed = np.uint64(roots[template]) * MULTIPLIER
                for part in range(bounds[template], bounds[template + 1]):
                    mixed = (mixed ^ np.uint64(seen[token + places[part], views[part]])) * MULTIPLIER
                    mixed ^= mixed >> np.uint64(29)
                size = np.uint64(sizes[template])
                features[first + token, template] = np.int64(mixed % (np.uint64(width) // size) * size)
