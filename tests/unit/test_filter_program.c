// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_filter_program.c - a filter that is compiled for a kernel lets pass what a merge with the
 * same expression leaves, of random events and random expressions; and what cannot be compiled is
 * named.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <strata/field_filter_check.h>

#include "ctf_maker.h"
#include "filter/filter.h"
#include "filter/filter_program.h"
#include "synthetic.h"
#include "timeline/trace_set.h"

#define EVENTS      300u
#define EXPRESSIONS 3000u
#define DEPTH_MAX   4u
#define TEXT_BYTES  8192u
#define TICKS_APART 2400u /* 1 us */
#define ARENA_BYTES (1u << 20)

struct event {
	enum synthetic_kernel_event id;
	int32_t tid;
	unsigned char payload[256];
	uint32_t bytes;
};

static struct event events[EVENTS];
static struct synthetic recording;
static struct strata_trace_set set;
static uint64_t first_ns;
static uint64_t seed = 0x9e3779b97f4a7c15ull;

static unsigned int below(unsigned int nr)
{
	return (unsigned int)(maker_random(&seed) >> 20) % nr;
}

/* Events -------------------------------------------------------------------------------------- */

static void put(struct event *event, const void *bytes, uint32_t nr)
{
	memcpy(event->payload + event->bytes, bytes, nr);
	event->bytes += nr;
}

/* A number near those in expressions, of which some are the least and the greatest. */
static void put_number(struct event *event, uint32_t bytes)
{
	static const uint64_t numbers[] = {
		0, 1, 5, 119, 120, 140, 255, UINT64_MAX, (uint64_t)INT64_MIN, INT64_MAX
	};
	const uint64_t number = numbers[below(sizeof(numbers) / sizeof(numbers[0]))] + below(2);

	put(event, &number, bytes);
}

static const char *text(void)
{
	static const char *const texts[] = { "",     "sh",      "sshd", "swapper/0",       "a[1]",
					     "b*ck", "swapper", "s",    "abcdefghijklmnop" };

	return texts[below(sizeof(texts) / sizeof(texts[0]))];
}

/* Text in an array; what is behind its end is of no interest. */
static void put_text(struct event *event, uint32_t bytes)
{
	const char *given = text();
	const uint32_t length = (uint32_t)strlen(given);
	char room[16];

	memset(room, 'x', sizeof(room));
	memcpy(room, given, length < bytes ? length + 1 : bytes);
	put(event, room, bytes);
}

static void put_switch(struct event *event)
{
	put_text(event, 16);
	put_number(event, 4);
	put_number(event, 4);
	put_number(event, 8);
	put_text(event, 16);
	put_number(event, 4);
	put_number(event, 4);
}

static void align(struct event *event)
{
	const uint32_t zero = 0;

	put(event, &zero, -event->bytes & 3u);
}

static void put_open(struct event *event)
{
	const char *name = text(), *free_text = text();
	uint32_t count = below(4), length = (uint32_t)strlen(free_text);

	put_number(event, 4);
	put(event, name, (uint32_t)strlen(name) + 1);
	align(event);
	put(event, &count, 4);
	while (count-- > 0)
		put_number(event, 2);
	put_number(event, 1);
	align(event);
	put(event, &length, 4);
	put(event, free_text, length);
}

static void put_sys_enter(struct event *event)
{
	unsigned int i;

	for (i = 0; i < 7; i++)
		put_number(event, 8);
}

static void make_event(struct event *event)
{
	static const enum synthetic_kernel_event ids[] = { SYNTHETIC_SWITCH, SYNTHETIC_OPEN,
							   SYNTHETIC_SYS_ENTER };

	event->id = ids[below(3)];
	event->tid = (int32_t)below(7) * 100;
	if (event->id == SYNTHETIC_SWITCH)
		put_switch(event);
	else if (event->id == SYNTHETIC_OPEN)
		put_open(event);
	else
		put_sys_enter(event);
}

static int make_trace(void **state)
{
	struct strata_error error = { "" };
	struct strata_ctf_trace *trace;
	char path[128];
	unsigned int i;

	(void)state;
	synthetic_init(&recording);
	synthetic_add_source(&recording, "g1", "kernel", 1);
	for (i = 0; i < EVENTS; i++) {
		struct event *event = &events[i];

		make_event(event);
		synthetic_record(&recording, synthetic_stream(&recording, "g1", 0),
				 (uint64_t)(i + 1) * TICKS_APART, event->id, &event->tid,
				 sizeof(event->tid), event->payload, event->bytes);
	}
	synthetic_write(&recording);
	snprintf(path, sizeof(path), "%s/g1", recording.dir);
	trace = strata_ctf_trace_open(path, NULL, NULL, &error);
	if (!trace || strata_trace_set_add(&set, trace, &error) ||
	    strata_trace_set_first(&set, &first_ns, &error))
		fail_msg("%s", error.text);
	return 0;
}

static int end_trace(void **state)
{
	(void)state;
	strata_trace_set_clear(&set);
	synthetic_free(&recording);
	return 0;
}

/* Both ways ----------------------------------------------------------------------------------- */

struct got_sink {
	struct strata_slice_sink sink;
	bool *got;
};

static int take(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *taken, size_t nr, struct strata_error *error)
{
	size_t i;

	(void)stream;
	(void)reader;
	(void)error;
	for (i = 0; i < nr; i++) {
		const uint64_t at = (taken[i].ns - first_ns + 500) / 1000;

		assert_true(at < EVENTS);
		((struct got_sink *)sink)->got[at] = true;
	}
	return 0;
}

static void merge(const char *expression, bool got[EVENTS])
{
	struct got_sink sink = { { .take = take }, got };
	struct strata_filter *filter = strata_filter_new();
	struct strata_ctf_tally tally = { 0 };
	struct strata_error error = { "" };
	const char *const name = "g1";

	memset(got, 0, EVENTS * sizeof(*got));
	if (strata_filter_expression(filter, expression, &error) ||
	    strata_filter_bind(filter, &set, &name, &error))
		fail_msg("%s: %s", expression, error.text);
	set.filter = strata_filter_of_set(filter);
	if (strata_trace_set_merge(&set, 0, UINT64_MAX, &sink.sink, &tally, &error))
		fail_msg("%s", error.text);
	set.filter = NULL;
	strata_filter_free(filter);
}

static bool passes(const struct strata_filter_program *program, const struct event *event)
{
	static struct {
		struct strata_field_filter filter;
		struct strata_field_test tests[STRATA_FIELD_TESTS_MAX];
	} room;
	const uint32_t nr = strata_field_program_tests(program->bytes, (uint32_t)program->nr);
	const char *wrong;

	if (!program->nr)
		return program->passes;
	assert_true(nr > 0);
	wrong = strata_field_filter_check(&room.filter, nr, program->bytes,
					  synthetic_kernel_event(event->id));
	if (wrong)
		fail_msg("%s", wrong);
	return strata_field_filter_passes(&room.filter, event->payload, event->bytes, event->tid);
}

/* Compiles an expression for each class, and runs it.  NULL, or what is wrong. */
static const char *run(const char *expression, bool got[EVENTS])
{
	static struct strata_filter_program programs[SYNTHETIC_PROBE + 1];
	struct strata_ctf_arena *arena = strata_ctf_arena_new(ARENA_BYTES);
	static struct strata_error error;
	struct strata_node *root = strata_filter_parse(expression, arena, &error);
	unsigned int i;
	int result = root ? 0 : -1;

	for (i = 0; !result && i <= SYNTHETIC_PROBE; i++)
		if (i == SYNTHETIC_SWITCH || i == SYNTHETIC_OPEN || i == SYNTHETIC_SYS_ENTER)
			result = strata_filter_compile(root, synthetic_kernel_event(i),
						       &programs[i], &error);
	if (!result)
		result = strata_filter_check_fields(root, &error);
	for (i = 0; !result && i < EVENTS; i++)
		got[i] = passes(&programs[events[i].id], &events[i]);
	strata_ctf_arena_free(arena);
	return result ? error.text : NULL;
}

/* Expressions --------------------------------------------------------------------------------- */

static const char *const numbers[] = { "prev_pid",  "prev_prio", "prev_state", "next_pid",
				       "next_prio", "id",        "args[0]",    "args[5]",
				       "args[6]",   "fd",        "$ctx.tid",   "id" };
static const char *const texts[] = { "prev_comm", "next_comm", "string", "text", "prev_comm" };
static const char *const values[] = { "0",
				      "1",
				      "5",
				      "-1",
				      "0xff",
				      "119",
				      "120",
				      "140",
				      "400",
				      "-2147483648",
				      "9223372036854775807",
				      "9223372036854775808",
				      "-9223372036854775808",
				      "18446744073709551615" };
static const char *const patterns[] = { "sh",     "s*",      "*h*",      "",      "?",
					"*",      "sched_*", "[a-s]*",   "[!s]*", "a[1]",
					"a\\[1]", "*[0-9]",  "b\\\\*ck", "[",     "b*[",
					"a[[]1]", "*per/0",  "s[shd]*d" };
static const char *const comparisons[] = { "==", "!=", "<", "<=", ">", ">=" };

#define ANY(of) of[below(sizeof(of) / sizeof(of[0]))]

static void make_test(char *to)
{
	char *end = to + strlen(to);

	switch (below(8)) {
	case 0:
		sprintf(end, "%s", ANY(numbers));
		break;
	case 1:
		sprintf(end, "%s %s %s", ANY(numbers), ANY(comparisons), ANY(numbers));
		break;
	case 2:
		sprintf(end, "%s %s %s", ANY(values), ANY(comparisons), ANY(numbers));
		break;
	case 3:
		sprintf(end, "%s %s %s", ANY(texts), comparisons[below(2)], ANY(texts));
		break;
	case 4:
		sprintf(end, "%s %s \"%s\"", below(3) ? ANY(texts) : "$event",
			comparisons[below(2)], ANY(patterns));
		break;
	case 5:
		sprintf(end, "\"%s\" %s %s", ANY(patterns), comparisons[below(2)], ANY(texts));
		break;
	default:
		sprintf(end, "%s %s %s", ANY(numbers), ANY(comparisons), ANY(values));
		break;
	}
}

static void make_expression(unsigned int depth, char *to)
{
	const unsigned int what = below(10);

	if (depth == 0 || what < 3) {
		make_test(to);
		return;
	}
	strcat(to, what == 9 ? "!(" : "(");
	make_expression(depth - 1, to);
	if (what < 9) {
		strcat(to, what < 6 ? " && " : " || ");
		make_expression(depth - 1, to);
	}
	strcat(to, ")");
}

static void a_kernel_decides_as_a_merge_does(void **state)
{
	bool left[EVENTS], passed[EVENTS];
	unsigned int i, j, some = 0;

	(void)state;
	for (i = 0; i < EXPRESSIONS; i++) {
		char expression[TEXT_BYTES] = "";
		const char *wrong;
		unsigned int nr = 0;

		make_expression(below(DEPTH_MAX + 1), expression);
		wrong = run(expression, passed);
		/* No event has it, whatever the merge says. */
		if (wrong && strstr(wrong, "args[6]"))
			continue;
		if (wrong)
			fail_msg("%s: %s", expression, wrong);
		merge(expression, left);
		for (j = 0; j < EVENTS; j++) {
			if (left[j] != passed[j])
				fail_msg("event %u %s, but a merge %s it: %s", j,
					 passed[j] ? "passes" : "is rejected",
					 left[j] ? "leaves" : "does not leave", expression);
			nr += left[j];
		}
		some += nr > 0 && nr < EVENTS;
	}
	/* It is about something. */
	assert_true(some > EXPRESSIONS / 3);
}

static void what_a_kernel_cannot_test_is_named(void **state)
{
	static const struct {
		const char *expression, *message;
	} cases[] = {
		{ "prev_prio < 1.5", "column 13: 1.5: a kernel compares integers only" },
		{ "$cpu == 1", "column 1: $cpu: a kernel's filter knows only the event's fields" },
		{ "1 && $process == 5", "column 6: $process: a kernel's filter knows only" },
		{ "$ctx.prio == 5", "column 1: $ctx.prio: a kernel's filter knows only $ctx.tid" },
		{ "prev_prio == \"x\"",
		  "column 14: \"x\": a kernel compares numbers with numbers" },
		{ "prev_comm == 5", "column 14: 5: a kernel compares text with text only" },
		{ "prev_comm < next_comm", "column 1: prev_comm: text has no order" },
		{ "prev_comm", "column 1: prev_comm: expected a comparison with text" },
		{ "prev_comm[0] == 65", "column 1: prev_comm[0]: a kernel's filter tests text as" },
		{ "args == 5", "column 1: args: expected one of its elements, as in name[0]" },
		{ "list[0] == 5", "column 1: list[0]: a kernel's filter tests no sequences" },
		{ "flag == 5", "column 1: flag: a kernel's filter finds no number behind" },
		{ "$event == prev_comm", "column 1: $event: expected a comparison with text in" },
		{ "prev_prioo == 5 || prev_pid == 1",
		  "column 1: no event has a field prev_prioo; the nearest is prev_prio" },
		{ "string == \"012345678901234567890123456789012345678901234567890123456789"
		  "01234\"",
		  "a kernel's filter has shorter patterns" },
	};
	bool got[EVENTS];
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *wrong = run(cases[i].expression, got);

		if (!wrong || !strstr(wrong, cases[i].message))
			fail_msg("%s: %s", cases[i].expression, wrong ? wrong : "is compiled");
	}
}

static void a_filter_is_not_endless(void **state)
{
	char expression[TEXT_BYTES] = "prev_pid == 1";
	bool got[EVENTS];
	unsigned int i;

	(void)state;
	for (i = 1; i < STRATA_FIELD_TESTS_MAX; i++)
		strcat(expression, " || prev_pid == 1");
	assert_null(run(expression, got));
	strcat(expression, " || prev_pid == 1");
	assert_non_null(strstr(run(expression, got), "may have 64 tests, and this has more"));
	strcpy(expression, "prev_comm == \"x\"");
	for (i = 1; i < 31; i++)
		strcat(expression, " || prev_comm == \"0123456789012345678901234567890123456789\"");
	assert_non_null(strstr(run(expression, got), "a kernel's filter is shorter"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_decides_as_a_merge_does),
		cmocka_unit_test(what_a_kernel_cannot_test_is_named),
		cmocka_unit_test(a_filter_is_not_endless),
	};

	return cmocka_run_group_tests(tests, make_trace, end_trace);
}
