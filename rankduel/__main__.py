"""`python -m rankduel`: the command."""

from rankduel.cli import main

if __name__ == "__main__":
    main()
