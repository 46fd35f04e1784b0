# SPDX-License-Identifier: GPL-2.0-or-later
"""rules.py NAME: as a member of the group tracing, creates a flight recorder of that name, with an event of Xen and as many rules as
there may be, each of which takes six bytes for a character in JSON; prints how many stratad accepted."""
import sys

from member_request import ask

AT_ONCE = 32  # a request has at most 512 KiB


def is_done(request):
    return ask(request)["status"] == 0


name = sys.argv[1]
ask({"verb": "create", "session": {"strata_session": 2, "name": name, "snapshot": True}})
accepted = int(is_done({"verb": "enable", "name": name, "domain": "xen", "rules": [{"text": "sched"}]}))
for first in range(0, 224, AT_ONCE):
    rules = [{"target": f"g{i}", "text": "\x01" * 1000} for i in range(first, first + AT_ONCE)]
    accepted += AT_ONCE * is_done({"verb": "enable", "name": name, "domain": "kernel", "rules": rules})
print(accepted)
