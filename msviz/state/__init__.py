"""The whole application state as one frozen value, its history, and its link.

>>> from msviz.state import State, decode, default_state, encode
>>> state, errors = decode({"beta": "80"})
>>> state.method.params.beta, errors
(80.0, ())
>>> encode(state)
{'beta': '80'}
>>> encode(default_state())
{}
"""

from msviz.state.figure2 import Watched
from msviz.state.history import HISTORY_LIMIT, History
from msviz.state.link import decode, encode
from msviz.state.value import DEFAULT_OTHERS, MAX_OTHERS, SHARES, Display, Selection, State, default_state

__all__ = [
    "DEFAULT_OTHERS",
    "HISTORY_LIMIT",
    "MAX_OTHERS",
    "SHARES",
    "Display",
    "History",
    "Selection",
    "State",
    "Watched",
    "decode",
    "default_state",
    "encode",
]
