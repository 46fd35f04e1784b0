#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what an aggregator counted with what a recorder beside it recorded: same_counts.py RECORDING SOURCE COUNTS.json BEGIN END

With "renewed" in place of BEGIN and END, the aggregator had too few rows at first: its table was renewed, and what is in no row counts in the sum only.

Counts must be the same, for each event and domain, or for each event. Times (with BEGIN and END) are computed from the recording of
each vCPU of Xen's, or thread of a kernel's: their number must be the same; an event has the same ticks in all channels, unless a probe nested in it or a sub-buffer was
switched: so a few times may differ a little. Prints what was compared; status 1 if something differs.
"""
import collections
import json
import math
import re
import subprocess
import sys

LINE = re.compile(r'\[(\d+)\] \(\+[^)]*\) (?:\S+ )?(\w+): (\{ .*)')
CONTEXT = re.compile(r'\bdomain = (\d+), vcpu = (\d+)|\btid = (-?\d+)')


def events_of(recording, source):
    """Of each event: ticks, name, domain, vCPU or thread, in the order of time. A kernel's are of no domain."""
    command = ['babeltrace2', '--clock-cycles', recording + '/' + source]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        for line in process.stdout:
            match = LINE.match(line)
            context = match and CONTEXT.search(match.group(3))
            if not context:
                sys.exit(f'same_counts: {recording}: {line}')
            domain, vcpu, thread = context.groups()
            if not match.group(2).startswith('strata_'):
                yield int(match.group(1)), match.group(2), domain and int(domain), vcpu or thread


def compare_counts(events, rows):
    by_domain = rows[0]['domain_id'] is not None
    recorded = collections.Counter((name, domain if by_domain else None) for _, name, domain, _ in events)
    counted = collections.Counter()
    for row in rows:
        counted[row['event'], row['domain_id'] if by_domain else None] += row['count']
    for key in sorted(recorded.keys() | counted.keys()):
        if recorded[key] != counted[key]:
            print(f'{key}: {recorded[key]} recorded, {counted[key]} counted')
    print(f'{sum(recorded.values())} events of {len(recorded)} kinds')
    return recorded == counted and sum(recorded.values()) > 200


def compare_renewed(events, look):
    recorded = collections.Counter((name, domain) for _, name, domain, _ in events)
    counted = collections.Counter({(row['event'], row['domain_id']): row['count'] for row in look['rows']})
    more = {key: (recorded[key], count) for key, count in counted.items() if count > recorded[key]}
    missed = look['sources'][0]['others']['no_row']
    print(f"{sum(recorded.values())} events recorded, {sum(counted.values())} counted in {len(counted)} rows, {missed} in none, "
          f"after {look['renewals']} renewals; counted more often: {more}")
    return not more and sum(counted.values()) + missed == sum(recorded.values()) and look['renewals'] > 1 and missed < sum(counted.values())


def times_of(events, begin, end):
    """By domain: the times between the two events on a vCPU."""
    opened, times = {}, collections.defaultdict(list)
    for ticks, name, domain, vcpu in events:
        if name == begin:
            opened[domain, vcpu] = ticks
        elif name == end and (domain, vcpu) in opened:
            times[domain].append(ticks - opened.pop((domain, vcpu)))
    return times


def compare_times(events, look, begin, end):
    times = times_of(events, begin, end)
    khz = look['sources'][0]['tsc_khz']
    same = bool(times) and set(times) == {row['domain_id'] for row in look['rows']}
    for row in look['rows']:
        mine = times[row['domain_id']]
        recorded = collections.Counter(max(ticks, 1).bit_length() - 1 for ticks in mine)
        counted = collections.Counter()
        for from_ns, count in row['buckets']:
            counted[round(math.log2(max(from_ns * khz / 1e6, 1)))] += count
        moved = sum(abs(recorded[bucket] - counted[bucket]) for bucket in recorded.keys() | counted.keys())
        total = sum(mine) * 1e6 / khz
        print(f"domain {row['domain_id']}: {len(mine)} and {row['count']} times, {moved} in other buckets, {total:.0f} and {row['sum_ns']} ns")
        # A kernel reads its clock once more for the one than for the other.
        few = len(mine) / (50 if row['domain_id'] is not None else 4)
        same = same and len(mine) == row['count'] > 100 and moved <= few and abs(total - row['sum_ns']) <= total / 50
    return same


def main():
    recording, source, counts = sys.argv[1:4]
    with open(counts, encoding='utf-8') as file:
        look = json.loads(file.readlines()[-1])
    if sys.argv[4:] == ['renewed']:
        sys.exit(0 if compare_renewed(events_of(recording, source), look) else 1)
    if any(one['others']['no_row'] or one['others']['nested'] for one in look['sources']) or not look['is_last']:
        sys.exit(f"same_counts: {look['sources']}")
    events = events_of(recording, source)
    same = compare_times(events, look, *sys.argv[4:]) if len(sys.argv) > 4 else compare_counts(events, look['rows'])
    sys.exit(0 if same else 1)


main()
