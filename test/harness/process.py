"""Runs a program with a time limit and watches its memory.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

SAMPLING_SECONDS = 0.005


@dataclass
class Completed:
    """A program that ended. `code` is negative for a signal, None where the
    time limit ended it. Memory is in MB and 0 where it was not watched."""

    command: list[str]
    code: int | None
    stdout: str
    stderr: str
    seconds: float
    peak_mb: float = 0.0
    peak_anonymous_mb: float = 0.0

    @property
    def text(self) -> str:
        return self.stdout + self.stderr

    @property
    def crashed(self) -> bool:
        """Ended by a signal, or by a shell that reports one (128 + N). 255 is
        the exit code of an error that the tool itself reported."""
        return self.code is not None and (self.code < 0 or 128 < self.code < 255)


def run(
    command: list[str | Path],
    limit: float = 300.0,
    watch_memory: bool = False,
    cwd: Path | None = None,
    environment: dict[str, str] | None = None,
    user: int | None = None,
) -> Completed:
    """Runs `command` in a process group of its own; at `limit` seconds the
    whole group is killed."""
    words = [str(word) for word in command]
    start = time.perf_counter()
    # Files, not pipes: a program that writes much cannot block on us.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=cwd,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
            user=user,
        )
        watcher = MemoryWatcher(process.pid) if watch_memory else None
        try:
            code = process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            code = None
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        seconds = time.perf_counter() - start
        peaks = watcher.stop() if watcher else (0.0, 0.0)
        texts = []
        for file in out, err:
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    return Completed(words, code, *texts, seconds, *peaks)


class MemoryWatcher:
    """Samples /proc/PID/status. The resource usage that wait() returns is no
    substitute: it starts at the size of the process that forked."""

    def __init__(self, pid: int):
        self.path = Path(f"/proc/{pid}/status")
        self.peak = self.anonymous = 0.0
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.sample, daemon=True)
        self.thread.start()

    def sample(self) -> None:
        while not self.done.is_set():
            try:
                text = self.path.read_text()
            except OSError:
                return
            self.peak = max(self.peak, megabytes(text, "VmHWM:"))
            self.anonymous = max(self.anonymous, megabytes(text, "RssAnon:"))
            self.done.wait(SAMPLING_SECONDS)

    def stop(self) -> tuple[float, float]:
        self.done.set()
        self.thread.join()
        return self.peak, self.anonymous


def megabytes(status: str, key: str) -> float:
    for line in status.splitlines():
        if line.startswith(key):
            return int(line.split()[1]) / 1024
    return 0.0
