"""python -m msviz.training: a run on the command line."""

from msviz.training.command_line import main

raise SystemExit(main())
