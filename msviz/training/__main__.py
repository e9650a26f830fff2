"""python -m msviz.training: a run on the command line."""

import os
import sys

from msviz.training.command_line import main

code = main()
if "TORCHELASTIC_RUN_ID" in os.environ:
    # Of several processes. Now and then torch aborts them while it takes down gloo's threads ("terminate called without
    # an active exception"), after all is done and written; torchrun would call that a failed run.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
raise SystemExit(code)
