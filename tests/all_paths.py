"""All paths through a lattice, and what each scores: what searches are compared with."""

from itertools import pairwise, product

import numpy as np


def edges_of(lines, labels, seen):
    """The scores of a round's rows and those of its edges (rows − 1 × before × after)."""
    rows = (len(lines) + labels) // (labels + 1) if seen else len(lines)
    return lines[:rows], (lines[rows:] if seen else np.zeros(((rows - 1) * labels, labels))).reshape(
        -1, labels, labels
    )


def score_of(path, lines, structure, seen=False):
    """The score of a path, as section 4 of the source has it: what it passes, summed."""
    labels = lines.shape[1]
    scores, edges = edges_of(lines, labels, seen)
    steps = [labels * labels + path[0], labels * (labels + 1) + path[-1]]
    steps += [before * labels + after for before, after in pairwise(path)]
    on_edges = sum(edges[i, before, after] for i, (before, after) in enumerate(pairwise(path)))
    return (
        sum(scores[i, label] for i, label in enumerate(path))
        + sum(structure[step] for step in steps)
        + on_edges
    )


def every_path(lines, structure, seen=False):
    """All paths, the highest first; of equals the first, reading from the last label."""
    labels = lines.shape[1]
    rows = len(edges_of(lines, labels, seen)[0])
    found = [(score_of(path, lines, structure, seen), path) for path in product(range(labels), repeat=rows)]
    return sorted(found, key=lambda pair: (-pair[0], pair[1][::-1]))
