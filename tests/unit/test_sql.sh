#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `strata sql` against Python's sqlite3 on the output of `strata view --json` (sql_peer.py), and against `strata report`; the amount
# that a query reads; hostile names and statements; output formats, prompt, messages and exit statuses; the cookbook of docs/sql.md.
# RAW...: runs only the peer's queries, on these recordings.
# shellcheck disable=SC2016 # eval and jq expand what is in single quotes
# shellcheck source=tests/unit/with_strata.sh
. "$(dirname "$0")/with_strata.sh"
seed=${SQL_SEED:-$((RANDOM % 1000))}

# peer QUERIES TRACE
peer() { python3 tests/unit/sql_peer.py "$strata" "$seed" "$@"; }
for raw in "$@"; do
	check "random queries of $raw have the rows of a second database (seed $seed)" peer 60 "$raw"
done
[ $# = 0 ] || {
	finish
	exit
}

sql() { "$strata" sql "$@"; }
# gives ROW STATEMENT [TRACE]: the statement has that one row, in CSV.
gives() {
	local output
	output=$(sql --csv "${3-$work/xen}" "$2" 2>"$work/err" | tail -n 1)
	[ "$output" = "$1" ] && return
	printf '%s\nwanted: %s\nis:     %s\n' "$2" "$1" "$output"
	cat "$work/err"
	return 1
}
"$strata" import tests/unit/data/host.xentrace -o "$work/xen" --tsc-khz 2445427 >/dev/null 2>&1
for kind in whole lossy gaps empty silent; do
	python3 tests/unit/make_scheduled.py "$work/$kind" "$kind"
done
for kind in '' lossy; do
	python3 tests/unit/make_xen_host.py "$work/host$kind" $kind
done
python3 tests/unit/make_xen_host.py "$work/paused" paused
python3 tests/unit/make_hostile_names.py "$work/named"
python3 tests/unit/make_hostile_names.py "$work/crowd" 5000
python3 tests/unit/make_hostile_names.py "$work/shared" shared
cp -r "$work/xen" "$work/torn" && truncate -s -70000 "$work/torn/xen/cpu_1"
cp -r "$work/xen" "$work/bad" && printf '\377\377\377\177' | dd of="$work/bad/xen/cpu_0" bs=1 seek=30000 conv=notrunc status=none

# The same rows as a second database.
for kind in xen whole lossy empty named torn bad; do
	check "random queries have the rows of a second database: $kind (seed $seed)" peer 60 "$work/$kind"
done

# The same figures as the reports.  sums_are KIND TABLE TRACE: all spans of both.
sums_are() {
	local parts='' columns='' part
	case $2 in
	wakeups | syscalls | requests)
		for part in runs queued in_xen stolen vcpu_asleep vcpu_paused blocked unknown; do
			columns="$columns, sum(${part}_ns)"
			parts="$parts, ([.[].${part}_ns // 0] | add)"
		done
		;;
	esac
	"$strata" report --json "$1" "$3" 2>/dev/null | jq -r ".$1 | [([.[].count] | add), ([.[].total_ns] | add)$parts] | map(tostring) | join(\",\")" >"$work/report"
	! grep -q null "$work/report" && gives "$(cat "$work/report")" "SELECT count(*), sum(ns)$columns FROM $2" "$3"
}
for kind in wakeups syscalls requests irqs; do
	check "$kind are those of the report" sums_are $kind $kind "$work/whole"
	check "also where events were lost" sums_are $kind $kind "$work/lossy"
	check "and where switches are missing" sums_are $kind $kind "$work/gaps"
done
check "exits are those of the report" sums_are exits exits "$work/xen"
check "so are the states of vCPUs" gives "$("$strata" report --json steal "$work/xen" 2>/dev/null |
	jq -r '.vcpus | [([.[].running_ns] | add), ([.[].runnable_ns] | add), ([.[].blocked_ns] | add), ([.[].unknown_ns] | add)] | join(",")')" \
	"SELECT sum(ns) FILTER (WHERE state = 'running'), sum(ns) FILTER (WHERE state = 'runnable'), sum(ns) FILTER (WHERE state = 'blocked'),
	sum(ns) FILTER (WHERE state = 'unknown') FROM runstates WHERE domain_name <> 'idle'"
check "each state of a vCPU has its name" gives blocked/offline/runnable/running/unknown "SELECT group_concat(state, '/') FROM (SELECT DISTINCT state FROM runstates ORDER BY state)" "$work/paused"
check "and of a task" gives blocked/runnable/running/unknown "SELECT group_concat(state, '/') FROM (SELECT DISTINCT state FROM tasks ORDER BY state)" "$work/paused"
check "and whom they waited behind" gives "$("$strata" report --json steal "$work/xen" 2>/dev/null |
	jq -r '.behind | [([.[].times] | add), ([.[].ns] | add)] | join(",")')" \
	"SELECT count(*), sum(ns) FROM steal WHERE domain_name <> 'idle'"
check "parts of a wake-up sum to it" gives 0 "SELECT count(*) FROM wakeups WHERE ns <> runs_ns + queued_ns + in_xen_ns + stolen_ns +
	vcpu_asleep_ns + vcpu_paused_ns + blocked_ns + unknown_ns" "$work/whole"
for kind in '' lossy; do
	check "locks are those of the report${kind:+: $kind}" gives "$("$strata" report --json locks "$work/host$kind" 2>/dev/null | jq -r '[.locks[] | select(.what | contains("0x"))] |
		[([.[].count] | add), ([.[].total_ns] | add), ([.[].stolen_ns] | add)] | join(",")')" "SELECT count(*), sum(ns), sum(stolen_ns) FROM locks" "$work/host$kind"
	check "so are signals of event channels" gives "$("$strata" report --json evtchn "$work/host$kind" 2>/dev/null |
		jq -r '.evtchn | [([.[].upcalls] | add), ([.[].pending_ns] | add), ([.[].stolen_ns] | add)] | join(",")')" \
		"SELECT count(*), sum(ns), sum(stolen_ns) FROM evtchn" "$work/host$kind"
	check "those that g2 sent to dom0" gives "$("$strata" report --json evtchn "$work/host$kind" 2>/dev/null |
		jq -r '[.evtchn[] | select(.of == "dom0" and .by == "d2")] | [([.[].upcalls] | add), ([.[].pending_ns] | add)] | join(",")')" \
		"SELECT count(*), sum(ns) FROM evtchn WHERE domain = 0 AND sender_domain = 2" "$work/host$kind"
	check "and grants" gives "$("$strata" report --json grants "$work/host$kind" 2>/dev/null |
		jq -r '.grants | [([.[].mapped] | add), ([.[].mapped_ns] | add), ([.[].copies] | add), ([.[].failed_copies] | add), ([.[].copied_bytes] | add)] | join(",")')" \
		"SELECT sum(kind = 'grant'), sum(ns), sum(kind = 'grant_copy'), sum(bytes = 0), sum(bytes) FROM grants" "$work/host$kind"
done
check "whose page is granted" gives "$("$strata" report --json grants "$work/host" 2>/dev/null |
	jq -r '[.grants[] | select(.of == "dom0" and .granter == "d2")] | [([.[].mapped_ns] | add), ([.[].copied_bytes] | add)] | join(",")')" \
	"SELECT sum(ns), sum(bytes) FROM grants WHERE domain = 0 AND granter = 2" "$work/host"
check "parts of waits for locks and of signals sum to them" gives 0,0 "WITH x AS (SELECT kind, ns - (runs_ns + queued_ns + in_xen_ns + stolen_ns +
	vcpu_asleep_ns + vcpu_paused_ns + blocked_ns + unknown_ns) AS rest FROM slices) SELECT sum(rest <> 0) FILTER (WHERE kind = 'lock'),
	sum(rest <> 0) FILTER (WHERE kind = 'evtchn') FROM x" "$work/host"
check "each span has a kind, and each kind a table" gives 0,evtchn/exit/grant/grant_copy/irq/lock/pcpu/preempted/runstate/softirq/steal/task/wakeup "SELECT
	(SELECT count(*) FROM slices WHERE kind IS NULL), (SELECT group_concat(kind, '/') FROM (SELECT DISTINCT kind FROM slices ORDER BY 1))" "$work/host"
check "a task is blocked in a system call" gives 1 "SELECT count(*) > 10 AND count(DISTINCT blocked_in) > 1 AND sum(state <> 'blocked') = 0 FROM tasks
	WHERE blocked_in IS NOT NULL" "$work/whole"
check "slices are all of the state" gives 1 "SELECT (SELECT count(*) FROM slices) = (SELECT count(*) FROM runstates) + (SELECT count(*) FROM pcpus) +
	(SELECT count(*) FROM steal) + (SELECT count(*) FROM exits) + (SELECT count(*) FROM hypercalls) + (SELECT count(*) FROM tasks) +
	(SELECT count(*) FROM wakeups) + (SELECT count(*) FROM syscalls) + (SELECT count(*) FROM irqs) + (SELECT count(*) FROM requests) +
	(SELECT count(*) FROM locks) + (SELECT count(*) FROM evtchn) + (SELECT count(*) FROM grants)" "$work/host"
check "spans that end before a time are those of the whole that do" gives 1 "WITH some AS (SELECT min(end_ns) + (max(end_ns) - min(end_ns)) / 2
	AS half FROM runstates), whole AS MATERIALIZED (SELECT end_ns FROM runstates) SELECT (SELECT count(*) FROM runstates, some WHERE end_ns < half) =
	(SELECT sum(end_ns < half) FROM whole, some) AND (SELECT count(*) FROM runstates, some WHERE end_ns < half) > 10"
check "losses are those of view" gives "$("$strata" view --json "$work/lossy" 2>/dev/null | jq -rs '[.[] | select(has("discarded"))] |
	[length, ([.[].discarded] | add), ([.[].missing_packets] | add)] | join(",")')" \
	'SELECT count(*), sum(discarded), sum(missing_packets) FROM losses' "$work/lossy"
check "losses have the bound of their times" gives 1,1 "SELECT min(bound_ns), max(bound_ns) FROM losses" "$work/hostlossy"
"$strata" merge "$work/hostlossy" -o "$work/merged" >/dev/null 2>&1
check "in a merged trace nobody knows it" gives 1, "SELECT count(*) > 10, max(bound_ns) FROM losses" "$work/merged/ctf"
for kind in host hostlossy xen; do
	check "both ends of a span have bounds, which sum to that of its length: $kind" gives 0,1 "SELECT sum(bound_ns IS NOT time_bound_ns + end_bound_ns AND kind <> 'grant_copy'),
		sum(time_bound_ns > 0) > 10 AND sum(end_bound_ns > 0) > 10 FROM slices" "$work/$kind"
done
check "a copy is at one moment" gives 1,0 "SELECT count(*) > 5, sum(time_bound_ns IS NOT end_bound_ns OR end_bound_ns = 0) FROM grants WHERE kind = 'grant_copy'" "$work/host"
check "the bound of a span's begin is that of its first event" gives 1,0 "WITH e AS MATERIALIZED (SELECT DISTINCT time_ns, bound_ns FROM events WHERE source = 'dom0')
	SELECT count(*) > 10, sum(s.time_bound_ns <> e.bound_ns) FROM irqs s JOIN e USING (time_ns) WHERE s.source = 'dom0'" "$work/host"
check "percentile() is off by no more than 1.6 %" gives 1 "WITH x AS MATERIALIZED (SELECT ns FROM tasks), n AS (SELECT count(*) AS n FROM x)
	SELECT abs(percentile(ns, 90) * 1.0 / (SELECT ns FROM x ORDER BY ns LIMIT 1 OFFSET (SELECT CAST(ceil(n * 0.9) AS INTEGER) - 1 FROM n)) - 1) <= 0.016
	FROM x" "$work/whole"
check "histogram() counts all" gives 1 "SELECT sum(json_extract(value, '\$[2]')) = (SELECT count(*) FROM tasks) AND
	min(json_extract(value, '\$[0]') <= json_extract(value, '\$[1]')) FROM json_each((SELECT histogram(ns) FROM tasks))" "$work/whole"
check "percentile() takes no text" says 1 'take integers from 0 on' sql "$work/whole" "SELECT percentile(source, 50) FROM events"
check "nor a percentage beyond 100" says 1 'a p from 0 to 100' sql "$work/whole" "SELECT percentile(ns, 101) FROM tasks"
# says_of_input STATUS PATTERN FILE: as says, of statements from that file.
says_of_input() { says "$1" "$2" bash -c '"$1" sql "$2" <"$3"' bash "$strata" "$work/whole" "$3"; }
check "input that is no text is named" says_of_input 1 'standard input cannot be read: Is a directory' tests
# It has run the first statement, and waits for the rest of the second.
interrupted_in_a_script() {
	local pid status=0
	mkfifo "$work/statements"
	"$strata" sql --stats "$work/whole" <"$work/statements" >"$work/answers" 2>&1 &
	pid=$!
	exec 7>"$work/statements"
	printf 'SELECT 1;\nSELECT 222\n' >&7
	while kill -0 "$pid" 2>/dev/null; do
		grep -q 'sql: read' "$work/answers" && kill -INT "$pid"
		sleep 0.1
	done
	wait "$pid" || status=$?
	exec 7>&-
	cat "$work/answers"
	[ "$status" = 1 ] && grep -q interrupted "$work/answers" && ! grep -q 222 "$work/answers"
}
check "interrupted before a statement is complete, it does not run it" interrupted_in_a_script
check "aggregates of nothing are NULL" gives , "SELECT percentile(ns, 50), histogram(ns) FROM tasks" "$work/empty"

# process and tid, against the filter of the same meaning.
process_is_the_filters() {
	local name n
	name=$(sql --csv "$work/whole" "SELECT process FROM events WHERE process GLOB 'task*' GROUP BY 1 ORDER BY count(*) DESC LIMIT 1" | tail -n 1)
	n=$("$strata" view --json --process "$name" "$work/whole" 2>/dev/null | jq -s '[.[] | select(has("event"))] | length')
	echo "$name: $n"
	[ "$n" -gt 10 ] && gives "$n" "SELECT count(*) FROM events WHERE process = '$name'" "$work/whole" &&
		gives 1 "SELECT count(DISTINCT tid) FROM events WHERE layer = 'kernel' AND process = '$name'" "$work/whole"
}
check "process is what --process selects" process_is_the_filters
check "domain_name is what --domain selects" gives "$("$strata" view --json --domain dom0 "$work/xen" 2>/dev/null | jq -s '[.[] | select(has("event"))] | length')" \
	"SELECT count(*) FROM events WHERE domain_name = 'dom0'"

# What a query reads.
packets() { sql --stats "$@" 2>&1 >/dev/null | sed -n 's/.* read \([0-9]*\) packets.*/\1/p'; }
reads_less() {
	local all some
	all=$(packets "$work/$1" 'SELECT count(*) FROM events')
	some=$(packets "$work/$1" "$2")
	echo "$some of $all"
	[ "$some" -lt "$all" ]
}
first=$(sql --csv "$work/whole" 'SELECT min(time_ns) FROM events' | tail -n 1)
check "a condition on time reads fewer packets" reads_less whole "SELECT count(*) FROM events WHERE time_ns >= $((first + 5000000000))"
check "so does one on its end" reads_less whole "SELECT count(*) FROM events WHERE time_ns < $((first + 1000000000))"
check "on the CPU" reads_less xen 'SELECT count(*) FROM events WHERE cpu = 1'
check "on the source" reads_less whole "SELECT count(*) FROM events WHERE source IN ('machine/kernel')"
check "on the layer" reads_less whole "SELECT count(*) FROM events WHERE layer = 'app'"
check "the table of an application's event" reads_less whole 'SELECT count(*) FROM "server:work_end"'
check "the end of spans" reads_less whole "SELECT count(*) FROM tasks WHERE end_ns < $((first + 1000000000))"
check "LIMIT reads as far as it must" reads_less whole 'SELECT time_ns FROM events LIMIT 3'
check "in the order of time, too" reads_less whole 'SELECT time_ns FROM events ORDER BY time_ns LIMIT 3'
check "packets_read() tells it" gives 1 'SELECT packets_read() > 3 FROM (SELECT count(*) FROM events)' "$work/whole"
plan() { sql --csv "$work/whole" "EXPLAIN QUERY PLAN $1" | grep -qF "$2"; }
for condition in 'time_ns>?' 'cpu IN ?' 'event LIKE ?' 'layer=?' 'with process and tid'; do
	check "EXPLAIN QUERY PLAN shows $condition" plan "SELECT * FROM events WHERE time_ns > 5 AND cpu IN (0, 1) AND event LIKE 'sched%' AND 'kernel' = layer" "$condition"
done
check "and none where the text may be of another case" plan "SELECT time_ns FROM events WHERE source = 'MACHINE' COLLATE NOCASE" 'INDEX 0:all'
check "a table of the state is outside, its events inside" plan "SELECT count(*) FROM requests r JOIN events e ON e.time_ns BETWEEN r.time_ns AND r.end_ns" \
	'SCAN e VIRTUAL TABLE INDEX 0:time_ns>=? AND time_ns<=?'

# Names that SQL does not expect.
check "numbers beyond 63 bits are in order" gives '7/9223372036854775807/9223372036854775808/9223372036854775809/10000000000000000000/18446744073709551615' \
	"SELECT group_concat(x, '/') FROM (SELECT x FROM wide WHERE x > 1 AND x <> 9007199254740992 ORDER BY x)" "$work/named"
check "and compared as such" gives 4,18446744073709551615 \
	"SELECT count(*), max(x) FROM wide WHERE x > 9223372036854775807 AND x >= '9223372036854775808'" "$work/named"
check "names that differ by case have tables of their own" gives 3,3,3 \
	'SELECT (SELECT count(*) FROM order_1), (SELECT count(*) FROM order_2), (SELECT count(*) FROM order_3)' "$work/named"
check "each of its own event" gives 3 "SELECT count(DISTINCT event) FROM event_tables WHERE name LIKE 'order%'" "$work/named"
check "none takes the name that they share" says 1 'no such table: step; .tables' sql "$work/shared" 'SELECT * FROM step'
check "a line says so" says 0 'STEP_2 has the events STEP: the tables of 2 events are numbered.*event_tables lists' sql "$work/shared" 'SELECT 1'
check "only where names are shared" eval '! sql "$work/whole" "SELECT 1" 2>&1 | grep numbered'
check "a name that one event wants stays its own" gives 1,7,7,STEP_2/said/step_1/step_3/told \
	"SELECT count(*), number, number_name, (SELECT group_concat(name, '/') FROM (SELECT DISTINCT name FROM event_tables ORDER BY name)) FROM step_1" "$work/shared"
check "each table has the events of its name" gives 6,2 'SELECT (SELECT number FROM step_2), (SELECT count(*) FROM step_3)' "$work/shared"
check "columns share no name either" gives number/state_1/mode_1/MODE_2/MODE_1_name/NUMBER_name_1/STATE_2/number_name_2/mode_1_name_1 \
	"SELECT group_concat(name, '/') FROM (SELECT name FROM pragma_table_info('step_3') WHERE cid >= 12 ORDER BY cid)" "$work/shared"
check "so none has another's values" says 1 'no such column: state; .schema' sql "$work/shared" 'SELECT state FROM step_3'
check "nor a label's" says 1 'no such column: number_name; .schema' sql "$work/shared" 'SELECT number_name FROM step_3'
check "but its own" gives 5,,5,,five,5,five 'SELECT * FROM (SELECT number, NUMBER_name_1, state_1, STATE_2, number_name_2, MODE_1_name, mode_1_name_1 FROM step_3) WHERE number' "$work/shared"
check "an argument of the name of the message's column gets a prefix, and another program's field keeps its values" gives 736179732039201B,9,,10 \
	"SELECT hex(max(message_1)), max(field_message_1), min(message_1) FILTER (WHERE field_Message_2), max(field_Message_2) FROM said" "$work/shared"
check "with a number, like the name of its value" gives field_message_1/field_Message_2/field_message_1_name/message_1 \
	"SELECT group_concat(name, '/') FROM (SELECT name FROM pragma_table_info('said') WHERE cid >= 12 ORDER BY cid)" "$work/shared"
check "so a query of the shared name fails" says 1 'no such column: message; .schema' sql "$work/shared" 'SELECT message FROM said'
check "a field has that name where no event has messages" gives 11 'SELECT message FROM told' "$work/shared"
check "and all events have one column of messages" gives 7,1,736179732039201B 'SELECT count(*), count(message), hex(max(message)) FROM events' "$work/shared"
check "an event that wants a table of the state has a number" gives 3 'SELECT count(*) FROM slices_1' "$work/named"
check "no event hides a table" gives 66,1,2 'SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM slices) >= 0,
	(SELECT count(*) FROM json_each(json_array(1, 2)))' "$work/named"
check "a name in quotes of any kind, behind comments" gives 3,3,3,3 "SELECT -- it's \"one; of four
	(SELECT count(*) FROM main.\"ORDER_1\"), (SELECT count(*) /* ; ' */ FROM [order_2]), (SELECT count(*) FROM \`order_3\`), (SELECT count(*) FROM 'quo\"te')" "$work/named"
check "and in a second statement" gives 3 "SELECT ';'; SELECT count(*) FROM \"two words\"" "$work/named"
check "nor SQLite's own" gives 3 "SELECT count(*) FROM event_sqlite_master" "$work/named"
check "a table of more columns than SQLite has keeps what fits" gives 2000,0 \
	"SELECT count(*), sum(name = 'f2499') FROM pragma_table_info('broad')" "$work/named"
check "and says where the rest is" eval 'sql "$work/named" ".schema broad" | grep -q "more fields.*events.fields"'
check "where they are" gives 240 "SELECT fields ->> 'f2499' FROM events WHERE event = 'broad'" "$work/named"
check "no byte of a name or a text commands the terminal" eval '{ sql "$work/named" ".tables"; sql "$work/named" ".schema"; sql "$work/named" "SELECT * FROM mixed";
	sql "$work/named" "SELECT * FROM nothing"; sql "$work/named" "SELECT event FROM events"; } 2>&1 | LC_ALL=C grep -cP "[\x00-\x08\x0b-\x1f\x7f]" | grep -qx 0'
check "text that is not UTF-8 is repaired, BLOBs are digits" gives "$(printf '\357\277\275bad\033,010203,')" \
	"SELECT text, blob, real FROM mixed WHERE real IS NULL" "$work/named"

# Thousands of events, whose names are cut to the same.
cut=$(printf 'crowd%.0s' {1..50} | head -c 199)
check "each event of a crowd has a table of its own" gives 5000,5000 "SELECT count(DISTINCT name), count(DISTINCT event) FROM event_tables" "$work/crowd"
check "which has its rows" gives "1,1700000000000000000,1,1,1700000000000004999" "SELECT (SELECT count(*) FROM ${cut}_1), (SELECT time_ns FROM ${cut}_1),
	(SELECT count(*) FROM ${cut}_5000), (SELECT x > 0 FROM ${cut}_2), (SELECT max(time_ns) FROM events)" "$work/crowd"
check "SQLite knows only those that a statement names" gives 1,0 "SELECT sum(name LIKE 'crowd%') = 2, count(*) > 200 FROM pragma_module_list
	WHERE '${cut}_1' <> '${cut}_77'" "$work/crowd"
check "a pattern that all of them fit is asked of each row" gives 5000 "SELECT count(*) FROM events WHERE event LIKE 'crowd%'" "$work/crowd"
check "one that few fit is not" gives 11 "SELECT count(*) FROM events WHERE event GLOB '*d499?' OR event LIKE '%d4444'" "$work/crowd"

# Forms.
check "JSON has the types" eval '[ "$(sql --json "$work/xen" "SELECT 1 AS a, NULL AS b, 1.5 AS c, '\''x\"y'\'' AS d, 9007199254740993 AS e, x'\''00ff'\'' AS f, 2 AS a" | jq -c .)" = \
	"[{\"a\":1,\"b\":null,\"c\":1.5,\"d\":\"x\\\"y\",\"e\":\"9007199254740993\",\"f\":\"00ff\",\"a_2\":2}]" ]'
check "JSON has large negative numbers as text, and infinity" eval 'sql --json "$work/xen" "SELECT -9007199254740993 AS a, 1e999 AS b, -1e999 AS c" | grep -qF "{\"a\":\"-9007199254740993\",\"b\":1e999,\"c\":-1e999}"'
check "a text goes on behind a byte of 0" eval '[ "$(sql --json "$work/xen" "SELECT '\''a'\'' || char(0) || '\''b'\'' AS t" | jq -c .)" = "[{\"t\":\"a\\u0000b\"}]" ]'
check "and nothing is an empty array" eval '[ "$(sql --json "$work/xen" "SELECT 1 WHERE 0" | jq -c .)" = "[]" ]'
check "CSV quotes" eval '[ "$(sql --csv "$work/xen" "SELECT '\''a,b'\'' AS x, '\''q\"'\'' AS y" | tail -n 1)" = "\"a,b\",\"q\"\"\"" ]'
check "CSV has what stands behind a byte of 0, too" eval '[ "$(sql --csv "$work/xen" "SELECT '\''a'\'' || char(0) || '\''b,c'\'' AS x" | tail -n 1 | od -An -c | tr -d " \n")" = "\"a\\0b,c\"\\n" ]'
check "a table cuts long texts, and no character" eval '[ "$(sql "$work/xen" "SELECT replace(hex(zeroblob(150)), '\''0'\'', '\''é'\'') AS x" | tail -n 1 | tr -d " ")" = \
	"$(printf "é%.0s" {1..100})..." ]'
check "CSV does not" eval '[ "$(sql --csv "$work/xen" "SELECT hex(zeroblob(150)) AS x" | tail -n 1)" = "$(printf "0%.0s" {1..300})" ]'
check "it cuts BLOBs, too" eval '[ "$(sql "$work/xen" "SELECT zeroblob(150) AS x" | tail -n 1 | tr -d " ")" = "$(printf "0%.0s" {1..200})..." ]'
check "JSON does not" eval '[ "$(sql --json "$work/xen" "SELECT zeroblob(900000) AS x, zeroblob(3) AS y, 1 AS z" | jq -c ".[] | [(.x | length), .y, .z]")" = "[1800000,\"000000\",1]" ]'
# 20 MB, of which 16 MB are aligned with each other.
broad_rows() {
	[ "$(sql "$work/xen" "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100)
		SELECT $(printf "printf('%%200d', x) AS wide,%.0s" {1..1000}) x FROM c" | grep -c '^ *wide')" = 2 ]
}
check "rows of many columns are not aligned by thousands" broad_rows
check "a table of more rows than are aligned has all of them" eval '[ "$(sql "$work/whole" "SELECT time_ns FROM events" | grep -cE "^ +[0-9]+$")" = \
	"$(sql --csv "$work/whole" "SELECT count(*) FROM events" | tail -n 1)" ]'

# Statements only read.
cd "$work" || exit 1
for statement in "CREATE TABLE t(x)" "CREATE TEMP TABLE t(x)" "CREATE VIEW v AS SELECT 1" "CREATE TRIGGER r AFTER INSERT ON sources BEGIN SELECT 1; END" \
	"INSERT INTO sources VALUES(1)" "DELETE FROM sources" "UPDATE sources SET host = 1" "DELETE FROM events" "DROP TABLE sources" "ATTACH 'other' AS o" \
	"VACUUM INTO 'copy'" "SELECT load_extension('./x')" "SELECT fts3_tokenizer('x')" "PRAGMA temp_store = 2" "PRAGMA hard_heap_limit = 0" "CREATE VIRTUAL TABLE v USING losses" "PRAGMA writable_schema = 1" "PRAGMA temp_store_directory = '/'" "UPDATE sqlite_master SET name = 'x'" \
	"CREATE VIRTUAL TABLE t USING events" "ALTER TABLE sources RENAME TO s" "ANALYZE" "BEGIN" "DETACH main"; do
	check "refused: $statement" says 1 'not authorized|authorization denied|may not be modified' sql "$work/xen" "$statement"
done
check "no file was made" eval '[ ! -e other ] && [ ! -e copy ]'
cd "$top" || exit 1

# Messages and statuses.
check "a trace without scheduling events says which to record" says 0 "sql: tasks: the traces lack the events for this table; record them with .strata record --kernel" \
	sql "$work/silent" "SELECT count(*) FROM tasks"
check "so does one without the hypervisor's" says 0 "sql: exits: the traces lack .* record --xen" sql "$work/whole" "SELECT count(*) FROM exits"
check "and an empty one" says 0 "sql: requests: the traces lack" sql "$work/empty" "SELECT count(*) FROM requests"
check "each table once, and those that were asked for" eval '[ "$(sql "$work/silent" "SELECT count(*) FROM locks, (VALUES (1), (2)); SELECT count(*) FROM irqs" 2>&1 |
	grep -o "sql: [a-z]*:" | tr "\n" " ")" = "sql: locks: " ]'
check "not where the events are, but no rows that fit" eval '! sql "$work/whole" "SELECT * FROM tasks WHERE tid = 987654" 2>&1 | grep lack'
check "nor of a part" eval '! sql "$work/silent" "SELECT count(*) FROM tasks WHERE end_ns < 5" 2>&1 | grep lack'
mkdir "$work/nothing_in_it"
check "a directory without a trace" says 1 "contains no trace" sql "$work/nothing_in_it" "SELECT 1"
cp -r "$work/crowd" "$work/zero" && : >"$work/zero/stream"
check "a stream of length zero has no events" gives 0,5000 "SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM event_tables)" "$work/zero"
: >"$work/zero/metadata"
check "metadata of length zero" says 1 'metadata: the file is empty' sql "$work/zero" 'SELECT 1'
check "a function that there is not" says 1 'no such function: nonesuch; .*pragma_function_list' sql "$work/whole" 'SELECT nonesuch(1)'
check "a value that is too long" says 1 'too big: a value may have 64 MB' sql "$work/whole" 'SELECT zeroblob(100000000)'
# More than SQLite has a cache for, and a file system that takes less; not everybody may make one.
if unshare -m --propagation private sh -c 'mount -t tmpfs -o size=1m small "$0"' "$work" 2>/dev/null; then
	# shellcheck disable=SC2329
	no_room() {
		mkdir "$work/small" && unshare -m --propagation private sh -c 'mount -t tmpfs -o size=1m small "$0/small" && SQLITE_TMPDIR="$0/small" "$1" sql "$0/xen" "$2"' "$work" "$strata" "$1"
	}
	check "no space to sort is reported" says 1 'no space for temporary files to sort; set SQLITE_TMPDIR' no_room "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 300000)
		SELECT x, hex(randomblob(50)) AS y FROM c ORDER BY y LIMIT 1 OFFSET 299999"
fi
check "a table that there is not, and the nearest" says 1 'no such table: sched_swich; the nearest is sched_switch; \.tables' sql "$work/whole" "SELECT * FROM sched_swich"
check "a column that there is not" says 1 'no such column: nonesuch; \.schema TABLE' sql "$work/whole" "SELECT nonesuch FROM events"
check "what is in double quotes is a name" says 1 "no such column: kernel; .*'single quotes'" sql "$work/whole" 'SELECT count(*) FROM events WHERE layer = "kernel"'
check "no SQL" says 1 'near "SELEC": syntax error' sql "$work/whole" SELEC
check "a text that does not end" says 1 'unrecognized token|syntax' sql "$work/whole" "SELECT 'x"
check "a command that there is not" says 1 '\.load x is no command: \.tables' sql "$work/whole" '.load x'
check "a table to describe that there is not" says 1 'there is no table x; \.tables' sql "$work/whole" '.schema x'
check "more memory than it may take" says 1 'out of memory: .* raise --memory' sql --memory 8 "$work/xen" "SELECT length(hex(zeroblob(20000000)))"
check "also for rows" says 1 'out of memory: .* raise --memory' sql --memory 4 "$work/xen" \
	"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 10000000) SELECT length(group_concat(x)) FROM c"
check "no trace" says 2 'name a TRACE' sql
check "a trace that is not there" says 1 "$work/nothing" sql "$work/nothing" 'SELECT 1'
check "an option that there is not" says 2 'no option of sql: --jsx' sql --jsx "$work/xen" 'SELECT 1'
check "a value that is none" says 2 'not a value of this option' sql --memory x "$work/xen" 'SELECT 1'
check "--memory 0 is refused" says 2 'not a value of this option' sql --memory 0 "$work/xen" 'SELECT 1'
check "an output that cannot be written is reported" says 1 'the output could not be written' eval 'sql "$work/xen" "SELECT 1" >/dev/full'
check "too many arguments" says 2 'further traces by --also' sql "$work/xen" 'SELECT 1' 'SELECT 2'
check "--help" says 0 '^Usage: strata sql' sql --help
both() { [ "$(sql --csv --also "$work/whole" "$work/xen" "SELECT count(DISTINCT layer) FROM events" 2>/dev/null | tail -n 1)" = 3 ]; }
check "--also reads an additional trace" both
check "an empty trace has tables, and no rows" gives 0,0 'SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM slices)' "$work/empty"

# Damage: as view tells it.
as_view() {
	local of_view=0 of_sql=0
	"$strata" view --json "$work/$1" >/dev/null 2>"$work/view.err" || of_view=$?
	sql "$work/$1" "$2" >/dev/null 2>"$work/sql.err" || of_sql=$?
	# What view says of the order of a whole recording, it says without its name.
	[ "$of_view" = "$of_sql" ] && diff <(sed -n 's/^strata: view:/strata: sql:/p' "$work/view.err" | sort) <(sort "$work/sql.err")
}
for kind in torn bad lossy xen; do
	check "complaints and status are those of view: $kind" as_view $kind 'SELECT count(*) FROM events'
	check "also of several passes" as_view $kind 'SELECT count(*) FROM events, (VALUES(1), (2)); SELECT count(*) FROM events; SELECT count(*) FROM losses'
done

# Scripts and the prompt.
printf 'SELECT 1 AS a;\nSELECT\n 2 AS b;;\n.tables\nSELECT 3 AS c' >"$work/script"
check "statements come from standard input" eval 'sql --csv "$work/xen" <"$work/script" | tr "\n" " " | grep -qE "^a 1 b 2 State, .* c 3 $"'
check "the first that fails is the last" eval '! printf "SELECT 1;SELECT x;SELECT 2;\nSELECT 3;" | sql --csv "$work/xen" >"$work/out" 2>&1 && grep -qx 1 "$work/out" &&
	! grep -qE "^[23]$" "$work/out"'
check ".quit ends them" eval '[ "$(printf ".quit\nSELECT 1;\n" | sql "$work/xen")" = "" ]'
# on_terminal TEXT: what the prompt says on a terminal.
on_terminal() { { printf '%b' "$1"; } | timeout 120 script -qec "$strata sql $work/xen" /dev/null; }
check "a terminal gets a prompt" eval 'on_terminal "SELECT 40 +\n 2 AS sum;\nSELECT x;\nSELECT 7 AS seven;\n.quit\n" >"$work/out"; grep -q "strata> " "$work/out" &&
	grep -qE "^ +42.?$" "$work/out" && grep -q "no such column: x" "$work/out" && grep -qE "^ +7.?$" "$work/out"'

check "words that other prompts know are commands, too" eval 'on_terminal "help\nSELECT 1 +\nquit;\nQUIT\n" >"$work/out"; grep -q "  .stats " "$work/out" &&
	grep -q "no such column: quit" "$work/out"'
check "one key brings back a statement of several lines" eval 'on_terminal "SELECT 40 +\n 2 AS sum;\n\033[A\n.quit\n" >"$work/out"; [ "$(grep -cE "^ +42.?$" "$work/out")" = 2 ]'
check ".stats tells what statements read" eval 'printf ".stats\nSELECT count(*) FROM events;\n.stats\nSELECT 1;\n" | sql "$work/xen" 2>&1 | grep -c "read [1-9][0-9]* packets" | grep -qx 1'
check ".tables TEXT lists those with it" eval '[ "$(sql "$work/named" ".tables ORDER" | grep -A9 ^Events | tr -d "\n")" = "Events (3 tables):  ORDER_1  Order_2  order_3" ]'
check "without it, a terminal gets no thousands" eval '{ printf ".tables\n.quit\n" | timeout 120 script -qec "$strata sql $work/crowd" /dev/null; } >"$work/out"
	[ "$(grep -c "^  crowd" "$work/out")" = 200 ] && grep -q "and 4800 more: .tables TEXT" "$work/out" && [ "$(sql "$work/crowd" .tables | grep -c "^  crowd")" = 5000 ]'

# interrupted STATEMENT: SIGINT ends it.
interrupted() {
	local pid status=0 i
	"$strata" sql "$work/xen" "$1" >"$work/out" 2>&1 &
	pid=$!
	# Before it catches the signal, it would end otherwise; and before it is strata-sql, a shell does.
	for ((i = 0; i < 600; i++)); do
		[ "$(cat /proc/$pid/comm)" = strata-sql ] && (((0x$(sed -n 's/^SigCgt:\t*//p' /proc/$pid/status) & 2) != 0)) && break
		sleep 0.1
	done
	# Once is enough, also before the statement begins.
	kill -INT $pid
	wait $pid || status=$?
	cat "$work/out"
	[ "$status" = 1 ] && grep -q 'sql: interrupted' "$work/out"
}
check "Ctrl-C interrupts a statement" interrupted \
	'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c'
check "also within the traces" interrupted \
	"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c JOIN events ON events.domain = 65000 + c.x % 2"
check "also before rows that are sorted" interrupted "SELECT a.time_ns FROM events a, events b, events c ORDER BY a.time_ns + b.time_ns LIMIT 1"

# The cookbook.
check "the cookbook has ten queries" eval '[ "$(python3 tests/unit/cookbook_sql.py)" = 10 ]'
for number in 1 2 3 4 5 6 7 8 9 10; do
	for kind in xen whole lossy empty; do
		check "query $number of the cookbook runs: $kind" sql "$work/$kind" "$(python3 tests/unit/cookbook_sql.py $number)"
	done
done
# has_rows NUMBER KIND
has_rows() { [ "$(sql --csv "$work/$2" "$(python3 tests/unit/cookbook_sql.py "$1")" 2>/dev/null | wc -l)" -gt 2 ]; }
for pair in 1:whole 2:xen 3:xen 4:whole 5:whole 9:xen 10:lossy; do
	check "query ${pair%:*} has rows" has_rows ${pair%:*} ${pair#*:}
done
check "the count of events is that of view" gives "$("$strata" view --json "$work/whole" 2>/dev/null | jq -s '[.[] | select(has("event"))] | length')" \
	"SELECT sum(n) FROM ($(python3 tests/unit/cookbook_sql.py 1 | tr -d ';'))" "$work/whole"

# Other verbs load nothing for it.
check "strata itself links with neither SQLite nor libedit" eval '! ldd out/bin/strata | grep -E "sqlite|libedit"'
cp out/bin/strata "$work/alone"
check "without strata-sql, it says what is missing" says 1 'strata-sql cannot be run: No such file.*make install' "$work/alone" sql "$work/xen"
finish
