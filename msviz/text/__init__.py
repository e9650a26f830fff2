"""All the words and numbers a visitor reads, in one place.

Code above `msviz.core` never writes sentences: it returns a `Message` (a key and values), and `say` turns it into
text with the catalogue ``locales/<language>/LC_MESSAGES/msviz.po``. Errors of the core carry a key and values too;
`say_error` speaks them. `number` and `percent` are the only place that decides how a number is written.

>>> from msviz.text import number, say
>>> say("error.no_such_point", id=7)
'There is no point 7 in this batch. It may have been deleted: choose another one.'
>>> number(-0.5)
'\u22120.50'
"""

from msviz.text.messages import Message, catalogue, languages, msg, say, say_error
from msviz.text.numbers import number, percent

__all__ = ["Message", "catalogue", "languages", "msg", "number", "percent", "say", "say_error"]
