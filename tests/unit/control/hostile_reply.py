# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes replies of a stratad that lies, for hostile_stratad.py and hostile_list.py."""
import json
import random


def but(value, **changes):
    """A copy with other members; ... removes one."""
    merged = {**value, **changes}
    return {key: one for key, one in merged.items() if one is not ...}


def line(value):
    return json.dumps(value).encode() + b"\n"


def mutate(good):
    text = bytearray(good)
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(text) - 1)
        kind = random.randrange(4)
        if kind == 0:
            text[at] = random.choice(b'{}[]",:0-1e\\ntx\x00\xff')
        elif kind == 1:
            del text[at : at + random.randint(1, 20)]
        elif kind == 2:
            end = at + random.randint(1, 20)
            text[at:at] = text[at:end]
        else:
            text[at] ^= 1 << random.randrange(8)
        if len(text) < 2:
            return bytes(text) + b"\n"
    return bytes(text)
