#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the events of functions: functions.py TRACE SOURCE KALLSYMS [CHECK=VALUE]...

The events of SOURCE in TRACE are read with babeltrace2; KALLSYMS are the functions of its kernel. Of each event, the name must be that of
the function at its address. The returns of a task must be those of its calls, in reverse order, where nothing was lost. If events have a
kernel call stack, none is of a call that the recording of another made: only an interrupt may lie between the two. Checks:

  calls=NAME:N          events NAME_entry and NAME_exit occur N times each
  probes=NAME:N         so do events NAME
  caller=FUNCTION:NAME  FUNCTION returns to NAME only
  lossy=1               events may be missing

Status 1 with the first event that is wrong.
"""
import bisect
import collections
import sys

from babeltrace_events import events_of


# Of the function tracer: what calls a hook of an entry, and of a return.
HOOKS = {'ftrace_ops_assist_func', 'arch_ftrace_ops_list_func', 'rethook_trampoline_handler', 'arch_rethook_trampoline_callback',
         'arch_rethook_trampoline'}
# Where the kernel puts its modules.
MODULES = 0xffffffffc0000000


class Symbols:
    """The functions of a kernel by address."""

    def __init__(self, path):
        lines = (line.split() for line in open(path, encoding='ascii'))
        self.names = collections.defaultdict(set)
        for words in lines:
            if words[1] in 'tTwW':
                self.names[int(words[0], 16)].add(words[2])
        self.addresses = sorted(self.names)

    def at(self, address):
        """The names of the function that an address lies in."""
        at = bisect.bisect_right(self.addresses, address) - 1
        return self.names[self.addresses[at]] if at >= 0 else set()


def is_hook(address, symbols):
    """Whether a frame is of the function tracer: a trampoline, which lies where modules do, or a function that calls the hook."""
    return address >= MODULES or not HOOKS.isdisjoint(symbols.at(address - 1))


def check_stack(frames, symbols, line):
    """The frames of the event's own hook, then the function and those that called it."""
    at = 0
    while at < len(frames) and is_hook(frames[at], symbols):
        at += 1
    for address in frames[at:]:
        names = symbols.at(address - 1)
        if any(name.startswith('asm_') for name in names):
            return
        if not HOOKS.isdisjoint(names):
            sys.exit(f'functions: the recording records itself: {line}')


def check_caller(fields, symbols, options, line):
    caller = symbols.at(fields['parent_ip'] - 1)
    if any('rethook_trampoline' in name for name in caller):
        sys.exit(f'functions: the hook of a return takes the place of the caller: {line}')
    for pair in options['caller']:
        function, name = pair.split(':')
        if fields['name'] == function and name not in caller:
            sys.exit(f'functions: {function} returns to {caller}: {line}')


def main():
    trace, source, kallsyms = sys.argv[1:4]
    options = collections.defaultdict(list)
    for option in sys.argv[4:]:
        options[option.split('=')[0]].append(option.split('=', 1)[1])
    symbols = Symbols(kallsyms)
    found, functions = collections.Counter(), set()
    calls = collections.defaultdict(list)
    for event, fields, line in events_of(trace, source):
        found[event] += 1
        if not event.endswith(('_entry', '_exit')) or 'parent_ip' not in fields:
            continue
        if fields['name'] not in symbols.names.get(fields['ip'], ()):
            sys.exit(f'functions: at {fields["ip"]:#x} is {symbols.at(fields["ip"])}: {line}')
        functions.add(fields['name'])
        check_caller(fields, symbols, options, line)
        check_stack(fields.get('callstack_kernel', ()), symbols, line)
        if options['lossy']:
            continue
        kind, what = event.rsplit('_', 1)
        call = (fields['ip'], fields['parent_ip'])
        stack = calls[kind, fields['tid']]
        if what == 'entry':
            stack.append(call)
        elif stack and stack.pop() != call:
            sys.exit(f'functions: not the return of the last call: {line}')
    print(dict(found), len(functions), 'functions')
    for pair in options['calls']:
        name, number = pair.split(':')
        if found[name + '_entry'] != int(number) or found[name + '_exit'] != int(number):
            sys.exit(f'functions: not {number} calls and returns of {name}')
    for pair in options['probes']:
        name, number = pair.split(':')
        if found[name] != int(number):
            sys.exit(f'functions: not {number} events {name}')
    if not functions:
        sys.exit('functions: no events of functions')


if __name__ == '__main__':
    main()
