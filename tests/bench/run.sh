#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `make bench`: runs all benchmarks alternately within one run, and prints one table. Also writes
# out/bench/bench.json. Nothing here passes or fails by a time.
set -eu
cd "$(dirname "$0")/../.."

OUT=out/bench
TURNS=5
mkdir -p "$OUT"
: >"$OUT/values"

# timed NAME VARIANT EVENTS COMMAND...: one turn, as events per second.
timed() {
	local bench=$1 variant=$2 events=$3 begin end
	shift 3
	begin=$(date +%s%N)
	"$@" >/dev/null 2>&1
	end=$(date +%s%N)
	awk -v b="$bench" -v v="$variant" -v n="$events" -v t="$((end - begin))" \
		'BEGIN { printf "%s %s events_per_s %.0f\n", b, v, n * 1e9 / t }' >>"$OUT/values"
}

echo "bench: the core, in turns with the clock it reads"
gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Iinclude tests/bench/ring.c -o "$OUT/ring" -lpthread
"$OUT/ring" >>"$OUT/values"

echo "bench: what tracers are made of"
gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -falign-functions=64 -falign-loops=64 -Iinclude \
	tests/bench/primitives.c -o "$OUT/primitives" -lpthread
"$OUT/primitives" >>"$OUT/values"

echo "bench: an application's events, in turns with LTTng-UST"
tests/bench/app.sh "$OUT" 3 >>"$OUT/values"

echo "bench: an application's events on their way to disk, in turns with dd"
tests/bench/drain.sh "$OUT" 3 >>"$OUT/values"

echo "bench: what a session costs for each program, in turns with LTTng's daemons"
tests/own_processes.sh tests/bench/sessions/run.sh "$OUT" 3 >>"$OUT/values"

echo "bench: clients that connect to a session's recorder, in turns with Apache's"
tests/own_processes.sh tests/bench/sessions/dispatch.sh "$OUT" 3 >>"$OUT/values"

echo "bench: instructions of an event in Xen and in a kernel, beside xentrace and LTTng-modules"
tests/bench/xen/instructions.sh >>"$OUT/values" || echo "bench: no instructions were counted"

echo "bench: merging traces, in turns with babeltrace2"
tests/bench/merge.sh "$OUT" 3 >>"$OUT/values"

echo "bench: a host's state and all its reports, in turns with lttnganalyses"
tests/bench/report.sh "$OUT" 3 >>"$OUT/values"

echo "bench: what tasks of this machine's kernel wait for, in turns with perf sched timehist"
tests/bench/timehist.sh "$OUT" 3 >>"$OUT/values" || {
	[ $? = 3 ] || exit 1
	echo "bench: perf cannot record here"
}

if [ -e out/demo/raw/recording.json ]; then
	events=$(jq .events out/demo/summary.json)
	echo "bench: merging the demo's $events events, in turns with babeltrace2"
	for _ in $(seq "$TURNS"); do
		rm -rf "$OUT/timeline.txt" "$OUT/ctf"
		timed merge_recording_text strata "$events" out/bin/strata merge out/demo/raw --format text -o "$OUT/timeline.txt"
		timed merge_recording_text babeltrace2 "$events" babeltrace2 out/demo/raw
		timed report_recording strata "$events" taskset -c 0 out/bin/strata report all --json out/demo/raw
		timed merge_recording_ctf strata "$events" out/bin/strata merge out/demo/raw --format ctf -o "$OUT/ctf"
	done
else
	echo "bench: there is no out/demo/raw; run \`make demo\` first to measure the merge too"
fi

sort -k1,1 -k2,2 -k3,3 -k4,4g "$OUT/values" | awk '
	{ key = $1 " " $2 " " $3; if (!(key in n)) order[++keys] = key; value[key, n[key]++] = $4 }
	END {
		print "[" >json
		for (k = 1; k <= keys; k++) {
			split(order[k], part, " "); key = order[k]; count = n[key]
			low = value[key, 0]; middle = value[key, int(count / 2)]; high = value[key, count - 1]
			printf "%-20s %-24s %-14s %12s %12s %12s %4d\n", part[1], part[2], part[3], low, middle, high, count
			printf "  {\"bench\":\"%s\",\"variant\":\"%s\",\"unit\":\"%s\",\"min\":%s,\"median\":%s,\"max\":%s,\"runs\":%d}%s\n",
				part[1], part[2], part[3], low, middle, high, count, k < keys ? "," : "" >json
			median[part[1], part[2]] = middle
		}
		print "]" >json
		core = "core_event_8b_1t"
		printf "\nthe core: an event costs %.2f bare rdtsc, %.2f ordered ones\n",
			median[core, "strata_reserve_commit"] / median[core, "rdtsc"],
			median[core, "strata_reserve_commit"] / median[core, "ordered_rdtsc"]
		printf "overwrite mode costs %.2f of discard mode (in a kernel: test_unfinished.sh prints it)\n",
			median[core, "strata_overwrite"] / median[core, "strata_reserve_commit"]
		app = "app_event_8b_1t"
		printf "an application: an event costs %.2f bare rdtsc; LTTng-UST %.1f times as much (discard %.1f)\n",
			median[app, "strata_single_store"] / median[app, "rdtsc"],
			median[app, "lttng_ust_overwrite"] / median[app, "strata_single_store"],
			median[app, "lttng_ust_discard"] / median[app, "strata_single_store"]
		app = "app_message_1t"
		printf "a message of strata_printf(): %.0f ns; lttng_ust_tracef() %.1f times as much (discard %.1f)\n",
			median[app, "strata_single_store"],
			median[app, "lttng_ust_overwrite"] / median[app, "strata_single_store"],
			median[app, "lttng_ust_discard"] / median[app, "strata_single_store"]
		app = "app_event_8b_cold"
		printf "with caches trashed: %.0f ns; LTTng-UST %.1f times as much (discard %.1f)\n",
			median[app, "strata_single_store"],
			median[app, "lttng_ust_overwrite"] / median[app, "strata_single_store"],
			median[app, "lttng_ust_discard"] / median[app, "strata_single_store"]
		printf "off: %.2f of an empty loop (LTTng-UST %.2f)\n",
			median["app_off", "strata"] / median["app_off", "empty_loop"],
			median["app_off", "lttng_ust"] / median["app_off", "empty_loop"]
		printf "a session, per program: start-up +%.2f ms (LTTng %.2f, goal 0.3), memory of daemons %.1f kB (LTTng %.1f, goal 5), descriptors %.2f (LTTng %.2f, goal 2)\n",
			median["session_start", "strata"] / 1e6, median["session_start", "lttng"] / 1e6,
			median["session_memory_200", "strata"] / 1e3, median["session_memory_200", "lttng"] / 1e3,
			median["session_descriptors_200", "strata"], median["session_descriptors_200", "lttng"]
		printf "200 programs at once: registered in %.2f s (LTTng %.2f), an event enabled in %.0f ms (LTTng %.0f), idle wake-ups %.0f/s (LTTng %.0f, goal 0)\n",
			median["session_register_200", "strata"] / 1e9, median["session_register_200", "lttng"] / 1e9,
			median["session_enable_200", "strata"] / 1e6, median["session_enable_200", "lttng"] / 1e6,
			median["session_idle_200", "strata"], median["session_idle_200", "lttng"]
		split("dispatch_1 dispatch_10 dispatch_100 dispatch_100_all", crowds, " ")
		for (i = 1; i in crowds; i++)
			printf "%s: answered by a recorder after %.0f us, by Apache %.0f (prefork), %.0f (worker), %.0f (event)\n", crowds[i],
				median[crowds[i], "strata"] / 1e3, median[crowds[i], "apache_prefork"] / 1e3,
				median[crowds[i], "apache_worker"] / 1e3, median[crowds[i], "apache_event"] / 1e3
		printf "to disk: %.2f of what dd writes; events of 8 bytes %.2f\n",
			median["drain_512b", "strata"] / median["drain_512b", "dd"],
			median["drain_8b", "strata"] / median["drain_8b", "dd"]
		split("merge_count_8 merge_count_256_random merge_count_256_bursts merge_count_lttng merge_text merge_text_discarded merge_recording_text", merges, " ")
		for (i = 1; i in merges; i++)
			if ((merges[i], "babeltrace2") in median)
				printf "%s: %.1f million events a second, %.1f times babeltrace2\n", merges[i],
					median[merges[i], "strata"] / 1e6, median[merges[i], "strata"] / median[merges[i], "babeltrace2"]
		printf "merge_ctf: %.1f million events a second; two threads: count %.2f, text %.2f, columns %.2f, ctf %.2f of one\n",
			median["merge_ctf", "strata"] / 1e6,
			median["merge_count_8", "strata-2-threads"] / median["merge_count_8", "strata"],
			median["merge_text", "strata-2-threads"] / median["merge_text", "strata"],
			median["merge_columns", "strata-2-threads"] / median["merge_columns", "strata"],
			median["merge_ctf", "strata-2-threads"] / median["merge_ctf", "strata"]
		form = "merge_forms"
		dearer = median[form, "text"] < median[form, "ctf"] ? median[form, "text"] : median[form, "ctf"]
		printf "256 random streams: %.2f of the speed of 8; two forms in one pass cost %.2f of the dearer one\n",
			median["merge_count_256_random", "strata"] / median["merge_count_8", "strata"],
			dearer / median[form, "both"]
		by_cpu = form "_cpu"
		dearer = median[by_cpu, "text"] > median[by_cpu, "ctf"] ? median[by_cpu, "text"] : median[by_cpu, "ctf"]
		printf "by processor time: 256 random streams %.2f, two forms %.2f, text discarded %.1f times babeltrace2\n",
			median["merge_count_8_cpu", "strata"] / median["merge_count_256_random_cpu", "strata"],
			median[by_cpu, "both"] / dearer,
			median["merge_text_discarded_cpu", "babeltrace2"] / median["merge_text_discarded_cpu", "strata"]
		report = "report_all"
		printf "state and all reports: %.1f million events a second on one core (goal 10), %.2f of reading them alone\n",
			median[report, "strata"] / 1e6, median[report, "strata"] / median[report, "engine-alone"]
		report = "report_memory"
		printf "their memory: %.1f MB (goal 200), of four times the events %.1f MB\n",
			median[report, "strata"] / 1024, median[report, "4-times-the-events"] / 1024
		picture = "report_timeline"
		printf "a picture of %.2f million slices: %.1f s (goal 3), %.1f MB (goal 20)\n",
			median[picture, "slices"] / 1e6, median[picture, "strata"] / 1e3, median[picture, "page"] / 1024
		split("schedstats cputop syscallstats irqstats", peers, " ")
		for (i = 1; i in peers; i++) {
			speed = median["report_lttng", peers[i]]
			all_peers += 1 / speed
			fastest = speed > fastest ? speed : fastest
		}
		printf "the same four of lttnganalyses: Strata is %.0f times as fast as all (goal 100), %.0f as the fastest\n",
			median["report_lttng", "strata"] * all_peers,
			median["report_lttng", "strata"] / fastest
		timehist = "report_timehist"
		if ((timehist, "strata") in median)
			printf "of a kernel recorded by perf: Strata is %.1f times as fast as perf sched timehist, %.1f as its summary alone\n",
				median[timehist, "strata"] / median[timehist, "perf-rows"],
				median[timehist, "strata"] / median[timehist, "perf-summary"]
	}' json="$OUT/bench.json" >"$OUT/table"
printf '\n%-20s %-24s %-14s %12s %12s %12s %4s\n' bench variant unit min median max runs
cat "$OUT/table"
