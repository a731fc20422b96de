"""`python -m pytest_memuse.cli` is the `memuse` command."""

from pytest_memuse.cli import main

raise SystemExit(main())
