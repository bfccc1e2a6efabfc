"""``python -m simlab`` is the command ``simlab``."""

from simlab.cli import main

if __name__ == "__main__":
    main()
