#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""cookbook_sql.py N - prints the Nth query of the cookbook in docs/sql.md; without N, their number."""
import re
import sys

text = open("docs/sql.md", encoding="utf-8").read().split("\n## Cookbook\n")[1]
queries = [item.split("\n\n", 1)[1] for item in re.split(r"^\d+\. ", text, flags=re.M)[1:]]
if len(sys.argv) == 1:
    print(len(queries))
else:
    query = queries[int(sys.argv[1]) - 1].split("\n\n")[0]
    print(" ".join(line.strip() for line in query.splitlines()))
