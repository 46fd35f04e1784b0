#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what two recorders wrote of a source at the same time: same_events.py RECORDING RECORDING SOURCE [EVENT CONDITION]

On each of its CPUs, the events that both select must be the same, in the same order, from the first one that both have to the last
one. An event has the same ticks in all channels, unless a probe nested in it or a sub-buffer was switched: then its clock was read
again, so ticks only say where to begin and to end. And probes that nest in one another may come in another order, if the inner ones
came between the outer one's channels. With EVENT, only events of that name are compared; of the first recording, only those for
which CONDITION is true, in Python, with the fields as variables: the second has a filter that lets these pass. Prints what differs, and how many events were compared; status 1 if any differs.
"""
import collections
import re
import subprocess
import sys

LINE = re.compile(r'\[(\d+)\] \(\+[^)]*\) (?:\S+ )?(\w+): (\{ .*cpu_id = (\d+).*)')


def events_of(recording, source):
    """The events of each CPU: ticks, name, and the name with all fields."""
    cpus = collections.defaultdict(list)
    command = ['babeltrace2', '--clock-cycles', recording + '/' + source]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        for line in process.stdout:
            match = LINE.match(line)
            if not match:
                sys.exit(f'same_events: {recording}: {line}')
            ticks, name, fields, cpu = match.groups()
            # The hypervisor's own records are of each channel.
            if not name.startswith('strata_'):
                fields = re.sub(r'^\{[^}]*\}, ', '', fields)
                # Of the contexts, only the one that each channel has.
                cpus[int(cpu)].append((int(ticks), name, re.sub(r'^\{ (tid = -?\d+), [^}]*\}', r'{ \1 }', fields)))
    return cpus


def common(one, other):
    """What both have, from the first event with ticks that both have to the last."""
    both = {ticks for ticks, _, _ in one} & {ticks for ticks, _, _ in other}
    if not both:
        return [], []
    first, last = min(both), max(both)
    names = {name for _, name, _ in one} & {name for _, name, _ in other}
    return tuple([(name, fields) for ticks, name, fields in events if first <= ticks <= last and name in names] for events in (one, other))


FIELD = re.compile(r'(\w+) = ("[^"]*"|-?\w+)')


def values_of(fields):
    """The fields of an event by name, as text or number."""
    return {name: value[1:-1] if value[0] == '"' else int(value, 0) for name, value in FIELD.findall(fields)}


def chosen(cpus, name, condition):
    """The events of that name for which the condition is true."""
    return {
        cpu: [event for event in events if event[1] == name and eval(condition, {}, values_of(event[2]))]
        for cpu, events in cpus.items()
    }


# Task, softirq, interrupt and NMI, with a few records each.
NESTED_MAX = 16


def first_difference(mine, theirs):
    """Where the lists differ, but for the order of a few neighbours; None: nowhere."""
    at = 0
    while at < max(len(mine), len(theirs)):
        for end in range(at + 1, at + NESTED_MAX):
            if collections.Counter(mine[at:end]) == collections.Counter(theirs[at:end]):
                break
        else:
            return at
        at = end
    return None


def main():
    one, other = (events_of(recording, sys.argv[3]) for recording in sys.argv[1:3])
    if len(sys.argv) > 4:
        one, other = chosen(one, sys.argv[4], sys.argv[5]), chosen(other, sys.argv[4], 'True')
    compared = 0
    for cpu in sorted(one.keys() | other.keys()):
        mine, theirs = common(one[cpu], other[cpu])
        compared += len(mine)
        at = first_difference(mine, theirs)
        if at is not None:
            sys.exit(f'CPU {cpu}: {len(mine)} and {len(theirs)} events, which differ at {at}: {mine[at:at + 2]} {theirs[at:at + 2]}')
    print(compared)


main()
