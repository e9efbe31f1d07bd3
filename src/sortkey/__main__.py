"""`python -m sortkey` is the `sortkey` command."""

import sys

from sortkey.cli import main

sys.exit(main())
