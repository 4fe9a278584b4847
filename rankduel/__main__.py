"""`python -m rankduel`, and the entry point of the command `rankduel`."""

import sys

from rankduel import check_packages


def main() -> None:
    """Run the command, unless another folder hides one of its packages."""
    try:
        check_packages()
    except ImportError as problem:
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(2)
    try:
        from rankduel.cli import main as run_command
    except KeyboardInterrupt:  # later, the command says more
        print("stopped by SIGINT before anything was done", file=sys.stderr)
        sys.exit(130)
    run_command()


if __name__ == "__main__":
    main()
