"""What all tests share: one thread per process, and how Hypothesis searches."""

import os

# Two pytest workers with a full set of torch threads each only get into each other's way. Set before torch is first
# imported, and inherited by every server a test starts; it is also how the app itself runs.
os.environ["OMP_NUM_THREADS"] = "1"

from hypothesis import settings

# No deadlines: a slow machine is not a wrong result. CI repeats the same examples, so that red is about the change.
settings.register_profile("laptop", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "laptop")
