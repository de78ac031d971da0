"""What the tests of svmlight files share: numbers, and both ways to read."""

import pytest
from hypothesis import strategies as st

from rosenblatt.data import svmlight

VALUES = st.floats(allow_nan=False, allow_infinity=False, width=64)


@pytest.fixture(autouse=True, scope="module", params=[0, 2**17], ids=["compiled", "line by line"])
def small(request):
    """Small texts are read without the compiled loop: everything holds for both."""
    before, svmlight.SMALL = svmlight.SMALL, request.param
    yield request.param
    svmlight.SMALL = before
