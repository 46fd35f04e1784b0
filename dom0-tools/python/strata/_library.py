# SPDX-License-Identifier: GPL-2.0-or-later
"""The functions of libstrata-control (strata/control_client.h) with their types, for ctypes.

Structures cross as text only, so that they may get new members."""
import ctypes
import functools
from ctypes import POINTER, c_bool, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p

SONAME = "libstrata-control.so.2"

# enum strata_control_result
NO_REPLY, OK, FAILED, WRONG, PARTIAL = -1, 0, 1, 2, 3

# enum strata_list_detail
LIST_SOURCES, LIST_EVENTS, LIST_FIELDS = 0, 1, 2

# Result and arguments of each function, without the prefix.
_NAMED = (c_int, [c_void_p, c_char_p])
_LIST = (c_int, [c_void_p, c_char_p, c_char_p, c_int, c_int, c_char_p, c_char_p])
_FUNCTIONS = {
    "new": (c_void_p, []),
    "free": (None, [c_void_p]),
    "set_timeout": (None, [c_void_p, c_int]),
    "set_stratad": _NAMED,
    "set_system": (None, [c_void_p, c_bool]),
    "message": (c_char_p, [c_void_p]),
    "nr_notes": (c_size_t, [c_void_p]),
    "note": (c_char_p, [c_void_p, c_size_t]),
    "reply": (c_char_p, [c_void_p]),
    "session_new": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(c_void_p)]),
    "session_free": (None, [c_void_p]),
    "session_text": (c_char_p, [c_void_p, c_void_p]),
    "session_read": (c_int, [c_void_p, c_char_p, c_size_t, c_char_p, c_char_p, POINTER(c_void_p)]),
    "domain_name": (c_char_p, [c_int]),
    "rule_name": (c_char_p, [c_int]),
    "create": (c_int, [c_void_p, c_void_p]),
    "destroy": _NAMED,
    "start": _NAMED,
    "stop": _NAMED,
    "rotate": _NAMED,
    "clear": _NAMED,
    "set_rotation": (c_int, [c_void_p, c_char_p, c_uint64, c_uint32, c_uint32]),
    "set_session": _NAMED,
    "status": _NAMED,
    "enable_list": _LIST,
    "disable_list": _LIST,
    "set_channel_text": (c_int, [c_void_p, c_char_p, c_char_p, c_int, c_char_p]),
    "disable_channel": (c_int, [c_void_p, c_char_p, c_char_p]),
    "add_trigger_text": (c_int, [c_void_p, c_char_p, c_char_p]),
    "remove_trigger": (c_int, [c_void_p, c_char_p, c_char_p]),
    "snapshot": (c_int, [c_void_p, c_char_p, c_char_p]),
    "list": (c_int, [c_void_p, c_char_p, c_int, c_char_p]),
    "list_apps": (c_int, [c_void_p, c_int, c_char_p]),
}


class Library:
    """A loaded library: its functions as attributes, and the numbers of its names."""

    def __init__(self, path):
        library = ctypes.CDLL(path)
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, "strata_control_" + name)
            function.restype = result
            function.argtypes = arguments
            setattr(self, name, function)
        self.domains = _numbers(self.domain_name)
        self.kinds = _numbers(self.rule_name)


def _numbers(name_of):
    numbers, number = {}, 0
    while name := name_of(number):
        numbers[name.decode()] = number
        number += 1
    return numbers


@functools.lru_cache(maxsize=None)
def load(path=SONAME):
    """Loads the library.  OSError: it is not installed."""
    return Library(path)
