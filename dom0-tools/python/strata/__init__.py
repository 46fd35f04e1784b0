# SPDX-License-Identifier: GPL-2.0-or-later
"""Controls the tracing sessions of Strata, and reads the events that they record.

    import strata

    with strata.Control() as control:
        session = control.create("web", output="/tmp/web")
        session.enable_event("app", "request*", target="nginx")
        session.start()
        ...
        session.stop()
        session.destroy()

    for event in strata.read_events("/tmp/web"):
        print(event["time"], event["event"], event["fields"])
"""
from .control import Control, Failed, NoReply, Reply, Session, StrataError, Wrong
from .events import Events, ReadError, read_events

__all__ = ["Control", "Events", "Failed", "NoReply", "ReadError", "Reply", "Session", "StrataError", "Wrong", "read_events"]
