"""python -m webnn: looks at this machine and at models through the library."""

import sys

from ._cli import main

if __name__ == "__main__":
    sys.exit(main())
