"""From symbols to features: templates as paths in a trie, which is stored in a hash table.

A path begins at the root of its template and has an edge per part: the table maps a node and the symbol seen
to the next node, or at the last edge to the feature. So features are exact whatever their parts are, and no
string is ever built. Most paths are one edge, so the first edges are in an array of their own (seen × roots),
which is indexed directly.

Templates see ids: first those for beyond the ends of a sequence, at every distance, then the symbols'.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.arguments import Program
from rosenblatt.loops.compiling import compiled, merged
from rosenblatt.loops.hashing import MULTIPLIER, hash_of

UNKNOWN = -1
"""A symbol never seen, or a feature that has no id."""


@merged
def slot_of(table, key):
    """The index of a key in the hash table, or of the free slot where it would be.

    A slot is a key, 0 if it is free, and beside it its value; there are a power of 2 of them.
    """
    mask = np.uint64(table.shape[0] // 2 - 1)
    slot = hash_of(key) & mask
    while table[slot << np.uint64(1)] != key and table[slot << np.uint64(1)] != 0:
        slot = (slot + np.uint64(1)) & mask
    return slot << np.uint64(1)


@merged
def look_around(symbols, first, last, farthest, nothing, seen):
    """Write the ids seen at the tokens of a sequence, and as far beyond its ends as templates look."""
    length = last - first
    for view in range(symbols.shape[1]):
        for distance in range(farthest):
            seen[farthest - 1 - distance, view] = 2 * distance
            seen[farthest + length + distance, view] = 2 * distance + 1
        for i in range(length):
            symbol = symbols[first + i, view]
            seen[farthest + i, view] = nothing if symbol < 0 else symbol + 2 * farthest


@merged
def look(seen, token, shifts, views, part):
    """The id that a part of a template sees at a token."""
    return np.int64(seen[np.uint64(token + shifts[part]), np.uint64(views[part])])


@compiled
def find(symbols, starts, program, firsts, table, seen, features):
    """Write the features (tokens × templates) of sequences, UNKNOWN where there is none."""
    roots, bounds, shifts, views, farthest = Program(*program)
    nothing = firsts.shape[0] - 1  # an id without edges
    for i in range(starts.shape[0] - 1):
        first, last = starts[i], starts[i + 1]
        look_around(symbols, first, last, farthest, nothing, seen)
        for template in range(roots.shape[0]):
            begin, end, root = bounds[template], bounds[template + 1], np.uint64(roots[template])
            for token in range(last - first):
                line = np.uint64(min(look(seen, token, shifts, views, begin), nothing))
                features[first + token, template] = firsts[line, root]
            for part in range(begin + 1, end):
                for token in range(last - first):
                    step = np.int64(features[first + token, template])
                    if step < UNKNOWN:
                        key = (-2 - step) << 32 | look(seen, token, shifts, views, part)
                        slot = slot_of(table, key)
                        step = table[slot + np.uint64(1)] if table[slot] == key else np.int64(UNKNOWN)
                        features[first + token, template] = step


@merged
def new_step(last, size, tally):
    """Return the target of a new edge: a new feature if it is the last of its path, else a new node."""
    count = 2 if last else 1
    new = tally[count]
    tally[count] += size if last else 1
    return new if last else -2 - new


@compiled
def learn(symbols, starts, program, firsts, table, seen, sizes, tally, begin, features):
    """Write the features of sequences from `begin` on; what was never seen becomes a new feature.

    `tally` counts the edges in the table, the nodes and the features; a new feature of a template takes as
    many ids as its size. Returns the sequence to resume at with a larger table.
    """
    roots, bounds, shifts, views, farthest = Program(*program)
    most = table.shape[0] // 4
    for i in range(begin, starts.shape[0] - 1):
        first, last = starts[i], starts[i + 1]
        if tally[0] + (last - first) * views.shape[0] > most:
            return i
        look_around(symbols, first, last, farthest, UNKNOWN, seen)
        for token in range(last - first):
            for template in range(roots.shape[0]):
                part, end, root = bounds[template], bounds[template + 1] - 1, roots[template]
                line = seen[token + shifts[part], views[part]]
                step = np.int64(firsts[line, root])
                if step == UNKNOWN:
                    step = new_step(part == end, sizes[template], tally)
                    firsts[line, root] = step
                while part < end:
                    part += 1
                    key = (-2 - step) << 32 | np.int64(seen[token + shifts[part], views[part]])
                    slot = slot_of(table, key)
                    if table[slot] == 0:
                        table[slot], tally[0] = key, tally[0] + 1
                        table[slot + np.uint64(1)] = new_step(part == end, sizes[template], tally)
                    step = table[slot + np.uint64(1)]
                features[first + token, template] = step
    return starts.shape[0] - 1


@compiled
def rehash(old, table):
    """Move the edges into an empty table."""
    for i in range(0, old.shape[0], 2):
        if old[i] != 0:
            slot = slot_of(table, old[i])
            table[slot], table[slot + np.uint64(1)] = old[i], old[i + 1]


@compiled
def hashed(symbols, starts, program, seen, sizes, width, features):
    """Write features (tokens × templates) below `width`: hashes of what the parts see, without a table."""
    roots, bounds, shifts, views, farthest = Program(*program)
    for i in range(starts.shape[0] - 1):
        first, last = starts[i], starts[i + 1]
        look_around(symbols, first, last, farthest, UNKNOWN, seen)
        for token in range(last - first):
            for template in range(roots.shape[0]):
                state = np.uint64(roots[template]) * MULTIPLIER
                for part in range(bounds[template], bounds[template + 1]):
                    state = (state ^ np.uint64(seen[token + shifts[part], views[part]])) * MULTIPLIER
                    state ^= state >> np.uint64(29)
                size = np.uint64(sizes[template])
                features[first + token, template] = np.int64(state % (np.uint64(width) // size) * size)
