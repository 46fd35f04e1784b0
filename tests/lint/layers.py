#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""layers.py [TREE] - holds the tree to its layers.

TREE/tests/lint/layers.txt lists the rooms, folders of C files, the lowest first.  A file may
include headers of its own room and of the rooms above it in that list, by "room/file.h"; then no
two rooms can need each other.  Prints what breaks that, with the line, and fails."""

import os
import re
import sys

# Below these a room's name begins, as in the includes: "base/error.h", "consumerd/recorder.h".
ROOTS = ("merge/", "dom0-tools/")
INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')


def read_rooms(tree):
    """The floor of each room, by its folder, and whether it stands on public headers alone."""
    floors, alone = {}, set()
    with open(os.path.join(tree, "tests/lint/layers.txt"), encoding="utf-8") as lines:
        for line in lines:
            words = line.partition("#")[0].split()
            if not words:
                continue
            floors[words[0]] = len(floors)
            if words[1:] == ["alone"]:
                alone.add(words[0])
            elif words[1:]:
                sys.exit(f"layers.txt: '{line.strip()}': after a room only 'alone' may stand")
    return floors, alone


def files_below(tree):
    for root in ROOTS:
        for folder, _, names in os.walk(os.path.join(tree, root)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), tree)


def find(tree, header):
    """The file that an include means; None: no room has it."""
    for root in ROOTS:
        if os.path.isfile(os.path.join(tree, root + header)):
            return root + header
    return None


def wrong_with(tree, floors, alone, file, header):
    """Why a file may not include a header; None: it may."""
    room = os.path.dirname(file)
    target = find(tree, header)
    if target is None:
        return f'no room has "{header}"; write "room/file.h"'
    below = os.path.dirname(target)
    if below == room:
        return None
    if room in alone:
        return f'{room} stands on public headers alone, and may not include "{header}"'
    if room.startswith("merge/") and not below.startswith("merge/"):
        return f'{room} may know nothing of dom0-tools/, and includes "{header}"'
    if below in floors and floors[below] > floors[room]:
        return f'{room} lies below {below}, and may not include "{header}"'
    return None


def main():
    tree = sys.argv[1] if len(sys.argv) > 1 else "."
    floors, alone = read_rooms(tree)
    seen, wrong, nr = set(), 0, 0
    for file in files_below(tree):
        room = os.path.dirname(file)
        if room not in floors and room not in seen:
            print(f"{file}: {room} is not in tests/lint/layers.txt; say there what lies below it")
            wrong += 1
        seen.add(room)
        nr += 1
        with open(os.path.join(tree, file), encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                include = INCLUDE.match(line)
                why = include and room in floors and wrong_with(tree, floors, alone, file, include[1])
                if why:
                    print(f"{file}:{number}: {why}")
                    wrong += 1
    for room in floors.keys() - seen:
        print(f"tests/lint/layers.txt: {room} holds no C file; take it out")
        wrong += 1
    if wrong:
        sys.exit(1)
    print(f"  LAYERS  {nr} files in {len(floors)} rooms: each knows only what lies below it")


main()
