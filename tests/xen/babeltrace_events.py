# SPDX-License-Identifier: GPL-2.0-or-later
"""The events of a source in a trace, as babeltrace2 prints them; imported by checks of labs."""
import re
import subprocess
import sys

LINE = re.compile(r'\[[^\]]*\] \(\+[^)]*\) (\S+) (\w+): (\{ .*)')
FIELD = re.compile(r'(\w+) = ("[^"]*"|\[ (?:\[\d+\] = \w+,? ?)*\]|-?\w+)')


def value_of(text):
    """A field as text, list of numbers, or number."""
    if text[0] == '"':
        return text[1:-1]
    if text[0] == '[':
        return [int(number, 0) for number in re.findall(r'\] = (\w+)', text)]
    return int(text, 0)


def events_of(trace, source):
    """Yields name, fields by name, and line of each event."""
    with subprocess.Popen(['babeltrace2', trace], stdout=subprocess.PIPE, text=True) as reader:
        for line in reader.stdout:
            match = LINE.match(line)
            if not match:
                sys.exit(f'not understood: {line}')
            if match[1] == source:
                yield match[2], {field: value_of(text) for field, text in FIELD.findall(match[3])}, line
