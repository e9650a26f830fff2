"""The tests of msviz. A package, so that tests can share helpers: `from tests.chromium import chromium_or_skip`."""
