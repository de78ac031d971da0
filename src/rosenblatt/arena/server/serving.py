"""`rosenblatt play`: the page on a free port of this machine, until Ctrl-C."""

from __future__ import annotations

import secrets
import socket
import webbrowser
from collections.abc import Callable
from threading import Thread
from typing import Any

from threadpoolctl import threadpool_limits

from rosenblatt.loops.notices import NOTICES

LOOPBACK = "127.0.0.1"


def serve(port: int = 0, *, browser: bool = True, tell: Callable[[str], Any] = print) -> None:
    """Serve the page at an address with a random token, and open it.

    Parameters
    ----------
    port
        0 for a free one.
    browser
        Whether to open the page.
    tell
        A function that is called with a line that ends in the address.
    """
    try:
        import uvicorn

        from rosenblatt.arena.server.app import make_app
    except ImportError as missing:
        raise ImportError(
            "Playing on a page needs Starlette and uvicorn: pip install 'rosenblatt[play]'"
        ) from missing
    NOTICES.silence()  # loops are compiled before a request needs them
    token = secrets.token_urlsafe(16)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((LOOPBACK, port))
        except OSError as taken:
            raise ValueError(
                f"Port {port} of this machine cannot be used: {taken.strerror}. Leave it out."
            ) from None
        address = f"http://{LOOPBACK}:{bound.getsockname()[1]}/{token}/"
        config = uvicorn.Config(make_app(token), log_level="warning", access_log=False, timeout_keep_alive=30)
        bound.listen()  # before a browser connects
        tell(f"The arena is open at {address}")
        Thread(target=_warm_up, daemon=True).start()
        if browser:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        with threadpool_limits(limits=1):  # products of two columns are slower in several threads
            uvicorn.Server(config).run(sockets=[bound])


def _warm_up() -> None:
    """Compile or load the loops of a match before the first request."""
    from rosenblatt.arena.server.sessions import Sessions

    sessions = Sessions()
    for contest in (
        {"name": "classification", "features": 2},
        {"name": "ranking", "features": 2, "length": 3},
    ):
        rules = {"u": [1, 0], "margin": 0.2, "radius_squared": 1}
        sessions.ask(
            "play",
            sessions.ask("new", {"contest": contest, "rules": rules}) | {"strategy": "random", "rounds": 3},
        )
    words = sessions.ask("new", {"contest": {"name": "sequence"}})
    sessions.ask("play", words | {"strategy": "greedy", "rounds": 3})
    kernel = {"kernel": "RBF(sigma=0.5)"}
    bent = sessions.ask(
        "new", {"contest": {"name": "classification", "features": 2}, "scene": "xor", "learner": kernel}
    )
    bent = sessions.ask("play", bent | {"strategy": "data", "rounds": 20})
    for predictor in ("average", "vote", "sample"):
        sessions.ask("surface", bent | {"predictor": predictor, "at": len(bent["rounds"]), "side": 16})
