"""`python -m rankduel`, and the entry point of the command `rankduel`."""

import gc
import os
import sys

_OBJECTS = 50_000  # new objects between two runs of the garbage collector; 700 by default
_BLAS = ("OPENBLAS", "MKL")


def main() -> None:
    """Run the command."""
    # Modules stay loaded, and collecting garbage among them takes a tenth of a short command's time.
    gc.set_threshold(_OBJECTS)
    # '--jobs' threads use the cores. Threads of BLAS would compete with them: on a busy machine, small linear
    # systems took four times as long.
    for library in _BLAS:
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    try:
        from rankduel.cli import main as run_command
        from rankduel.cli.endings import keep_code
    except KeyboardInterrupt:  # the command has a handler of its own later
        print("stopped by SIGINT before anything was done", file=sys.stderr)
        sys.exit(130)
    try:
        run_command()
    except SystemExit as ended:
        keep_code(int(ended.code or 0))
        raise


if __name__ == "__main__":
    main()
