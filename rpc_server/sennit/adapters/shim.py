"""Entry of the process that owns one agent: `python -I -S -P shim.py ORDERFILE`.

Isolated, without site packages, so that neither the user's environment nor an agent's can
change what it does. The work is in `supervision/`, which Python keeps compiled, unlike a script.
"""
# Importing pathlib would take 10 ms of each start; what can be imported depends on sys.path.
# ruff: noqa: PLC0415, PTH100, PTH120, PTH123

import os
import sys


def main() -> None:
    """Run the agent that the order file describes; see `supervision.owner.own`."""
    # Whatever the server left open to its children is not for agents.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    here = os.path.abspath(__file__)
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(here))))
    from sennit.adapters.supervision.order import decode
    from sennit.adapters.supervision.owner import own

    with open(sys.argv[1], "rb") as file:
        order = decode(file.read())
    own(order)
    # Everything is on disk; tearing Python down would only keep the server waiting.
    os._exit(0)


if __name__ == "__main__":
    main()
