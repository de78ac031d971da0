"""Broken and hostile model files, by the thousand, in a process of its own with little memory to spare.

Run as `python mutations.py FOLDER COUNT`; prints how many were refused and how many were read.
"""

import contextlib
import faulthandler
import json
import resource
import sys
import warnings
from copy import deepcopy
from pathlib import Path

import numpy as np

import model_data
from rosenblatt.persistence import ModelError, archive, load, models

SPARE = 256 * 2**20
"""Bytes a load may ask for, of a file of a few thousand: enough for all that is loaded once, e. g. code."""

PATHS = ("../../../../tmp/x", "C:\\x", "/dev/zero", "\x00", "🐈" * 50)
NUMBERS = (0, -1, 1, 2**31, 2**53, 2**63, 2**64, 10**30, 1.5, -1e308)


def damaged(data, random):
    """Bytes that are cut, flipped, doubled or exchanged anywhere."""
    data, kind = bytearray(data), random.integers(5)
    at = int(random.integers(len(data)))
    if kind == 0:
        return bytes(data[:at])
    if kind == 1:
        data[at] ^= 1 << int(random.integers(8))
    elif kind == 2:
        data[:8] = int(random.integers(2**62)).to_bytes(8, "little")
    elif kind == 3:
        data[at:at] = random.bytes(int(random.integers(1, 50)))
    else:
        end = at + int(random.integers(1, 100))
        data[at:end] = random.bytes(end - at)
    return bytes(data)


def forged(header, arrays, random):
    """A file with a right checksum in which values or arrays are not what they should be."""
    header, arrays = deepcopy(header), dict(arrays)
    for _ in range(int(random.integers(1, 4))):
        if random.random() < 0.5:
            change_value(header, random)
        elif arrays:
            change_array(arrays, random)
    return archive.packed(header, arrays)


def change_value(header, random):
    """Replace, drop or add one value somewhere in the header."""
    place = header
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = keys[int(random.integers(len(keys)))]
        if isinstance(place[key], dict | list) and place[key] and random.random() < 0.85:
            place = place[key]
            continue
        break
    kind = random.integers(5)
    if kind == 0:
        del place[key]
    elif kind == 1:
        place[key] = PATHS[random.integers(len(PATHS))]
    elif kind == 2:
        place[key] = [None, True, [], {}, [[]], {"dict": [[1, 2]]}, {"list": "ab"}][random.integers(7)]
    elif kind == 3 and isinstance(place, dict):
        place[PATHS[random.integers(len(PATHS))]] = place[key]
    else:
        place[key] = NUMBERS[random.integers(len(NUMBERS))]


def change_array(arrays, random):
    """Give one array other numbers, another type, shape or name, or none."""
    name = list(arrays)[random.integers(len(arrays))]
    array, kind = arrays[name].copy(), random.integers(7)
    if kind == 0:
        del arrays[name]
    elif kind == 1:
        arrays[name] = array[: len(array) // 2]
    elif kind == 2:
        arrays[name] = array.reshape(-1)
    elif kind == 3:
        arrays[name] = array.astype((np.float32, np.int64, np.int8, np.float64)[random.integers(4)])
    elif kind == 4:
        arrays[PATHS[random.integers(3)]] = arrays.pop(name)
    elif array.size:
        extremes = (np.nan, np.inf, -1, 2**31 - 1, -(2**31), 1e300, 0.5, 7)
        with np.errstate(all="ignore"):
            array.reshape(-1)[random.integers(array.size)] = np.float64(extremes[random.integers(8)]).astype(
                array.dtype
            )
        arrays[name] = array


def main(folder, count):
    """Load so many files; what is read must answer, or say why it does not."""
    warnings.simplefilter("ignore")
    learners = [(learner, asked) for learner, asked in model_data.every() if asked is not None]
    for learner, asked in learners:  # what is compiled, and kept, is not the files' doing
        learner.predict(asked[0])
    stored = [(models.contents(models.Model(learner)), asked) for learner, asked in learners]
    page = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (page + SPARE, page + SPARE))
    random, tally = np.random.default_rng(0), {"refused": 0, "read": 0}
    path = Path(folder) / "model"
    for number in range(count):
        (header, arrays), asked = stored[number % len(stored)]
        whole = archive.packed(header, arrays)
        path.write_bytes(damaged(whole, random) if number % 2 else forged(header, arrays, random))
        faulthandler.dump_traceback_later(20, exit=True)
        try:
            learner = load(path)
        except ModelError:
            tally["refused"] += 1
            continue
        tally["read"] += 1
        with contextlib.suppress(ValueError, TypeError, AttributeError):
            learner.predict(asked[0])
    faulthandler.cancel_dump_traceback_later()
    print(json.dumps(tally))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
