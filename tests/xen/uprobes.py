#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the events of uprobes: uprobes.py TRACE SOURCE PROBED PHASE

The events of SOURCE in TRACE are read with babeltrace2; PROBED is what `probed` printed in that kernel for this PHASE. Status 1 with the first event
whose fields are not what the program passes, or if one of the 100 calls lacks one.
"""
import collections
import re
import sys

from babeltrace_events import events_of

CALLS = 100
INNER = 0x5a5a5a5a00000000
EVENTS = ('entered', 'left', 'inside', 'by_offset')


def expected(event, number, index, functions):
    """The fields of the event that a call causes."""
    if event == 'entered':
        return {'ip': functions[0], 'number': number, 'inner': number ^ INNER, 'text': f'call-{index}', 'also': f'also-{index}'}
    if event == 'left':
        return {'ip': functions[0], 'ret': number * 3, 'value': number * 3}
    if event == 'inside':
        return {'ip': functions[1] + 5, 'value': number + 1}
    return {'ip': functions[1], 'value': number}


def main():
    trace, source, said, phase = sys.argv[1:]
    words = re.search(rf'probed: phase {phase} process (\d+) functions (\w+) (\w+)', open(said, encoding='utf-8', errors='replace').read())
    process, functions = int(words[1]), [int(words[2], 16), int(words[3], 16)]
    found = collections.Counter()
    for event, fields, line in events_of(trace, source):
        index = found[event]
        found[event] += 1
        wanted = expected(event, (int(phase) << 32) + index, index, functions) | {'tid': process}
        if 'procname' in fields:
            wanted['procname'] = 'probed'
        if event == 'entered' and 'callstack_user' in fields:
            wanted['callstack_user'] = [wanted['ip']] + fields['callstack_user'][1:]
        for name, value in wanted.items():
            if fields.get(name) != value:
                sys.exit(f'uprobes: {name} is not {value}: {line}')
    print(dict(found))
    if found != {event: CALLS for event in EVENTS}:
        sys.exit('uprobes: not one event for each call')


if __name__ == '__main__':
    main()
