"""Finds the program `poet-solve`, and runs it so that nothing of it is left when Python goes on.

The program is a process of its own, in a process group of its own: a solver that forks must not be loaded into a
process with threads, and Ctrl-C in a terminal has to reach Python first. When Python is interrupted, the program may
write what it has found, and the group is ended before the exception goes on. When Python itself is killed, the kernel
ends the program (`setpriv --pdeathsig`, where util-linux has it).
"""
from __future__ import annotations

import codecs
import contextlib
import functools
import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, TracebackType
from typing import IO, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Type

from .errors import InputError, PoetError, ProgramError, ProgramNotFound

_GRACE_SECONDS = 0.5  # to remove what it was writing
_LAST_WORDS_SECONDS = 10.0  # to write the best that it has found
_TICK_SECONDS = 0.25
_ERROR_PREFIX = "poet-solve: error: "
_WARNING_PREFIX = "poet-solve: warning: "

EXIT_OK = 0
EXIT_USAGE = 2
EXIT_INFEASIBLE = 3
EXIT_LIMIT = 4
EXIT_REQUIREMENT = 5
EXIT_INTERRUPTED = 130


def find_program() -> str:
    """The path of `poet-solve`: what the environment variable POET_SOLVE says, else the one that this package carries
    (a wheel does), else the first in PATH.

    Raises:
        ProgramNotFound: there is none, or POET_SOLVE names no program.
    """
    stated = os.environ.get("POET_SOLVE")
    if stated:
        found = shutil.which(stated)
        if found is None:
            raise ProgramNotFound(f"POET_SOLVE: found '{stated}', expected the path of the program poet-solve")
        return os.path.abspath(found)
    carried = Path(__file__).parent / "bin" / "poet-solve"
    for candidate in (str(carried), "poet-solve"):
        found = shutil.which(candidate)
        if found is not None:
            return os.path.abspath(found)
    raise ProgramNotFound("the program poet-solve is neither in this package nor in PATH; install the Debian package "
                          "poet-solve, or set POET_SOLVE to the path of the program")


class Files:
    """Documents that exist in memory only, as files of a temporary folder while the program reads them."""

    def __init__(self) -> None:
        self._folder: Optional[tempfile.TemporaryDirectory[str]] = None
        self._names: Dict[str, str] = {}

    def __enter__(self) -> Files:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def path(self, name: str) -> str:
        """A path in the folder. Files of the same name get folders of their own."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="poet-")
        folder = os.path.join(self._folder.name, str(len(self._names)))
        os.mkdir(folder)
        self._names[folder + os.sep] = ""
        return os.path.join(folder, name)

    def add(self, name: str, text: str) -> str:
        """Writes a text, and returns the path of its file."""
        path = self.path(name)
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        return path

    def add_bytes(self, name: str, content: bytes) -> str:
        """Writes bytes, and returns the path of their file."""
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def without_folder(self, text: str) -> str:
        """What the program wrote, with names in the place of paths that are gone afterwards."""
        for folder in self._names:
            text = text.replace(folder, "")
        return text


@dataclass
class Finished:
    """A run that has ended: exit status, stdout, the lines of stderr."""

    status: int
    out: str
    lines: List[str] = field(default_factory=list)

    def errors(self) -> List[str]:
        """The messages of errors, one for each line that has one, with the lines that continue it."""
        found: List[str] = []
        for line in self.lines:
            if line.startswith(_ERROR_PREFIX):
                found.append(line[len(_ERROR_PREFIX):])
            elif found and not line.startswith("poet-solve: "):
                found[-1] += "\n" + line
        return found

    def warnings(self) -> Tuple[str, ...]:
        """The messages of warnings."""
        return tuple(line[len(_WARNING_PREFIX):] for line in self.lines if line.startswith(_WARNING_PREFIX))

    def message(self) -> str:
        """What went wrong, for people."""
        return "\n".join(self.errors() or self.lines) or f"poet-solve ended with {self.status} and said nothing"


class Stopped(KeyboardInterrupt):
    """Ctrl-C has stopped a run that writes what it has found by then.

    Attributes:
        finished: the run.
    """

    def __init__(self, finished: Finished) -> None:
        super().__init__()
        self.finished = finished


def run(arguments: Sequence[str], files: Optional[Files] = None, on_line: Optional[Callable[[str], None]] = None,
        on_tick: Optional[Callable[[], None]] = None, keeps_best: bool = False) -> Finished:
    """Runs the program and waits for its end.

    Args:
        arguments: the arguments of the command line.
        files: documents of this run; the paths of their folder are taken out of what the program writes.
        on_line: called in this thread with each line of stderr as soon as it is there.
        on_tick: called in this thread a few times a second.
        keeps_best: whether the program writes the best that it has found when a signal stops it. It gets some seconds
            for that; a second Ctrl-C ends it at once.

    Returns:
        the run, with any exit status.

    Raises:
        ProgramNotFound: there is no program, or it does not start.
        Stopped: by Ctrl-C, if `keeps_best`.
        Any exception that interrupts the wait, such as KeyboardInterrupt, after the program has been ended.
    """
    program = find_program()
    lines: List[str] = []

    def hide(text: str) -> str:
        return files.without_folder(text) if files is not None else text

    def take(line: str) -> None:
        lines.append(hide(line))
        if on_line is not None:
            on_line(lines[-1])

    with tempfile.TemporaryFile() as out:
        process: Optional[subprocess.Popen[bytes]] = None
        try:
            with _interrupts_held():
                process = subprocess.Popen([*_bound_to_us(), program, *arguments], stdin=subprocess.DEVNULL,
                                           stdout=out, stderr=subprocess.PIPE, start_new_session=True)
            assert process.stderr is not None
            _follow(process.stderr, take, on_tick)
            status = process.wait()
        except BaseException as error:
            if process is None:
                if isinstance(error, OSError):
                    raise ProgramNotFound(f"{program} does not start: {error}") from error
                raise
            stopped = keeps_best and isinstance(error, KeyboardInterrupt)
            _end(process, _LAST_WORDS_SECONDS if stopped else _GRACE_SECONDS, lambda line: lines.append(hide(line)))
            if stopped:
                raise Stopped(Finished(process.returncode, hide(_text_of(out)), lines)) from None
            raise
        finally:
            if process is not None and process.stderr is not None:
                process.stderr.close()
        text = _text_of(out)
    if status in (126, 127):
        raise ProgramNotFound(f"{program} does not start: " + "\n".join(lines))
    return Finished(status, hide(text), lines)


def run_or_raise(arguments: Sequence[str], files: Optional[Files] = None,
                 accept: Sequence[int] = (EXIT_OK,)) -> Finished:
    """Like `run()`, but raises `error_of()` what has ended with another status than those to accept."""
    finished = run(arguments, files)
    if finished.status not in accept:
        raise error_of(finished)
    return finished


def error_of(finished: Finished, message: Optional[str] = None) -> PoetError:
    """The exception for a run that failed."""
    text = message or finished.message()
    if finished.status == EXIT_USAGE:
        return InputError(text)
    if finished.status < 0:
        return ProgramError(f"poet-solve was ended by {signal.Signals(-finished.status).name}")
    return ProgramError(f"poet-solve ended with {finished.status}: {text}")


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Holds Ctrl-C back for the moment in which a process exists and Python does not know it yet."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    held: List[Tuple[int, Optional[FrameType]]] = []
    signal.signal(signal.SIGINT, lambda number, frame: held.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if held:
            handler(*held[0])


def _bound_to_us() -> List[str]:
    """The start of a command line that ends the program with the thread that started it, even if that is killed.

    A preexec_fn could do the same, but is not safe in a process with threads.
    """
    setpriv = shutil.which("setpriv")
    return _death_signal(setpriv) if setpriv is not None else []


@functools.lru_cache(maxsize=None)
def _death_signal(setpriv: str) -> List[str]:
    """The words for a `setpriv` that has this option, which BusyBox's lacks."""
    words = [setpriv, "--pdeathsig", "KILL", "--"]
    try:
        tried = subprocess.run([*words, "true"], stdin=subprocess.DEVNULL, capture_output=True, start_new_session=True)
    except OSError:
        return []
    return words if tried.returncode == 0 else []


def _text_of(out: IO[bytes]) -> str:
    """What the program has written to its stdout."""
    out.seek(0)
    return out.read().decode("utf-8", errors="replace")


def _follow(stderr: IO[bytes], take: Callable[[str], None], on_tick: Optional[Callable[[], None]],
            deadline: Optional[float] = None) -> None:
    """Reads lines until the program has closed its stderr, or until a moment of time.monotonic()."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    rest = ""
    with selectors.DefaultSelector() as selector:
        selector.register(stderr, selectors.EVENT_READ)
        while deadline is None or time.monotonic() < deadline:
            ready = selector.select(_TICK_SECONDS if on_tick is not None or deadline is not None else None)
            if ready:
                block = os.read(stderr.fileno(), 65536)
                if not block:
                    break
                *whole, rest = (rest + decoder.decode(block)).split("\n")
                for line in whole:
                    take(line)
            if on_tick is not None:
                on_tick()
    if rest:
        take(rest)


def _end(process: subprocess.Popen[bytes], seconds: float, take: Callable[[str], None]) -> None:
    """Ends the program and all that it started, and waits for that. A second interrupt does not stop this, but takes
    the program the rest of its seconds."""
    if process.returncode is not None:
        return
    try:
        deadline = time.monotonic() + seconds
        _signal_group(process, signal.SIGTERM)
        assert process.stderr is not None
        _follow(process.stderr, take, None, deadline)
        _wait_for_end(process, deadline)
    except BaseException:  # somebody presses Ctrl-C again
        pass
    finally:
        # Ends all processes that are left. The group keeps its number until wait() has taken note of the program's end.
        _signal_group(process, signal.SIGKILL)
        process.wait()


def _wait_for_end(process: subprocess.Popen[bytes], deadline: float) -> None:
    """Waits for the end without taking note of it, and not longer than until then."""
    while time.monotonic() < deadline:
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return
        time.sleep(0.005)


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """The process group of the program has the number of its process."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass
