# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions: what `strata create`, `start`, `stop` and the other verbs of sessions do."""
import ctypes
import json
import os
import threading
from typing import NamedTuple

from . import _library


class Reply(NamedTuple):
    """What a verb did: message and notes as the command shows them."""

    message: str
    notes: tuple
    partial: bool  # recorded, but something that the notes name was left out


class StrataError(Exception):
    """A call failed.  The text names the cause and the next step.  `reply` has the whole reply as a
    dictionary, like what was listed all the same; None: there was no valid one."""

    def __init__(self, message, notes=(), reply=None):
        super().__init__(message)
        self.notes = tuple(notes)
        self.reply = reply


class Failed(StrataError):
    """stratad refused, or could not do it."""


class Wrong(StrataError, ValueError):
    """An argument is wrong; nothing was sent."""


class NoReply(StrataError):
    """stratad cannot be reached, or its reply is invalid or late.  Whether a request that was sent
    is done is unknown."""


_ERRORS = {_library.FAILED: Failed, _library.WRONG: Wrong, _library.NO_REPLY: NoReply}


def _bytes(text):
    """A C string.  None stays None."""
    if text is None:
        return None
    data = os.fsencode(text)
    if b"\0" in data:
        raise Wrong("a text must not contain a zero byte")
    return data


def _text(data):
    return (data or b"").decode("utf-8", "replace")


def _number(numbers, name, what):
    if name not in numbers:
        raise Wrong(f"\"{name}\" is no {what}; use {', '.join(numbers)}")
    return numbers[name]


def _list(items):
    """A list with commas, from a string or several; numbers are allowed."""
    if isinstance(items, (str, int)):
        items = [items]
    return ",".join(str(item) for item in items)


def _detail(events, fields):
    if fields:
        return _library.LIST_FIELDS
    return _library.LIST_EVENTS if events else _library.LIST_SOURCES


def _patterns(items):
    return None if items is None else _bytes(_list(items))


class Control:
    """A handle of the library.  Threads may share it; their calls wait for each other."""

    def __init__(self, timeout=None, stratad=None, library=_library.SONAME, system=False):
        """timeout: seconds that a call waits for stratad; None: without limit.
        stratad: the program that is started when no stratad runs; None: it is looked for.
        library: name or path of libstrata-control.
        system: asks root's stratad, as a member of the group tracing; without effect for root."""
        self._library = _library.load(library)
        self._lock = threading.Lock()
        self._handle = self._library.new()
        if not self._handle:
            raise MemoryError("no memory for a handle of libstrata-control")
        if timeout is not None:
            self._library.set_timeout(self._handle, max(0, min(int(timeout * 1000), 2**31 - 1)))
        self._library.set_system(self._handle, bool(system))
        if stratad is not None:
            self._call("set_stratad", _bytes(stratad))

    def close(self):
        """Frees the handle.  Sessions go on."""
        with self._lock:
            self._library.free(self._handle)
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()

    def create(self, name=None, output=None, **members):
        """Creates a session, makes it the current one, and returns it.

        name: None: session-DATE-TIME.  output: directory for its recordings; None:
        ~/strata-traces/NAME-DATE-TIME.  members: others of its text form (docs/formats.md), like
        snapshot=True, switch_timer_ms=100, event_header="compact"."""
        with self._lock:
            model = json.loads(self._model("session_new", _bytes(name), _bytes(output)))
            model.update(members)
            return self._create(model, None, None)

    def load(self, model, name=None, output=None):
        """Creates the session that Session.save() described: a text or a dictionary.  name and
        output replace those in it."""
        with self._lock:
            return self._create(model, name, output)

    def sessions(self):
        """The status of every session of this user, as of Session.status()."""
        return self._status(None)

    def session(self, name):
        """The session of that name; whether it exists is seen at its first use."""
        return Session(self, name)

    def list(self, target=None, events=False, fields=False, patterns=None):
        """What can be recorded on this host (`strata list`): a dictionary with "hypervisor",
        "domains" and "notes" (docs/formats.md).

        target: "xen", or a domain's name or number, with wildcards; None: everything.  events: also
        their events; fields: with fields.  patterns: one text or several: only such events.
        Failed: not all could be listed; its `reply` has the rest, like "domains" of a Xen without
        Strata."""
        return self._list("list", _bytes(target), _detail(events, fields), _patterns(patterns))

    def list_apps(self, events=False, fields=False, patterns=None):
        """The running applications (`strata list --apps`), likewise: a dictionary with
        "applications"."""
        return self._list("list_apps", _detail(events, fields), _patterns(patterns))

    def _check(self, result):
        """Makes a reply or an exception of a result.  The caller holds the lock."""
        library, handle = self._library, self._handle
        message = _text(library.message(handle))
        notes = tuple(_text(library.note(handle, i)) for i in range(library.nr_notes(handle)))
        if result in _ERRORS:
            reply = library.reply(handle) if result == _library.FAILED else None
            raise _ERRORS[result](message, notes, json.loads(_text(reply)) if reply else None)
        return Reply(message, notes, result == _library.PARTIAL)

    def _do(self, function, *arguments):
        """Calls a function.  The caller holds the lock."""
        if not self._handle:
            raise Wrong("the handle is closed")
        return self._check(getattr(self._library, function)(self._handle, *arguments))

    def _call(self, function, *arguments):
        with self._lock:
            return self._do(function, *arguments)

    def _model(self, function, *arguments, use=None):
        """Has a function make a structure of a session; returns its text, or what use() returns."""
        session = ctypes.c_void_p()
        self._do(function, *arguments, ctypes.byref(session))
        try:
            if use:
                return use(session)
            return _text(self._library.session_text(self._handle, session))
        finally:
            self._library.session_free(session)

    def _create(self, model, name, output):
        text = (model if isinstance(model, str) else json.dumps(model)).encode()
        use = lambda session: self._do("create", session)
        self._model("session_read", text, len(text), _bytes(name), _bytes(output), use=use)
        return Session(self, name or json.loads(text)["name"])

    def _ask(self, function, *arguments):
        """Calls a function, and returns its whole reply."""
        with self._lock:
            self._do(function, *arguments)
            return json.loads(_text(self._library.reply(self._handle)))

    def _list(self, function, *arguments):
        reply = self._ask(function, *arguments)
        del reply["status"]
        reply.setdefault("notes", [])
        return reply

    def _status(self, name):
        reply = self._ask("status", _bytes(name))
        for session in reply["sessions"]:
            session["current"] = session["model"]["name"] == reply.get("current")
        return reply["sessions"]


class Session:
    """A session of a Control.  Each method is one request, and returns a Reply unless it says
    otherwise."""

    def __init__(self, control, name):
        self._control = control
        self.name = name

    def __repr__(self):
        return f"<strata.Session {self.name}>"

    def start(self):
        """Starts to record; it records when this returns."""
        return self._call("start")

    def stop(self):
        """Stops recording; the recording is complete when this returns."""
        return self._call("stop")

    def rotate(self):
        """Rotates: ends the recording, which is complete then, and continues in a new one beside it."""
        return self._call("rotate")

    def clear(self):
        """Removes the events since the start; recording continues."""
        return self._call("clear")

    def set_rotation(self, size=0, seconds=0, keep=0):
        """Sets the size in bytes and the duration of a recording; 0: no limit.  keep: number of
        recordings since the start that stay; 0: all."""
        ms = round(seconds * 1000)
        if not (0 <= size < 2**63 and 0 <= ms < 2**32 and 0 <= keep < 2**32):
            raise Wrong("a rotation out of range")
        return self._control._call("set_rotation", _bytes(self.name), size, ms, keep)

    def destroy(self):
        """Stops the session and removes it; its recordings stay."""
        return self._call("destroy")

    def make_current(self):
        """Makes it the session that commands without a name are for."""
        return self._call("set_session")

    def enable(self, domain, items, target="", kind="event", channel=None):
        """Adds rules to a channel, all or none.

        domain: "xen", "kernel" or "app".  items: one text or several: events, patterns; numbers of
        processes; a probe.  target: a kernel or application; "" for xen.  kind: "event", "kprobe",
        "kretprobe", "uprobe", "uretprobe", "function", "tracepoint", "tid", "pid", "xen-domain", "filter",
        "context".
        channel: None: channel0."""
        return self._rules("enable_list", domain, items, target, kind, channel)

    def disable(self, domain, items, target="", kind="event", channel=None):
        """Removes rules as they were given, likewise."""
        return self._rules("disable_list", domain, items, target, kind, channel)

    def enable_event(self, domain, events, target="", channel=None):
        """`strata enable-event`."""
        return self.enable(domain, events, target, channel=channel)

    def disable_event(self, domain, events, target="", channel=None):
        """`strata disable-event`."""
        return self.disable(domain, events, target, channel=channel)

    def track(self, domain, kind, items, target="", channel=None):
        """`strata track`: records only while these run.  kind: "pid", "tid", "xen-domain"."""
        return self.enable(domain, items, target, kind, channel)

    def untrack(self, domain, kind, items, target="", channel=None):
        """`strata untrack`."""
        return self.disable(domain, items, target, kind, channel)

    def set_channel(self, domain, channel=None, **members):
        """`strata enable-channel`: makes a channel, unless it exists, and sets its attributes in a
        domain, as in docs/formats.md, like subbuf_bytes=1 << 18, nr_subbufs=16.  channel: None:
        channel0."""
        number = _number(self._control._library.domains, domain, "domain")
        text = json.dumps(members).encode()
        return self._control._call("set_channel_text", _bytes(self.name), _bytes(channel), number, text)

    def disable_channel(self, channel):
        """`strata disable-channel`: leaves a channel out from the next start on."""
        return self._control._call("disable_channel", _bytes(self.name), _bytes(channel))

    def add_trigger(self, name, spec, **members):
        """`strata add-trigger`: acts when a condition is met, between start and stop.

        spec: what it counts, like "count" or "time:request..reply".  members: others of its text
        form (docs/formats.md), like above_ns=10_000_000, app=[{"target": "server", "text": "all"}]."""
        text = json.dumps({"name": name, "spec": spec, **members}).encode()
        return self._control._call("add_trigger_text", _bytes(self.name), text)

    def remove_trigger(self, name):
        """`strata remove-trigger`."""
        return self._control._call("remove_trigger", _bytes(self.name), _bytes(name))

    def snapshot(self, output=None):
        """Writes what a flight recorder has in memory.  output: a directory; None:
        snapshot-DATE-TIME in the session's."""
        return self._control._call("snapshot", _bytes(self.name), _bytes(output))

    def status(self):
        """What stratad tells of it: a dictionary with "model", "recording", "channels", each with
        "records", and "status" while it records (docs/formats.md), and "current"."""
        return self._control._status(self.name)[0]

    def save(self):
        """Its text, without recordings, for Control.load() and `strata load`."""
        return json.dumps(self.status()["model"], indent=2)

    def _call(self, function):
        return self._control._call(function, _bytes(self.name))

    def _rules(self, function, domain, items, target, kind, channel):
        library = self._control._library
        return self._control._call(
            function,
            _bytes(self.name),
            _bytes(channel),
            _number(library.domains, domain, "domain"),
            _number(library.kinds, kind, "kind of rule"),
            _bytes(target),
            _bytes(_list(items)),
        )
