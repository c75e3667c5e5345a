"""Run a command whose standard error is a terminal; print what came there.

    on_terminal.py COMMAND...

Escapes are printed as their names. Ends with the command's code.
SPDX-License-Identifier: Apache-2.0
"""

import os
import pty
import subprocess
import sys

controller, terminal = pty.openpty()
process = subprocess.Popen(
    sys.argv[1:], stdout=subprocess.DEVNULL, stderr=terminal, close_fds=True
)
os.close(terminal)
text = b""
while True:
    try:
        part = os.read(controller, 4096)
    except OSError:  # The other end is closed.
        break
    if not part:
        break
    text += part
print(text.replace(b"\x1b[K", b"<clear>").replace(b"\r", b"\n").decode())
sys.exit(process.wait())
