#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the contexts of a kernel's events: contexts.py TRACE SOURCE KALLSYMS STACKED PHASE

The events of SOURCE in TRACE are read with babeltrace2; STACKED is what `stacked` printed in that kernel for this PHASE. Prints how many events of each kind
were compared; status 1 with the first event whose contexts are wrong, or if there are too few.
"""
import bisect
import collections
import re
import sys

from babeltrace_events import events_of

FRAMES = 32
GETPRIORITY = 140
# Functions that no other calls.
OUTERMOST = ('ret_from_fork', 'entry_SYSCALL_64_after_hwframe')


class Symbols:
    """The functions of a kernel by address."""

    def __init__(self, path):
        lines = (line.split() for line in open(path, encoding='ascii'))
        found = sorted((int(words[0], 16), words[2]) for words in lines if words[1] in 'tTwW')
        self.addresses = [address for address, _ in found]
        self.names = [name for _, name in found]

    def name(self, address):
        at = bisect.bisect_right(self.addresses, address) - 1
        return self.names[at] if at >= 0 else '?'


class Wrong(Exception):
    pass


def demand(true, text):
    if not true:
        raise Wrong(text)


def check_any(fields, names, compared):
    demand(len(fields['callstack_kernel']) <= FRAMES and len(fields['callstack_user']) <= FRAMES, 'too many frames')
    for stack in ('callstack_kernel', 'callstack_user'):
        demand(fields[stack + '_cut'] in (0, 1), 'cut')
    if names and names[-1] in OUTERMOST:
        demand(not fields['callstack_kernel_cut'], 'a whole stack is marked as cut')
        compared['whole'] += 1
    demand(fields['nice'] in range(-20, 20), 'nice')
    demand(fields['need_reschedule'] in (0, 1) and fields['migratable'] in (0, 1), 'flags')
    if fields['tid'] == 0:
        demand(not fields['callstack_user'], 'the idle task has a user stack')
        compared['idle'] += 1


def check_counts(fields, counted, compared):
    """Between two switches of a thread the kernel has counted one, and no count goes back."""
    last = counted.get(fields['tid'])
    now = {name: fields[name] for name in ('context_switches', 'cpu_migrations', 'minor_faults', 'major_faults')}
    # An idle thread of each CPU has this number; and a thread that has executed a program may have that of another one.
    if last and fields['tid'] and now['context_switches'] > 1:
        demand(now['context_switches'] == last['context_switches'] + 1, f'context_switches after {last}')
        demand(all(now[name] >= last[name] for name in now), f'counts after {last}')
        compared['counted'] += 1
    counted[fields['tid']] = now


def check_switch(fields, names, compared):
    demand(fields['procname'] == fields['prev_comm'], 'procname is not prev_comm')
    demand(fields['tid'] == fields['prev_pid'], 'tid is not prev_pid')
    demand(fields['prio'] == fields['prev_prio'], 'prio is not prev_prio')
    demand('__schedule' in names, f'no __schedule in {names}')
    demand(names[0] not in ('stack_trace_save', 'arch_stack_walk'), f'{names[0]} is the tracer')
    compared['switch'] += 1


def check_call(fields, names, stacked, compared):
    demand(fields['procname'] == 'stacked', 'procname')
    demand(fields['pid'] == stacked.process and fields['tid'] == stacked.process, f'pid is not {stacked.process}')
    demand(fields['nice'] == 7 and fields['prio'] == 127, 'nice and prio')
    demand('do_syscall_64' in names, f'no do_syscall_64 in {names}')
    demand(fields['callstack_user'][1:3] == stacked.frames, f'user frames are not {stacked.frames}')
    compared['call'] += 1


class Stacked:
    """What the program said of itself."""

    def __init__(self, path, phase):
        words = re.search(rf'stacked: phase {phase} process (\d+) frames (\w+) (\w+)', open(path, encoding='utf-8', errors='replace').read())
        self.process = int(words[1])
        self.frames = [int(words[2], 16), int(words[3], 16)]


def check(name, fields, symbols, stacked, counted, compared):
    names = [symbols.name(address) for address in fields['callstack_kernel']]
    check_any(fields, names, compared)
    if name == 'sched_switch':
        check_switch(fields, names, compared)
        check_counts(fields, counted, compared)
    elif name == 'sys_enter' and fields['id'] == GETPRIORITY and '0x52415441' in fields['line']:
        check_call(fields, names, stacked, compared)
    elif name.startswith('probe_'):
        demand(any(one.endswith('sys_getpriority') for one in names), f'no sys_getpriority in {names}')
        compared['kprobe'] += 1
    else:
        compared['other'] += 1


def main():
    trace, source, kallsyms, said, phase = sys.argv[1:]
    symbols, stacked = Symbols(kallsyms), Stacked(said, phase)
    compared, counted = collections.Counter(), {}
    for name, fields, line in events_of(trace, source):
        fields['line'] = line
        try:
            check(name, fields, symbols, stacked, counted, compared)
        except Wrong as wrong:
            sys.exit(f'contexts: {wrong}: {line}')
    print(dict(compared))
    if compared['call'] != 100 or compared['switch'] < 50 or compared['idle'] < 10 or compared['whole'] < 100 or compared['counted'] < 20:
        sys.exit('contexts: too few events')


if __name__ == '__main__':
    main()
