#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the counters of a kernel's events: counters.py TRACE SOURCE

The events of SOURCE in TRACE are read with babeltrace2; they are sched_switch, sys_enter and page_fault_user, none of which interrupts another on its CPU.
Prints how many were compared; status 1 with the first event whose counters are wrong, or if there are too few.
"""
import collections
import re
import sys

from babeltrace_events import events_of

NO_VALUE = 2 ** 64 - 1
COUNTERS = ('perf_cpu_cpu_clock', 'perf_cpu_task_clock', 'perf_cpu_page_faults', 'perf_cpu_minor_faults', 'perf_cpu_context_switches')
TIME = re.compile(r'\[(\d+):(\d+):(\d+)\.(\d{9})\]')
READ, BUFFER, PAGES = 0, 512 * 1024, 128


def time_of(line):
    """Nanoseconds of the day."""
    hours, minutes, seconds, ns = (int(number) for number in TIME.match(line).groups())
    return ((hours * 60 + minutes) * 60 + seconds) * 10 ** 9 + ns


def demand(true, text):
    if not true:
        sys.exit(f'counters: {text}')


class Cpu:
    """What was counted at the last event of a CPU, and since it came online."""

    def __init__(self):
        self.last = None
        self.began = None
        self.resets = 0


def check_thread(fields, cpu, compared):
    """While a thread stays on its CPU, both count the same page faults."""
    # A switch has the counts of the thread that goes.
    if cpu.last['name'] != 'sched_switch' and cpu.last['tid'] == fields['tid'] != 0:
        for of_cpu, of_thread in (('perf_cpu_minor_faults', fields['minor_faults']),
                                  ('perf_cpu_page_faults', fields['minor_faults'] + fields['major_faults'])):
            before = cpu.last['minor_faults'] + (cpu.last['major_faults'] if of_cpu == 'perf_cpu_page_faults' else 0)
            counted, expected = fields[of_cpu] - cpu.last[of_cpu], of_thread - before
            # The kernel counts a fault for the CPU before it handles it, and for the thread after.
            demand(abs(counted - expected) <= 1, f'{of_cpu} went on by {counted}, and of the thread by {expected}: {fields["line"]}')
            compared['faults'] += expected


def check_cpu(name, fields, cpu, compared):
    fields['time'] = time_of(fields['line'])
    if fields[COUNTERS[0]] == NO_VALUE:
        compared['none'] += 1
        demand(fields['cpu_id'] == 1, f'no value: {fields["line"]}')
        cpu.last = None
        return
    if cpu.last and fields[COUNTERS[0]] < cpu.last[COUNTERS[0]]:
        cpu.resets += 1
        cpu.last = None
    if not cpu.last:
        cpu.began = fields
    else:
        for counter in COUNTERS:
            demand(fields[counter] >= cpu.last[counter], f'{counter} goes back from {cpu.last[counter]}: {fields["line"]}')
        switches = fields['perf_cpu_context_switches'] - cpu.last['perf_cpu_context_switches']
        demand(switches == (cpu.last['name'] == 'sched_switch'), f'{switches} switches after {cpu.last["name"]}: {fields["line"]}')
        check_thread(fields, cpu, compared)
        elapsed = fields['time'] - cpu.began['time']
        for counter in ('perf_cpu_cpu_clock', 'perf_cpu_task_clock'):
            counted = fields[counter] - cpu.began[counter]
            demand(abs(counted - elapsed) <= elapsed / 10 + 10 ** 7, f'{counter} counted {counted} ns in {elapsed}: {fields["line"]}')
    fields['name'] = name
    cpu.last = fields
    compared[name] += 1


def check_program(name, fields, waits, compared):
    """A program that reads into a buffer which is not there yet has its page faults."""
    if name != 'sys_enter':
        return
    before = waits.pop(fields['tid'], None)
    if before and before['cpu_id'] == fields['cpu_id']:
        counted = fields['perf_cpu_page_faults'] - before['perf_cpu_page_faults']
        demand(counted >= PAGES, f'{counted} page faults, not {PAGES}: {fields["line"]}')
        compared['program'] += 1
    if fields['id'] == READ and fields['args'][2] == BUFFER:
        waits[fields['tid']] = fields


def main():
    trace, source = sys.argv[1:]
    cpus, waits, compared = collections.defaultdict(Cpu), {}, collections.Counter()
    for name, fields, line in events_of(trace, source):
        fields['line'] = line
        check_cpu(name, fields, cpus[fields['cpu_id']], compared)
        check_program(name, fields, waits, compared)
    print(dict(compared), {number: cpu.resets for number, cpu in cpus.items()})
    demand(compared['sched_switch'] > 100 and compared['sys_enter'] > 100 and compared['page_fault_user'] > 50, 'too few events')
    demand(compared['faults'] > 100 and compared['program'] == 1, 'too few page faults')
    demand(cpus[0].resets == 0 and cpus[1].resets <= 1, 'a counter began again')
    demand(cpus[1].resets == 1 or compared['none'], 'CPU 1 did not go')


if __name__ == '__main__':
    main()
