"""The interpreter of commands from the nursery: a server that they start is forked there too.

`nursery` writes this into a folder of its own, made executable, beside the socket of the nursery.
It stands for the server: it lives and ends with it, and passes SIGTERM on.
"""

import json
import os
import signal
import socket
import sys

request = {
    "program": sys.argv[-1],
    "options": [],
    "env": dict(os.environ),
    "cwd": os.getcwd(),  # noqa: PTH109  pathlib would take longer to import than all the rest
}
told, report = os.pipe()
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as nursery:
    nursery.connect(os.path.join(os.path.dirname(__file__), "socket"))  # noqa: PTH118, PTH120  as above
    socket.send_fds(nursery, [json.dumps(request).encode()], [0, 1, 2, report])
os.close(report)
for standard in (0, 1, 2):
    os.close(standard)
with os.fdopen(told) as lines:
    server = int(lines.readline())
    signal.signal(signal.SIGTERM, lambda number, _: os.kill(server, number))
    code = int(lines.readline())
if code < 0:
    signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
os._exit(code)
