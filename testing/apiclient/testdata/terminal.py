"""Runs a command on a terminal of its own: terminal.py FOLDER UNTIL ANSWER… -- COMMAND…

Each answer is typed when the output has come to rest after a colon; ^C is that key. When UNTIL was printed, or nothing
is left to answer and UNTIL is empty, Ctrl-C is typed. Prints what the terminal showed, and ends as the command did.
"""

import os
import pty
import select
import sys
import time

split = sys.argv.index("--")
folder, until, answers, command = sys.argv[1], sys.argv[2].encode(), sys.argv[3:split], sys.argv[split + 1:]
child, terminal = pty.fork()
if child == 0:
    os.chdir(folder)
    os.execvpe(command[0], command, {**os.environ, "TERM": "xterm", "NO_COLOR": "1"})
shown, interrupted, end = b"", False, time.monotonic() + 90
while time.monotonic() < end:
    if not select.select([terminal], [], [], 0.2)[0]:
        if answers and shown.rstrip(b" ").endswith(b":"):
            answer = answers.pop(0)
            os.write(terminal, b"\x03" if answer == "^C" else answer.encode() + b"\n")
        elif until and until in shown and not interrupted:
            interrupted = True
            os.write(terminal, b"\x03")
        continue
    try:
        got = os.read(terminal, 65536)
    except OSError:  # on Linux the end of a terminal
        break
    if not got:
        break
    shown += got
sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
