#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""sql_peer.py STRATA SEED NUMBER TRACE - asks NUMBER random queries of `strata sql`, and of Python's sqlite3 with the events
that `strata view --json` shows of the same trace loaded into tables; the rows have to be the same.

It prints each difference and ends with 1, or a line with what it compared."""
import json
import random
import sqlite3
import subprocess
import sys

COMMON = ["time_ns", "bound_ns", "source", "layer", "domain", "vcpu", "pcpu", "cpu"]
NOT_IN_JSON = {"host", "domain_name", "process", "tid"}
SCOPES = ["packet", "stream_context", "context", "fields"]
LARGEST = 2**63 - 1


def strata(program, trace, query):
    done = subprocess.run([program, "sql", "--json", trace, query], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise SystemExit(f"status {done.returncode} of {query}: {done.stderr}")
    return json.loads(done.stdout or "[]")


def whole(value):
    """An integer as SQLite has it: text beyond 63 bits."""
    return value if -LARGEST - 1 <= value <= LARGEST else str(value)


def composed(value):
    """JSON in one form, whatever writes it."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def cell(value, kind):
    """A value of JSON as a column of a declared kind."""
    if value is None:
        return None
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, dict) and "value" in value and ("label" in value or "flags" in value):
        return cell(value["value"], kind)
    if isinstance(value, (dict, list)):
        return composed(value)
    if kind == "BLOB":
        return bytes.fromhex(value)
    if isinstance(value, str) and kind in ("INTEGER", ""):
        return whole(int(value))
    if isinstance(value, int):
        return whole(value) if kind != "REAL" else float(value)
    return value


def named(fields, name):
    """The name of a number, which is beside it or in it."""
    value = fields.get(name)
    if isinstance(value, dict) and "label" in value:
        return value["label"]
    if isinstance(value, dict) and "flags" in value:
        return ",".join(value["flags"]) or None
    return fields.get(name + "_name")


def columns_of(program, trace, table):
    """Name and declared type, in order."""
    quoted = table.replace("'", "''")
    rows = strata(program, trace, f"SELECT name, type FROM pragma_table_info('{quoted}')")
    return [(row["name"], row["type"]) for row in rows]


def common_of(event):
    return {"time_ns": whole(int(event["ns"])) if "ns" in event else None, **{name: event.get(name) for name in COMMON[1:]}}


def row_of_class(event, columns):
    row = common_of(event)
    fields = event.get("fields", {})
    own = [(name, kind) for name, kind in columns if name not in row and name not in NOT_IN_JSON]
    if len(own) == len(fields) and not set(fields) <= {name for name, _ in own} and "context" not in event \
            and "stream_context" not in event:
        # Names that were changed: a field for each column, in their order.
        row.update((name, cell(value, kind)) for (name, kind), value in zip(own, fields.values()))
        return row
    context = {**event.get("stream_context", {}), **event.get("context", {})}
    for name, kind in columns:
        if name in row or name in NOT_IN_JSON:
            continue
        if name.startswith("field_") and name[6:] in set(COMMON) | NOT_IN_JSON | {"message"}:
            row[name] = cell(fields.get(name[6:]), kind)
        elif name == "message" and "message" in event:
            row[name] = event["message"]
        elif name.startswith("ctx_") and name[4:] in context:
            row[name] = cell(context[name[4:]], kind)
        elif name in fields:
            row[name] = cell(fields[name], kind)
        elif name.endswith("_name") and name[:-5] in fields:
            row[name] = named(fields, name[:-5])
        elif name.startswith("ctx_") and name.endswith("_name") and name[4:-5] in context:
            row[name] = named(context, name[4:-5])
        else:
            row[name] = None
    return row


def row_of_events(event):
    row = common_of(event)
    row["event"] = event["event"]
    for scope in SCOPES:
        row[scope] = composed(event[scope]) if scope in event else None
    row["message"] = event.get("message")
    return row


def order_u64(a, b):
    def key(text):
        return (0, len(text), text) if text.isdigit() and text[0] != "0" else (1, 0, text)
    return (key(a) > key(b)) - (key(a) < key(b))


def quote(name):
    return '"' + name.replace('"', '""') + '"'


def load(program, trace):
    """The database of the peer, and its tables' columns that can be compared."""
    database = sqlite3.connect(":memory:")
    database.create_collation("u64", order_u64)
    view = subprocess.run([program, "view", "--json", trace], capture_output=True, text=True)
    events = [event for event in map(json.loads, view.stdout.splitlines()) if "event" in event]
    tables = {}
    for name in ["events"] + sorted({row["name"] for row in strata(program, trace, "SELECT name FROM event_tables")}):
        columns = [(column, kind) for column, kind in columns_of(program, trace, name) if column not in NOT_IN_JSON]
        declared = ", ".join(f"{quote(column)} {kind or 'COLLATE u64'}" for column, kind in columns)
        database.execute(f"CREATE TABLE {quote(name)}({declared})")
        tables[name] = columns
    of_event = {row["event"]: row["name"] for row in strata(program, trace, "SELECT DISTINCT name, event FROM event_tables")}
    for event in events:
        for name, row in (("events", row_of_events(event)), (of_event[event["event"]], row_of_class(event, tables[of_event[event["event"]]]))):
            values = [row[column] for column, _ in tables[name]]
            database.execute(f"INSERT INTO {quote(name)} VALUES({','.join('?' * len(values))})", values)
    return database, tables, events


def literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    return repr(value)


class Queries:
    def __init__(self, database, tables, seed):
        self.database, self.tables, self.chance = database, tables, random.Random(seed)
        self.full = [name for name in tables if database.execute(f"SELECT count(*) FROM {quote(name)}").fetchone()[0]]

    def value(self, table, column):
        """One that the column has; sometimes one beside it."""
        rows = self.database.execute(f"SELECT {quote(column)} FROM {quote(table)} ORDER BY random() LIMIT 1").fetchall()
        value = rows[0][0] if rows else None
        if isinstance(value, int) and self.chance.random() < 0.2:
            value += self.chance.choice([-1, 1])
        return value

    def condition(self, table):
        chance = self.chance
        column = chance.choice(COMMON + ["time_ns"] * 3 + ["cpu", "domain"] + (["event"] * 4 if table == "events" else []))
        if chance.random() < 0.15:
            column = chance.choice(self.tables[table])[0]
        kind = dict(self.tables[table])[column]
        value = self.value(table, column)
        if kind == "TEXT" and isinstance(value, str) and value[:1] in "[{":
            return f"{quote(column)} IS NOT NULL"
        if value is None:
            return f"{quote(column)} IS NULL"
        if chance.random() < 0.25:
            values = ", ".join(literal(self.value(table, column)) for _ in range(chance.randrange(1, 5)))
            return f"{quote(column)} IN ({values})"
        if kind == "TEXT" and chance.random() < 0.3:
            part = value[:chance.randrange(1, len(value) + 1)].replace("'", "")
            if "[" not in part and "%" not in part:
                return f"{quote(column)} {chance.choice(['GLOB', 'NOT GLOB'])} '{part}*'" if chance.random() < 0.5 \
                    else f"{quote(column)} LIKE '{part}%'"
        if isinstance(value, int) and column == "time_ns" and chance.random() < 0.1:
            value += 0.5
        return f"{quote(column)} {chance.choice(['=', '=', '<', '<=', '>', '>=', '!='])} {literal(value)}"

    def where(self, table):
        text = ""
        for i in range(self.chance.choice([0, 1, 1, 2, 2, 3])):
            text += f" {self.chance.choice(['AND', 'AND', 'AND', 'OR'])} " if i else " WHERE "
            text += ("NOT " if self.chance.random() < 0.1 else "") + f"({self.condition(table)})"
        return text

    def next(self):
        chance = self.chance
        form = chance.randrange(4)
        table = chance.choice(["events"] + self.full) if self.full else chance.choice(list(self.tables))
        # Texts of JSON are equal in what they say, and not in their order.
        names = [column for column, _ in self.tables[table] if form > 1 or column not in SCOPES]
        where = self.where(table)
        if form == 0:
            column = quote(chance.choice(names))
            return f"SELECT count(*) AS n, count({column}) AS c, min({column}) AS a, max({column}) AS b FROM {quote(table)}{where}"
        if form == 1:
            column = quote(chance.choice(names))
            return f"SELECT {column} AS c, count(*) AS n, min(time_ns) AS t FROM {quote(table)}{where} GROUP BY 1"
        chosen = ", ".join(f"{quote(name)} AS c{i}" for i, name in enumerate(chance.sample(names, min(len(names), 6))))
        if form == 2:
            return f"SELECT time_ns FROM {quote(table)}{where} ORDER BY time_ns {chance.choice(['', 'DESC'])} LIMIT {chance.randrange(1, 50)}"
        return f"SELECT {chosen} FROM {quote(table)}{where}"


def comparable(value):
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return composed(json.loads(value))
        except ValueError:
            return value
    if isinstance(value, float):
        return repr(float(f"{value:.12g}"))
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if value is not None else None


def same(rows):
    return sorted(([comparable(value) for value in row] for row in rows), key=repr)


def main():
    program, seed, number, trace = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    database, tables, events = load(program, trace)
    queries = Queries(database, tables, seed)
    asked = [queries.next() for _ in range(number)]
    wrong = rows = matched = 0
    for query in asked:
        expected = database.execute(query).fetchall()
        found = [list(row.values()) for row in strata(program, trace, query)]
        if "ORDER BY" in query:
            agree = [[comparable(v) for v in row] for row in expected] == [[comparable(v) for v in row] for row in found]
        else:
            agree = same(expected) == same(found)
        rows += len(expected)
        matched += bool(expected)
        if not agree:
            wrong += 1
            print(f"differs: {query}\n  {len(expected)} rows, here {len(found)}")
            for row in same(expected)[:3]:
                print("  wanted", row)
            for row in same(found)[:3]:
                print("  found ", row)
    if wrong:
        raise SystemExit(f"seed {seed}: {wrong} of {number} queries differ")
    if events and matched < number / 4:
        raise SystemExit(f"seed {seed}: only {matched} of {number} queries have rows")
    print(f"{number} queries of {len(tables)} tables with {len(events)} events: {rows} rows, the same")


main()
