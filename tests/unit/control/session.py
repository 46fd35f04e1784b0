#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""session.py DIRECTORY PROGRAM - uses every method of the Python package strata, and checks what comes of it.

Prints a line for each check: "ok CHECK", or "not ok CHECK: why"."""
import os
import subprocess
import sys
import threading
import time

import strata


def check(name, good, why=""):
    print(f"ok {name}" if good else f"not ok {name}: {why}")


def refuses(name, kind, text, call):
    try:
        check(name, False, f"not refused: {call()}")
    except kind as error:
        check(name, text in str(error), error)


def main():
    directory, program = sys.argv[1:]
    numbers = lambda path, **options: [event["fields"]["number"] for event in strata.read_events(path, event="plain", **options)]
    with strata.Control(timeout=300) as control:
        refuses("there are no sessions", strata.Failed, "there are no sessions", control.sessions)
        session = control.create("plain", output=f"{directory}/plain", switch_timer_ms=100)
        model = session.status()["model"]
        check("a session is created with its members", model["switch_timer_ms"] == 100 and model["name"] == "plain", model)
        refuses("a bad name is wrong", strata.Wrong, "a session's name has", lambda: control.create("a/b"))
        refuses("so is a zero byte", ValueError, "zero byte", lambda: control.create("a\0b"))
        refuses("an unknown domain", strata.Wrong, "use xen, kernel, app", lambda: session.enable("disk", "x"))
        refuses("a name that exists is refused", strata.Failed, "exists already", lambda: control.create("plain", output=directory))
        refuses("so is a bad channel", strata.Failed, "not a power of two", lambda: session.set_channel("app", subbuf_bytes=5))
        refuses("and an unknown member", strata.Failed, "colour", lambda: session.set_channel("app", colour=5))
        session.set_channel("app", subbuf_bytes=1 << 18, nr_subbufs=4)
        reply = session.enable_event("app", ["plain", "nothing"], target="program")
        check("rules are enabled", "2 rules of the domain app enabled" in reply.message, reply)
        session.disable_event("app", "nothing", target="program")
        rules = session.status()["model"]["channels"][0]["app"]
        check("channel and rules are set", rules["nr_subbufs"] == 4 and [rule["text"] for rule in rules["rules"]] == ["plain"], rules)
        session.track("kernel", "pid", [17, 18], target="*")
        session.untrack("kernel", "pid", 17, target="*")
        tracked = session.status()["model"]["channels"][0]["kernel"]["rules"]
        check("processes are tracked", tracked == [{"kind": "pid", "target": "*", "text": "18"}], tracked)
        session.untrack("kernel", "pid", 18, target="*")
        session.set_channel("app", channel="spare", nr_subbufs=2)
        session.enable_event("app", "error", target="program", channel="spare")
        session.disable_channel("spare")
        spare = session.status()["model"]["channels"][1]
        check("a channel has a name, rings and rules", spare["name"] == "spare" and spare["app"]["nr_subbufs"] == 2 and spare["app"]["rules"][0]["text"] == "error", spare)
        check("it is disabled", spare["disabled"], spare)
        refuses("one that does not exist is named", strata.Failed, "no channel other", lambda: session.enable_event("app", "x", target="y", channel="other"))

        session.start()
        check("it records", session.status()["channels"][0]["records"])
        subprocess.run([program, "lengths", "1"], check=True)
        subprocess.run([program, "threads", "500"], check=True)
        reply = session.stop()
        check("its end is reported", any("recorded 2000 events" in note for note in reply.notes) and not reply.partial, reply)
        path = session.status()["recording"]
        read = numbers(path)
        check("its events are read", sorted(map(int, read)) == sorted(list(range(500)) * 4), len(read))
        filtered = numbers(path, filter="number < 10")
        check("a filter selects", 0 < len(filtered) < 2000 and all(int(number) < 10 for number in filtered), filtered[:20])
        with strata.read_events(path) as events:
            first = next(events)
        check("reading may end early", first["event"] == "plain" and not list(events), first)
        refuses("what is no trace is refused", strata.ReadError, "", lambda: list(strata.read_events(directory + "/nothing")))
        refuses("an unknown option, too", TypeError, "no argument", lambda: strata.read_events(path, colour="red"))

        copy = control.load(session.save(), name="copy")
        check("it is saved and loaded", copy.status()["model"]["channels"] == session.status()["model"]["channels"])
        check("the copy is the current one", [one["current"] for one in control.sessions() if one["model"]["name"] == "copy"] == [True])
        session.make_current()
        check("then the first one", session.status()["current"])

        flight = control.create("flight", output=f"{directory}/flight", snapshot=True)
        flight.enable_event("app", "plain", target="program")
        flight.start()
        written = f"{directory}/written"
        with subprocess.Popen([program, "linger", "100", written]) as running:
            while not os.path.exists(written):
                time.sleep(0.01)
            flight.snapshot(f"{directory}/snapshot")
            running.kill()
        check("a snapshot has the events", list(map(int, numbers(f"{directory}/snapshot"))) == list(range(100)))

        flight.add_trigger("slow", "count", app=[{"target": "program", "text": "plain"}], interval_ms=50, max=1)
        check("a trigger is added, and counts", [(one["name"], one["counts"]) for one in flight.status()["triggers"]] == [("slow", True)])
        refuses("a trigger without what it counts", strata.Wrong, "what it counts", lambda: flight.add_trigger("other", ""))
        subprocess.run([program, "threads", "10"], check=True)
        while flight.status()["triggers"][0]["counts"]:
            time.sleep(0.05)
        check("it acts", "are in" in flight.status()["triggers"][0]["last"], flight.status()["triggers"])
        reply = flight.remove_trigger("slow")
        check("it is removed", "slow is removed" in reply.message and "triggers" not in flight.status()["model"], reply)

        with subprocess.Popen([program, "linger", "100", f"{directory}/lingers"]) as running:
            while not os.path.exists(f"{directory}/lingers"):
                time.sleep(0.01)
            listed = control.list_apps(fields=True, patterns=["plain", "no-such-*"])
            one = [app for app in listed["applications"] if app["pid"] == running.pid]
            running.kill()
        event = {"name": "plain", "group": "test", "fields": [{"name": "number", "type": "u64"}]}
        check("a program is listed with its events", len(one) == 1 and one[0]["name"] == "program" and one[0]["events"] == [event], listed)
        check("without events unless they are asked for", all("events" not in app for app in control.list_apps()["applications"]))
        refuses("a domain cannot have that name", strata.Wrong, "no name of a domain", lambda: control.list("a:b"))
        refuses("nothing is listed of a hypervisor that does not run", strata.Failed, "does not run under Xen", lambda: control.list("xen"))

        names, errors = [], []
        def ask(number):
            try:
                one = control.create(f"thread-{number}", output=directory)
                names.append(one.status()["model"]["name"])
                one.destroy()
            except strata.StrataError as error:
                errors.append(error)
        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        check("threads share a handle", sorted(names) == [f"thread-{number}" for number in range(8)], errors)
        for one in (flight, copy, session):
            one.destroy()
        check("all are destroyed", control.sessions() == [], control.sessions())
    refuses("a closed handle is wrong", strata.Wrong, "closed", control.sessions)
    check("what was recorded stays", os.path.isdir(path))


main()
