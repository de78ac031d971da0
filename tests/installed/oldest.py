"""Print the oldest versions that pyproject.toml allows, as constraints for pip; `make test-oldest` reads them."""

import re
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]

if __name__ == "__main__":
    required = [*PROJECT["dependencies"], *(each for extra in EXTRAS.values() for each in extra)]
    pinned = {re.sub(r"\s*>=\s*", "==", each) for each in required if ">=" in each}
    print("\n".join(sorted(pinned)))
