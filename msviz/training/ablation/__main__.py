"""python -m msviz.training.ablation: the ablation on the command line."""

from msviz.training.ablation.command_line import main

raise SystemExit(main())
