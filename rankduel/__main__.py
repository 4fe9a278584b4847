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
    from rankduel.cli import main as run_command

    run_command()


if __name__ == "__main__":
    main()
