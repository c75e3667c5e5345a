"""What a good refusal is: a code that is not zero, one coded message, no crash,
no hang, no file left behind.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
from pathlib import Path

from harness.process import Completed

# A message starts a line; a code inside a text is a mention.
MESSAGE = re.compile(r"^\s*(?:ERROR: )?(E\d{5}): (\S.*)$", re.MULTILINE)
# Nothing here needs more: a broken size must not become an allocation.
MEMORY_LIMIT_MB = 4096


def messages(completed: Completed) -> list[tuple[str, str]]:
    return MESSAGE.findall(completed.text)


def assert_orderly(completed: Completed) -> None:
    """The tool ended by itself, and within bounds."""
    assert completed.code is not None, f"no end within {completed.seconds:.0f} s"
    assert not completed.crashed, f"code {completed.code}: {completed.text[-2000:]}"
    assert completed.peak_mb < MEMORY_LIMIT_MB, f"{completed.peak_mb:.0f} MB"


def assert_refused(
    completed: Completed, folder: Path | None = None, code: str | None = None
) -> str:
    """`completed` refused its input with one message, of `code` where given,
    and left nothing in `folder`. Returns the message."""
    assert_orderly(completed)
    assert completed.code != 0, f"accepted: {completed.text[-500:]}"
    found = messages(completed)
    assert len(found) == 1, f"{len(found)} coded messages: {completed.text[-2000:]}"
    found_code, message = found[0]
    assert not code or found_code == code, f"{found_code}: {message}"
    if folder:
        left = sorted(p.name for p in folder.iterdir())
        assert not left, f"left behind: {left}"
    return message
