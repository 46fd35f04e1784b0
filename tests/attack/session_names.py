# SPDX-License-Identifier: GPL-2.0-or-later
"""session_names.py NR [VERB...]: as a member of the group tracing, creates and destroys sessions of NR different names, with these verbs in
between; prints how many sessions were created, and the seconds that it took."""
import sys
import time

from member_request import ask

created = 0
began = time.monotonic()
for i in range(int(sys.argv[1])):
    name = f"name{i}"
    created += ask({"verb": "create", "session": {"strata_session": 2, "name": name}})["status"] == 0
    for verb in [*sys.argv[2:], "destroy"]:
        reply = ask({"verb": verb, "name": name})
        if i == 0:
            print(verb, reply, file=sys.stderr)
print(created, f"{time.monotonic() - began:.1f}")
