"""`python -m rosenblatt.cli` is the command `rosenblatt`."""

from rosenblatt.cli import main

main()
