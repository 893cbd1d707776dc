"""Ctrl-C in a solve: KeyboardInterrupt, and no process is left; also among threads, and when Python is killed."""
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
import uuid
from unittest import mock

import poet
from poet._program import Finished, Stopped
from support import PACKAGE, TestCase

WAIT_SECONDS = 60

LONG_SOLVE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background ignores it
import poet
{before}
lines = 0
def working(progress):
    global lines
    lines += 1
    if lines == {line}:
        print("working", flush=True)
try:
    {call}
    print("finished")
except KeyboardInterrupt as error:
    stopped = error
    print("KeyboardInterrupt", flush=True)
{after}
"""
OPTIMIZE = "poet.optimize('bert', 'm4', ram='45%', runtime=1.5, gap=0, time_limit_s=300, progress=working)"
# Says "working" at the first line of the program with a text.
WHEN_A_LINE_HAS = """
import poet._program
follow = poet._program._follow
def followed(stderr, take, *others):
    def looked_at(line):
        take(line)
        if "{text}" in line:
            print("working", flush=True)
    follow(stderr, looked_at, *others)
poet._program._follow = followed
"""


def processes_with(mark):
    """The processes that have a word in their environment, zombies left out."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environment:
                if mark.encode() in environment.read():
                    found.append(int(pid))
        except OSError:
            pass  # it has ended, or is not ours
    return found


@unittest.skipUnless(os.path.isdir("/proc/self"), "no /proc: nobody knows what is left")
class Interrupt(TestCase):
    def start(self, line=1, before="", call=OPTIMIZE, after=""):
        self.mark = uuid.uuid4().hex
        code = LONG_SOLVE.format(before=before, line=line, call=call, after=after)
        process = subprocess.Popen([sys.executable, "-B", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True,
                                   env={**os.environ, "PYTHONPATH": str(PACKAGE), "POET_TEST_MARK": self.mark})
        for pipe in (process.stdin, process.stdout, process.stderr):
            self.addCleanup(pipe.close)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, process, word):
        for line in process.stdout:
            if line.strip() == word:
                return
        self.fail(f"the script ended without '{word}': {process.stderr.read()}")

    def expect_left(self, *expected, seconds=WAIT_SECONDS):
        deadline = time.monotonic() + seconds
        while processes_with(self.mark) != list(expected):
            self.assertLess(time.monotonic(), deadline, f"left: {processes_with(self.mark)}")
            time.sleep(0.01)

    def expect_interrupted(self, process):
        """Nothing is left but Python, which goes on for some time, once it has said so."""
        self.wait_for(process, "KeyboardInterrupt")
        # A process that has been killed takes a moment to go.
        self.expect_left(process.pid, seconds=0.5)
        self.assertIsNone(process.poll())
        process.stdin.close()
        self.assertEqual(process.wait(WAIT_SECONDS), 0)

    def check_ctrl_c(self, process):
        self.wait_for(process, "working")
        self.assertGreater(len(processes_with(self.mark)), 1)
        os.kill(process.pid, signal.SIGINT)
        self.expect_interrupted(process)

    def test_ctrl_c_leaves_no_process(self):
        for line in (1, 2, 3):
            with self.subTest(line=line):
                self.check_ctrl_c(self.start(line, after="sys.stdin.read()"))

    def test_ctrl_c_at_any_moment(self):
        for delay_ms in (0, 1, 2, 5, 10, 20, 50, 100):
            with self.subTest(delay_ms=delay_ms):
                process = self.start(line=0, call="print('working', flush=True); " + OPTIMIZE,
                                     after="sys.stdin.read()")
                self.wait_for(process, "working")
                time.sleep(delay_ms / 1000)
                os.kill(process.pid, signal.SIGINT)
                self.expect_interrupted(process)

    def test_ctrl_c_keeps_the_best_schedule(self):
        for call in ("poet.optimize('resnet18_cifar', 'm4', ram=737719, runtime=1.5, gap=0, progress=working)",
                     "poet.solve('resnet18_cifar', 'm4', 737719, 1.5, print_graph_info=False)"):
            with self.subTest(call=call):
                process = self.start(line=0, before=WHEN_A_LINE_HAS.format(text="  gap "), call=call, after="""
assert type(stopped) is poet.Interrupted, type(stopped)
assert stopped.best.status == "feasible" and stopped.best.verify(), stopped.best
assert stopped.best.bound < stopped.best.energy and stopped.best.model.name == "resnet18_cifar"
assert "`best`" in str(stopped) and repr(stopped.best) in str(stopped), str(stopped)
sys.stdin.read()
""")
                self.check_ctrl_c(process)

    def test_ctrl_c_before_there_is_a_schedule_says_so(self):
        nothing = '{"format": "poet-schedule", "version": 1, "code": 130, "status": "unknown", "error": "-"}'
        for written in ("", "{", nothing):
            finished = Finished(130, written)
            with self.subTest(written=written), mock.patch("poet._optimize.run", side_effect=Stopped(finished)):
                with self.assertRaises(poet.Interrupted) as caught:
                    poet.optimize("linear", "m4", ram=3500, runtime=2, progress=False)
                self.assertIsNone(caught.exception.best)
                self.assertEqual(str(caught.exception), "nothing was found so far")
                self.assertNotIsInstance(caught.exception, Exception)

    def test_ctrl_c_keeps_the_finished_points_of_a_sweep(self):
        process = self.start(line=0, before=WHEN_A_LINE_HAS.format(text=" 1/2 "), call="poet.sweep(['linear', 'bert'], "
                             "'m4', ram='45%', runtime=1.5, gap=0, jobs=2)", after="""
assert [(point.model, point.status) for point in stopped.rows] == [("linear", "optimal")], stopped.rows
assert "`rows`" in str(stopped), str(stopped)
sys.stdin.read()
""")
        self.check_ctrl_c(process)

    def test_ctrl_c_twice_leaves_no_process(self):
        process = self.start()
        self.wait_for(process, "working")
        os.kill(process.pid, signal.SIGINT)
        os.kill(process.pid, signal.SIGINT)
        process.wait(WAIT_SECONDS)
        self.expect_left()

    def test_ctrl_c_in_a_sweep(self):
        process = self.start(call="print('working', flush=True); "
                                  "poet.sweep('bert', 'm4', ram='40%..60%:8', runtime=1.5, gap=0, jobs=2)")
        self.wait_for(process, "working")
        deadline = time.monotonic() + WAIT_SECONDS
        while len(processes_with(self.mark)) < 3:  # Python, the program and a point
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGINT)
        self.wait_for(process, "KeyboardInterrupt")
        process.wait(WAIT_SECONDS)
        self.expect_left()

    def test_ctrl_c_in_a_process_with_threads_of_torch(self):
        before = """
import threading
import torch
torch.set_num_threads(16)
def compute():
    x = torch.ones(300, 300)
    while True:
        x = (x @ x).clamp(0, 1)
threading.Thread(target=compute, daemon=True).start()
torch.ones(2000, 2000) @ torch.ones(2000, 2000)
import os
assert len(os.listdir("/proc/self/task")) >= 16, os.listdir("/proc/self/task")
assert poet.optimize("linear", "m4", ram=3500, runtime=2).status == "optimal"
"""
        probe = subprocess.run([sys.executable, "-c", "import torch"], capture_output=True)
        if probe.returncode != 0:
            self.skipTest("no torch (Debian: python3-torch)")
        # Torch aborts where a thread of its own computes while Python ends, whatever else has happened.
        self.check_ctrl_c(self.start(before=before, after="sys.stdin.read(); os._exit(0)"))

    @unittest.skipIf(shutil.which("setpriv") is None, "no setpriv (Debian: util-linux)")
    def test_a_killed_python_leaves_no_process(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(signal=number):
                process = self.start()
                self.wait_for(process, "working")
                os.kill(process.pid, number)
                process.wait(WAIT_SECONDS)
                self.expect_left()


if __name__ == "__main__":
    unittest.main()
