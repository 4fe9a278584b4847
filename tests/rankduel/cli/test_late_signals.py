"""Test that a signal after the end of a command, while Python still exits, does not change its exit code."""

import os
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="sends signals")
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

# Prints 'joining' when the command has ended and a thread goes on, and 'freeing' when no thread is left.
COMMAND = """
import atexit, signal, sys, threading, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # may be ignored where the tests run
    signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)

def free():
    print("freeing", flush=True)
    time.sleep(1.0)

atexit.register(free)
from rankduel.__main__ import main as command
seconds = sys.argv.pop()
sys.argv = ["rankduel", *sys.argv[1:]]

def wait():
    print("joining", flush=True)
    time.sleep(float(seconds))

try:
    command()
finally:
    threading.Thread(target=wait).start()
"""


def signalled(number, when, seconds, *words):
    """Run a command, send a signal after the line `when`, and return the exit code and error output."""
    started = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *words, seconds],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with started:
        while started.stdout.readline() not in (f"{when}\n", ""):
            pass
        started.send_signal(number)
        try:
            _, errors = started.communicate(timeout=60)
        finally:
            started.kill()  # does nothing if it has ended
    return started.returncode, errors


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_while_threads_are_joined_ends_the_process(number):
    assert signalled(number, "joining", "600", "--version") == (0, "")


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_while_modules_are_freed_is_ignored(number):
    assert signalled(number, "freeing", "0", "--version") == (0, "")


def test_the_code_of_a_failed_command_is_kept():
    code, errors = signalled(signal.SIGINT, "joining", "600", "winners", "missing.npy")
    assert code == 2 and errors.count("\n") == 1 and "missing.npy" in errors
