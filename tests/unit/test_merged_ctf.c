// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_merged_ctf.c - a merged CTF answers as what it was made of: the command shows the same
 * events, in the same order, with the same times, bounds, places, sources and losses, whatever is
 * asked for.
 *
 * The input is a synthetic host (hypervisor, kernels, an application, losses) and traces of
 * another machine in the manner of LTTng's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "filter/filter_expression.h"
#include "outputs_fixture.h"
#include "synthetic.h"

#define TURNS 60u

static struct synthetic rec;
static struct outputs_world world;

/* All that is not yet in a packet. */
static void close_packets(void)
{
	unsigned int i;

	for (i = 0; i < rec.nr_streams; i++)
		synthetic_close_packet(&rec.streams[i]);
}

/* Events are lost in the middle of each stream of @source, in a packet without events, and at its
 * end. */
static void lose_events(const char *source, unsigned int cpu)
{
	struct synthetic_stream *stream = synthetic_stream(&rec, source, cpu);

	stream->lost += 7;
	synthetic_mark(&rec, source, cpu, stream->last_ticks + 100, 1);
	synthetic_close_packet(stream);
	stream->lost += 2;
	stream->sequence += 3;
	synthetic_mark(&rec, source, cpu, stream->last_ticks + 100, 2);
	synthetic_close_packet(stream);
	stream->lost_after = 4;
}

static void make_recording(void)
{
	const struct synthetic_host host = {
		.turns = TURNS,
		.marks = 5,
		.slack_before = 1000,
		.slack_after = 1000,
		.clock = { .is_hvm = true,
			   .emulated = true,
			   .offset = 123456789,
			   .vtsc_mul_frac = 1u << 31,
			   .vtsc_shift = 1 },
	};
	unsigned int i;

	synthetic_build_host(&rec, &host);
	synthetic_add_source(&rec, "server", "app", 0);
	/* Losses before the first packet ends. */
	synthetic_stream(&rec, "server", 0)->lost = 6;
	synthetic_stream(&rec, "g2", 2)->lost = 8;
	synthetic_mark(&rec, "g2", 2, synthetic_stream(&rec, "g2", 0)->last_ticks, 1);
	for (i = 0; i < 40; i++) {
		const uint64_t ticks = SYNTHETIC_ANCHOR_TICKS + 5000 + i * 7001u;

		synthetic_app_mark(&rec, "server", 0, ticks, i);
		if (i % 10 == 9)
			synthetic_close_packet(synthetic_stream(&rec, "server", 0));
	}
	/* A vCPU on a CPU of another number. */
	for (i = 1; i <= 20; i++)
		synthetic_hypercall(&rec, 0, synthetic_stream(&rec, "xen", 0)->last_ticks + 10, 2,
				    3, 17, i % 2);
	close_packets();
	/* Nothing but losses: of a source whose times are known. */
	rec.ended_ticks = synthetic_stream(&rec, "xen", 0)->last_ticks;
	for (i = 0; i < rec.nr_sources; i++)
		if (strcmp(rec.sources[i].name, "g1") == 0)
			rec.sources[i].since_ticks = SYNTHETIC_ANCHOR_TICKS;
	synthetic_stream(&rec, "g1", 3)->lost_after = 9;
	lose_events("dom0", 0);
	lose_events("g2", 0);
	synthetic_write(&rec);
}

static const struct rich_trace kernel = {
	.streams = 2,
	.packets = 3,
	.events = 60,
	.seed = 61,
	.begin_ns = SYNTHETIC_ANCHOR_NS,
	.step_ns_max = 30000,
	.is_lossy = true,
	.env = "hostname = \"h1\"; domain = \"kernel\"; tracer_name = \"lttng-modules\";",
};

static const struct rich_trace user = {
	.big_endian = true,
	.streams = 3,
	.packets = 2,
	.events = 50,
	.seed = 62,
	.begin_ns = SYNTHETIC_ANCHOR_NS,
	.step_ns_max = 50000,
	.env = "hostname = \"h1\"; domain = \"ust\"; procname = \"client\"; vpid = 4711;"
	       " tracer_name = \"lttng-ust\";",
};

static void run(const char *format, ...)
{
	char command[3000], whole[3600];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	snprintf(whole, sizeof(whole), "strata=%s/out/bin/strata; %s", getenv("STRATA_TOP"),
		 command);
	outputs_run(&world, whole);
}

static int set_up(void **state)
{
	char top[512];

	(void)state;
	assert_non_null(getcwd(top, sizeof(top)));
	setenv("STRATA_TOP", top, 1);
	outputs_begin(&world);
	make_recording();
	run("mv %s raw", rec.dir);
	run("mkdir lttng");
	outputs_add(&world, "lttng/kernel", &kernel);
	outputs_add(&world, "lttng/ust", &user);
	run("mkdir both && cp -r raw lttng both/");
	run("for of in raw lttng both; do $strata convert --format ctf $of -o $of.ctf 2>$of.err ||"
	    " test $? = 3 || { cat $of.err >&2; exit 1; }; done");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	outputs_end(&world);
	synthetic_free(&rec);
	return 0;
}

/*
 * The verb shows the same of a trace and its merged CTF.  @leaves: some of the events, and not
 * all.
 */
static void same_by(const char *verb, const char *of, const char *options, bool leaves)
{
	run("$strata %s %s %s >is 2>err; $strata %s %s %s.ctf >again 2>err; test -s is &&"
	    " { cmp is again || { diff is again | head -n 6 | cut -c 1-400 >&2; false; } }",
	    verb, options, of, verb, options, of);
	if (leaves)
		run("$strata %s %s 2>err | cmp -s is - && { echo all are left >&2; exit 1; }; true",
		    verb, of);
}

static void same(const char *of, const char *options, bool leaves)
{
	same_by("view --json", of, options, leaves);
	same_by("view", of, options, leaves);
}

static void each_event_is_the_same(void **state)
{
	(void)state;
	same("raw", "", false);
	same("lttng", "", false);
	same("both", "", false);
	/* There is something to be seen: bounds that differ, pairs without an order, losses. */
	run("$strata view --json raw >is; jq -se 'map(.bound_ns // empty) | unique | length > 2' is &&"
	    " jq -se 'any(.unordered == true)' is && jq -se 'map(select(.discarded)) | length > 4' is");
}

static void babeltrace2_reads_it_without_a_warning(void **state)
{
	(void)state;
	run("for of in raw lttng both; do babeltrace2 $of.ctf >text 2>warnings || exit 1;"
	    " grep -v -e discarded -e 'were lost' warnings && exit 1;"
	    " test $(wc -l <text) = $($strata convert --format count $of 2>err | cut -d ' ' -f 1) ||"
	    " exit 1; done");
	/* It reports losses from before the first packets, too. */
	run("babeltrace2 raw.ctf 2>&1 >text | grep -o 'discarded [689] events' | sort >warnings;"
	    " printf 'discarded %%s events\\n' 6 8 9 | cmp - warnings");
}

/* Each attribute by name, so that a new one is missed here. */
static const struct {
	enum strata_attribute attribute;
	const char *of, *options;
} asked[] = {
	{ STRATA_ATTRIBUTE_EVENT, "raw", "--event 'sched_*'" },
	{ STRATA_ATTRIBUTE_EVENT, "both", "--filter '$event == \"mark\" || $event == \"labels\"'" },
	{ STRATA_ATTRIBUTE_SOURCE, "raw", "--source g1" },
	{ STRATA_ATTRIBUTE_SOURCE, "raw", "--source server,xen" },
	{ STRATA_ATTRIBUTE_SOURCE, "lttng", "--source h1" },
	{ STRATA_ATTRIBUTE_SOURCE, "both", "--source 'h1/*'" },
	{ STRATA_ATTRIBUTE_LAYER, "raw", "--layer xen" },
	{ STRATA_ATTRIBUTE_LAYER, "raw", "--layer kernel" },
	{ STRATA_ATTRIBUTE_LAYER, "both", "--layer app" },
	{ STRATA_ATTRIBUTE_DOMAIN, "raw", "--domain 1" },
	{ STRATA_ATTRIBUTE_DOMAIN, "raw", "--domain g2" },
	{ STRATA_ATTRIBUTE_DOMAIN, "raw", "--domain dom0,idle" },
	{ STRATA_ATTRIBUTE_DOMAIN, "both", "--domain 'g*'" },
	{ STRATA_ATTRIBUTE_ABOUT, "raw", "--about g1" },
	{ STRATA_ATTRIBUTE_ABOUT, "both", "--about g2" },
	{ STRATA_ATTRIBUTE_VCPU, "raw", "--filter '$vcpu == 0'" },
	{ STRATA_ATTRIBUTE_CPU, "raw", "--cpu 1" },
	{ STRATA_ATTRIBUTE_CPU, "lttng", "--cpu 1" },
	{ STRATA_ATTRIBUTE_PCPU, "raw", "--filter '$pcpu == 0'" },
	{ STRATA_ATTRIBUTE_PROCESS, "raw", "--process server" },
	{ STRATA_ATTRIBUTE_PROCESS, "lttng", "--process 4711" },
	{ STRATA_ATTRIBUTE_PROCESS, "lttng", "--process client" },
	{ STRATA_ATTRIBUTE_PROCESS, "raw", "--process sleeper" },
	{ STRATA_ATTRIBUTE_ABOUT, "raw", "--about g1" },
	{ STRATA_ATTRIBUTE_ABOUT, "both", "--about 2" },
	{ STRATA_ATTRIBUTE_TIME, "raw", "--filter '$time < 1790000000000200000'" },
	{ STRATA_ATTRIBUTE_TIME, "both", "--to +0.0001" },
};

static void each_attribute_finds_the_same_events(void **state)
{
	bool is_asked[STRATA_NR_ATTRIBUTES] = { false };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		same(asked[i].of, asked[i].options, true);
		is_asked[asked[i].attribute] = true;
	}
	for (i = 0; i < STRATA_NR_ATTRIBUTES; i++)
		if (!is_asked[i])
			fail_msg("nothing asks for $%s", strata_attribute_names[i]);
}

static void fields_and_contexts_are_found_in_it(void **state)
{
	(void)state;
	same("raw", "--filter 'prev_pid == 100 || next_comm == \"sleeper\"'", true);
	same("raw", "--filter '$ctx.domain == 2'", true);
	same("raw", "--filter '$ctx.lost[0] > 0'", true);
	same("lttng", "--filter '$ctx.tid > 2000000000'", true);
	same("lttng", "--filter 'choice.p > 100 || plain < 100'", true);
}

static void statistics_are_the_same(void **state)
{
	static const char what[] =
		"[.events, .first_ns, .last_ns, [.machines[] | [.name, .tied]], [.traces[] | ["
		".streams, .events, .first_ns, .last_ns, .lost, .missing_packets, .longest_silence_ns, "
		".events_by_name]]]";

	(void)state;
	run("for of in raw lttng both; do for at in $of $of.ctf; do $strata stat --json $at 2>err |"
	    " jq -c '%s' >$at.stat; done; cmp $of.stat $of.ctf.stat ||"
	    " { diff $of.stat $of.ctf.stat >&2; exit 1; }; done",
	    what);
}

static void what_was_merged_is_merged_again_to_the_same(void **state)
{
	(void)state;
	run("for of in raw lttng both; do $strata convert --format ctf $of.ctf -o $of.again 2>err || test $? = 3 &&"
	    " diff -r $of.ctf $of.again || exit 1; done");
}

/* Two merges, of one timeline each, are of one timeline when they are merged. */
static void merges_are_merged(void **state)
{
	(void)state;
	run("$strata merge raw.ctf lttng.ctf -o merged >log 2>err || test $? = 3 && "
	    "$strata view --json both >is 2>err; $strata view --json merged/ctf >again 2>err;"
	    " jq -c '[.ns, .event, .source]' is >a; jq -c '[.ns, .event, .source]' again >b; cmp a b");
}

/* So do all verbs of a recording of all layers, sound and with a byte that is wrong. */
static void all_verbs_agree(void **state)
{
	(void)state;
	run("cp -r raw bad && printf '\\377' |"
	    " dd of=bad/dom0/cpu_0 bs=1 seek=200 conv=notrunc status=none &&"
	    " $STRATA_TOP/tests/unit/test_agreement.sh $PWD/raw $PWD/bad >agreed;"
	    " grep -A 5 '^not ok' agreed >&2; test $(grep -c '^ok' agreed) = 16");
}

/* So does the report, with a second evaluation. */
static void reports_agree(void **state)
{
	(void)state;
	run("$STRATA_TOP/tests/unit/test_report.sh $PWD/raw $PWD/bad >reported;"
	    " grep -A 9 '^not ok' reported >&2; test $(grep -c '^ok' reported) = 6");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_is_the_same),
		cmocka_unit_test(babeltrace2_reads_it_without_a_warning),
		cmocka_unit_test(each_attribute_finds_the_same_events),
		cmocka_unit_test(fields_and_contexts_are_found_in_it),
		cmocka_unit_test(statistics_are_the_same),
		cmocka_unit_test(what_was_merged_is_merged_again_to_the_same),
		cmocka_unit_test(merges_are_merged),
		cmocka_unit_test(all_verbs_agree),
		cmocka_unit_test(reports_agree),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
