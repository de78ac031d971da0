"""The feature hasher: strings to integers, the same on every machine and in every version."""

from __future__ import annotations

from sklearn.utils import murmurhash3_32


def hashed(string: str) -> int:
    """Return the hash of a string, a 32-bit integer (MurmurHash3, as scikit-learn's `FeatureHasher`)."""
    return int(murmurhash3_32(string, positive=True))
