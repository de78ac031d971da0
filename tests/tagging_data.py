"""What the tests of the tagger share: a few sentences as every kind of tokens."""

import numpy as np
import scipy.sparse as sp

from rosenblatt import kernels
from rosenblatt.features import between, lower, suffix, word

SENTENCES = [
    ["the", "cat", "sat", "on", "the", "mat"],
    ["a", "dog", "saw", "the", "cat"],
    ["the", "old", "man", "ran"],
    ["dogs", "run"],
    ["a", "cat", "ran", "on"],
    ["the", "saw", "cut", "a", "mat"],
]
TAGS = [
    ["DET", "NOUN", "VERB", "ADP", "DET", "NOUN"],
    ["DET", "NOUN", "VERB", "DET", "NOUN"],
    ["DET", "ADJ", "NOUN", "VERB"],
    ["NOUN", "VERB"],
    ["DET", "NOUN", "VERB", "ADP"],
    ["DET", "NOUN", "VERB", "DET", "NOUN"],
]
ROWS = [[(token, token[-1]) for token in sentence] for sentence in SENTENCES]
DICTS = [[{"word": token, "last": token[-1], "long": len(token) > 2} for token in s] for s in SENTENCES]
NAMES = [[[f"word={token}", f"last={token[-1]}"] for token in s] for s in SENTENCES]


def features(sentence, i):
    return {"word": sentence[i], "before": sentence[i - 1] if i else "START", "last": sentence[i][-1]}


def arrays(sentences=SENTENCES):
    words = sorted({token for sentence in SENTENCES for token in sentence})
    return [np.array([[token == name for name in words] for token in s], float) for s in sentences]


INPUTS = {
    "texts": (SENTENCES, {}),
    "dicts": (DICTS, {}),
    "names": (NAMES, {}),
    "tuples": ([[tuple(names) for names in s] for s in NAMES], {}),
    "function": (SENTENCES, {"features": features}),
    "values": (ROWS, {"templates": [word[-1] & word[0], lower, suffix(2)]}),
    "pairs": (ROWS, {"templates": [word, between(word[0])]}),
    "crfpp": (ROWS, {"templates": "U0:%x[0,0]\nU1:%x[0,1]\nB"}),
    "crfpp pairs": (ROWS, {"templates": "U0:%x[0,0]\nU1:%x[-1,0]/%x[0,0]\nB0:%x[0,1]"}),
    "hashed": (SENTENCES, {"hashing": 2**12}),
    "hashed dicts": (DICTS, {"hashing": 2**12}),
    "arrays": (arrays(), {}),
    "sparse": ([sp.csr_matrix(array) for array in arrays()], {}),
    "kernel": (arrays(), {"kernel": kernels.RBF(gamma=0.3)}),
    "kernel on texts": (SENTENCES, {"kernel": kernels.Polynomial(2)}),
    "kernel on pairs": (ROWS, {"kernel": kernels.Polynomial(2), "templates": [word, between(word[0])]}),
}

IOB = [["B-NP", "I-NP", "O", "O", "B-NP", "I-NP"], ["B-NP", "I-NP", "O", "B-NP", "I-NP"]]
