// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_output_ctf.c - traces written anew as CTF: babeltrace2 shows the same of both,
 * events keep their bytes however they are aligned, and nothing is lost unsaid.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "crooked_trace.h"
#include "ignored_events.h"
#include "outputs/count.h"
#include "outputs/ctf/ctf_traces.h"
#include "outputs_fixture.h"
#include "../machines_found.h"

static const struct rich_trace little = {
	.streams = 3,
	.packets = 5,
	.events = 150,
	.seed = 61,
	.begin_ns = 1700000000123456789ull,
	.step_ns_max = 3000000,
	.env = "hostname = \"h\\\"1\"; tracer_name = \"lttng-modules\"; vpid = -3;",
};

static const struct rich_trace big = {
	.big_endian = true,
	.streams = 2,
	.packets = 4,
	.events = 100,
	.seed = 62,
	.begin_ns = 1700000000000000000ull,
	.step_ns_max = 500000000,
};

/* Traces, opened as the command opens them. */
struct opened {
	struct strata_trace_set set;
	struct strata_machines machines;
	char complaints[4096];
};

static void complain(void *data, const char *message)
{
	struct opened *opened = data;
	const size_t used = strlen(opened->complaints);

	snprintf(opened->complaints + used, sizeof(opened->complaints) - used, "%s\n", message);
}

static void add_trace(const struct outputs_world *world, struct opened *opened, const char *name)
{
	struct strata_ctf_trace *trace;
	struct strata_error error;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", world->dir, name);
	trace = strata_ctf_trace_open(path, complain, opened, &error);
	if (!trace || strata_trace_set_add(&opened->set, trace, &error))
		fail_msg("%s", error.text);
}

static void find_machines(struct opened *opened)
{
	struct strata_error error;

	if (machines_found(&opened->machines, &opened->set, complain, opened, &error))
		fail_msg("%s", error.text);
}

static void open_trace(const struct outputs_world *world, struct opened *opened, const char *name)
{
	memset(opened, 0, sizeof(*opened));
	add_trace(world, opened, name);
	find_machines(opened);
}

static void close_traces(struct opened *opened)
{
	strata_trace_set_clear(&opened->set);
	strata_machines_clear(&opened->machines);
}

static struct strata_chain count(struct opened *opened, uint64_t from_ns, uint64_t to_ns)
{
	const struct strata_slice_options options = { .from_ns = from_ns,
						      .to_ns = to_ns,
						      .threads = 1 };
	struct strata_error error;
	struct strata_chain chain;

	if (strata_count(&opened->set, &options, &chain, &error))
		fail_msg("%s", error.text);
	return chain;
}

static int write_to(const struct outputs_world *world, struct opened *opened, const char *out,
		    const struct strata_slice_options *options, uint64_t *events,
		    struct strata_error *error)
{
	static const char *const names[] = { "a/trace", "a/trace", "a/trace" };
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", world->dir, out);
	return strata_ctf_traces_write(&opened->set, names, path, false, options, events, error);
}

static const struct strata_slice_options all;

static int force_to(const struct outputs_world *world, struct opened *opened, const char *out,
		    struct strata_error *error)
{
	static const char *const names[] = { "a/trace", "a/trace", "a/trace" };
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", world->dir, out);
	return strata_ctf_traces_write(&opened->set, names, path, true, &all, NULL, error);
}

static const struct strata_slice_options all = { .to_ns = UINT64_MAX, .threads = 2 };

/* Converts a trace of the directory to OUT/a_trace; its events are counted and hashed on both
 * sides. */
static void convert(const struct outputs_world *world, const char *name, const char *out)
{
	struct opened in, written;
	struct strata_error error;
	struct strata_chain before, after;
	uint64_t events;
	char path[256];

	open_trace(world, &in, name);
	if (write_to(world, &in, out, &all, &events, &error))
		fail_msg("%s", error.text);
	snprintf(path, sizeof(path), "%s/a_trace", out);
	open_trace(world, &written, path);
	before = count(&in, 0, UINT64_MAX);
	after = count(&written, 0, UINT64_MAX);
	assert_true(events > 0 && before.events == events && after.events == events);
	assert_true(before.hash == after.hash);
	assert_string_equal(in.complaints, "");
	assert_string_equal(written.complaints, "");
	close_traces(&in);
	close_traces(&written);
}

/* babeltrace2 shows the same for "trace" and "out", and prints no message about "out". */
static void assert_same_for_babeltrace2(const struct outputs_world *world)
{
	outputs_run(world, "babeltrace2 trace >before 2>said; babeltrace2 out >after 2>said");
	outputs_assert_same(world, "after", "before");
	outputs_run(world, "test -s after; test ! -s said");
}

static void every_kind_of_field_comes_out_as_it_went_in(void **data)
{
	static const struct rich_trace *const traces[] = { &little, &big };
	size_t i;

	(void)data;
	for (i = 0; i < 2; i++) {
		struct outputs_world world;

		outputs_begin(&world);
		outputs_add(&world, "trace", traces[i]);
		convert(&world, "trace", "out");
		assert_same_for_babeltrace2(&world);
		outputs_end(&world);
	}
}

static void crooked(struct outputs_world *world, const struct crooked_trace *trace)
{
	char path[512];

	outputs_begin(world);
	snprintf(path, sizeof(path), "%s/trace", world->dir);
	crooked_trace_write(path, trace);
}

static void events_at_any_bit_keep_their_alignment(void **data)
{
	unsigned int big_endian;

	(void)data;
	for (big_endian = 0; big_endian < 2; big_endian++) {
		const struct crooked_trace trace = { .big_endian = big_endian,
						     .packets = 4,
						     .events = 999,
						     .begin_ns = 1700000000000000000ull };
		struct outputs_world world;

		crooked(&world, &trace);
		convert(&world, "trace", "out");
		assert_same_for_babeltrace2(&world);
		outputs_end(&world);
	}
}

static void what_came_out_comes_out_again(void **data)
{
	const struct crooked_trace trace = { .packets = 4, .events = 99, .is_lossy = true };
	struct outputs_world world;

	(void)data;
	crooked(&world, &trace);
	outputs_add(&world, "rich", &little);
	convert(&world, "trace", "out");
	convert(&world, "out/a_trace", "again");
	outputs_run(&world, "diff -r out/a_trace again/a_trace");
	convert(&world, "rich", "rich_out");
	convert(&world, "rich_out/a_trace", "rich_again");
	outputs_run(&world, "diff -r rich_out/a_trace rich_again/a_trace");
	outputs_run(&world, "grep -q 'original_tracer_name = \"lttng-modules\"' "
			    "rich_again/a_trace/metadata");
	outputs_end(&world);
}

/* Losses of a set, in order. */
struct losses {
	struct strata_slice_sink sink;
	struct strata_loss of[32];
	size_t nr;
};

static int add_loss(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		    const struct strata_loss *loss, struct strata_error *error)
{
	struct losses *losses = (struct losses *)sink;

	(void)stream;
	(void)reader;
	(void)error;
	assert_in_range(losses->nr, 0, 31);
	losses->of[losses->nr++] = *loss;
	return 0;
}

static void find_losses(const struct opened *opened, struct losses *losses)
{
	struct strata_ctf_tally tallies[4] = { { 0 } };
	struct strata_error error;

	memset(losses, 0, sizeof(*losses));
	losses->sink = (struct strata_slice_sink){ .take = ignore_events, .lose = add_loss };
	assert_int_equal(
		strata_trace_set_merge(&opened->set, 0, UINT64_MAX, &losses->sink, tallies, &error),
		0);
}

/* Each between the same times, as many events and packets. */
static void assert_same_losses(const struct opened *in, const struct opened *out)
{
	struct losses before, after;
	size_t i;

	find_losses(in, &before);
	find_losses(out, &after);
	assert_int_equal(before.nr, after.nr);
	for (i = 0; i < before.nr; i++) {
		assert_int_equal(before.of[i].discarded, after.of[i].discarded);
		assert_int_equal(before.of[i].missing_packets, after.of[i].missing_packets);
		assert_int_equal(before.of[i].from_ns, after.of[i].from_ns);
		assert_int_equal(before.of[i].to_ns, after.of[i].to_ns);
	}
	assert_in_range(before.nr, 2, 31);
}

static void losses_are_told_again(void **data)
{
	const struct crooked_trace trace = { .packets = 6, .events = 40, .is_lossy = true };
	struct outputs_world world;
	struct opened in, out;

	(void)data;
	crooked(&world, &trace);
	convert(&world, "trace", "out");
	open_trace(&world, &in, "trace");
	open_trace(&world, &out, "out/a_trace");
	count(&in, 0, UINT64_MAX);
	count(&out, 0, UINT64_MAX);
	assert_int_equal(in.set.streams[0].tally.discarded, 10);
	assert_int_equal(in.set.streams[0].tally.missing_packets, 3);
	assert_int_equal(out.set.streams[0].tally.discarded, 10);
	assert_int_equal(out.set.streams[0].tally.missing_packets, 3);
	assert_same_losses(&in, &out);
	close_traces(&in);
	close_traces(&out);
	outputs_end(&world);
}

static void the_index_leads_to_the_same_events(void **data)
{
	/* Enough for several packets of the output's size. */
	const struct crooked_trace trace = { .packets = 3, .events = 20000, .begin_ns = 1000 };
	struct strata_slice_options half = { .to_ns = 31000000, .threads = 1 };
	struct strata_error error;
	struct outputs_world world;
	struct opened in, out, part;
	uint64_t events;

	(void)data;
	half.from_ns = 20000000;
	crooked(&world, &trace);
	convert(&world, "trace", "out");
	open_trace(&world, &in, "trace");
	open_trace(&world, &out, "out/a_trace");
	assert_int_equal(strata_trace_set_make_index(&out.set, &error), 0);
	assert_true(out.set.streams[0].index.from_file);
	assert_true(out.set.streams[0].index.nr > 4);
	assert_true(strata_ctf_index_find(&out.set.streams[0].index, half.from_ns) > 0);
	if (write_to(&world, &out, "part", &half, &events, &error))
		fail_msg("%s", error.text);
	open_trace(&world, &part, "part/a_trace");
	assert_true(events > 1000);
	assert_true(count(&part, 0, UINT64_MAX).hash == count(&in, half.from_ns, half.to_ns).hash);
	assert_string_equal(out.complaints, "");
	close_traces(&in);
	close_traces(&out);
	close_traces(&part);
	outputs_end(&world);
}

static void lengths_in_the_event_header_are_kept(void **data)
{
	unsigned int big_endian;

	(void)data;
	for (big_endian = 0; big_endian < 2; big_endian++) {
		const struct crooked_trace trace = { .big_endian = big_endian,
						     .packets = 3,
						     .events = 99,
						     .begin_ns = 1700000000000000000ull,
						     .uses_header = true };
		struct outputs_world world;

		crooked(&world, &trace);
		convert(&world, "trace", "out");
		convert(&world, "out/a_trace", "again");
		outputs_run(&world, "babeltrace2 trace >before && babeltrace2 out >after");
		outputs_assert_same(&world, "after", "before");
		outputs_run(&world, "grep -q by_header after");
		outputs_end(&world);
	}
}

static void events_are_numbered_from_0(void **data)
{
	const struct crooked_trace trace = { .packets = 1, .events = 9, .uses_header = true };
	struct outputs_world world;

	(void)data;
	crooked(&world, &trace);
	outputs_run(&world, "grep -q 'id = 30;' trace/metadata");
	convert(&world, "trace", "out");
	outputs_run(&world, "grep -oE '^.id = [0-9]+' out/a_trace/metadata | tail -n +2 |"
			    " cut -d ' ' -f 3 >ids && seq 0 6 | cmp - ids");
	outputs_end(&world);
}

static void traces_of_one_timeline_are_tied_and_parts_get_uuids_of_their_own(void **data)
{
	struct rich_trace first = little, second = big;
	struct strata_error error;
	struct outputs_world world;
	struct opened in;
	uint64_t events;

	(void)data;
	first.env = "hostname = \"one\"; strata_timeline = \"t\";";
	second.env = "hostname = \"two\"; strata_timeline = \"t\";";
	second.seed = first.seed;
	outputs_begin(&world);
	outputs_add(&world, "first", &first);
	outputs_add(&world, "second", &second);
	memset(&in, 0, sizeof(in));
	add_trace(&world, &in, "first");
	add_trace(&world, &in, "second");
	find_machines(&in);
	assert_int_equal(in.machines.nr, 2);
	assert_true(in.machines.machines[1].tied && in.machines.machines[1].converted);
	assert_string_equal(in.complaints, "");
	assert_int_equal(write_to(&world, &in, "out", &all, &events, &error), 0);
	/* Of one seed they have one UUID: babeltrace2 would take them for one trace. */
	outputs_run(&world, "babeltrace2 out >text && test $(wc -l <text) = 3050");
	outputs_run(
		&world,
		"test $(grep -h uuid out/*/metadata | grep -v uuid\\\\[ | sort -u | wc -l) = 4");
	close_traces(&in);
	outputs_end(&world);
}

static void what_is_there_is_left_alone(void **data)
{
	struct strata_error error;
	struct outputs_world world;
	struct opened in;
	uint64_t events;

	(void)data;
	outputs_begin(&world);
	outputs_add(&world, "trace", &little);
	open_trace(&world, &in, "trace");
	outputs_run(&world, "mkdir there there/mine empty");
	assert_int_equal(write_to(&world, &in, "there", &all, &events, &error), -1);
	assert_non_null(strstr(error.text, "there: is not empty (use --force, or another -o)"));
	outputs_run(&world, "test \"$(ls there)\" = mine");
	assert_int_equal(write_to(&world, &in, "empty", &all, &events, &error), 0);
	/* Force is for what was written here, and looked at before anything goes. */
	assert_int_equal(force_to(&world, &in, "there", &error), -1);
	assert_non_null(strstr(error.text, "there/mine: was not written by strata"));
	outputs_run(&world,
		    "test \"$(ls there)\" = mine; touch empty/a_trace/stray-file empty/mine");
	assert_int_equal(force_to(&world, &in, "empty", &error), -1);
	assert_non_null(strstr(error.text, "empty: holds other files"));
	outputs_run(&world, "test -s empty/a_trace/metadata; rm empty/mine");
	assert_int_equal(force_to(&world, &in, "empty", &error), 0);
	outputs_run(&world, "test -s empty/a_trace/metadata; test ! -e empty/a_trace/stray-file");
	close_traces(&in);
	outputs_end(&world);
}

static void a_file_that_cannot_grow_is_named(void **data)
{
	const struct rlimit small = { 4096, RLIM_INFINITY };
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	struct strata_error error;
	struct outputs_world world;
	struct opened in;
	uint64_t events;
	int status;

	(void)data;
	outputs_begin(&world);
	outputs_add(&world, "trace", &little);
	open_trace(&world, &in, "trace");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	status = write_to(&world, &in, "out", &all, &events, &error);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(status, -1);
	assert_non_null(strstr(error.text, "/out/a_trace/stream_"));
	outputs_run(&world, "test ! -e out/a_trace/metadata");
	close_traces(&in);
	outputs_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_field_comes_out_as_it_went_in),
		cmocka_unit_test(events_at_any_bit_keep_their_alignment),
		cmocka_unit_test(what_came_out_comes_out_again),
		cmocka_unit_test(losses_are_told_again),
		cmocka_unit_test(the_index_leads_to_the_same_events),
		cmocka_unit_test(lengths_in_the_event_header_are_kept),
		cmocka_unit_test(events_are_numbered_from_0),
		cmocka_unit_test(traces_of_one_timeline_are_tied_and_parts_get_uuids_of_their_own),
		cmocka_unit_test(what_is_there_is_left_alone),
		cmocka_unit_test(a_file_that_cannot_grow_is_named),
	};

	return cmocka_run_group_tests_name("output_ctf", tests, NULL, NULL);
}
