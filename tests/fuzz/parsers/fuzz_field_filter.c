// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_field_filter.c - any bytes as the program of a field filter, and as the payload that it runs
 * on: the program is refused, or it ends, and reads nothing outside of program and payload.
 *
 * libFuzzer calls it; see parsers.mk.  The input: a byte that chooses an event, two with the length
 * of the program, the program, and the payload.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/field_filter_check.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr);

#define HEAD_BYTES 3u

static const struct strata_event_desc events[] = {
	{ .name = "plain",
	  .nr_fields = 6,
	  .fields = { { "comm", STRATA_FIELD_TEXT, 1, 16 },
		      { "pid", STRATA_FIELD_SIGNED, 4, 1 },
		      { "state", STRATA_FIELD_SIGNED, 8, 1 },
		      { "flag", STRATA_FIELD_UNSIGNED, 1, 1 },
		      { "args", STRATA_FIELD_HEX, 8, 6 },
		      { "short", STRATA_FIELD_UNSIGNED, 2, 3 } } },
	{ .name = "variable",
	  .nr_fields = 6,
	  .fields = { { "pid", STRATA_FIELD_SIGNED, 4, 1 },
		      { "real", STRATA_FIELD_FLOAT, 8, 1 },
		      { "name", STRATA_FIELD_STRING, 1, 1 },
		      { "list", STRATA_FIELD_UNSIGNED, 2, 0 },
		      { "title", STRATA_FIELD_STRING, 1, 1 },
		      { "text", STRATA_FIELD_TEXT, 1, 0 } } },
	{ .name = "empty" },
};

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "it does not hold that %s\n", what);
	abort();
}

/* A copy of exactly its size: a look beyond it is seen by the sanitizer. */
static unsigned char *copy_of(const uint8_t *bytes, size_t nr)
{
	unsigned char *copy = malloc(nr + !nr);

	check(copy, "memory suffices");
	memcpy(copy, bytes, nr);
	return copy;
}

/* The steps of the interpreter, one by one: it only goes forward. */
static bool step_through(const struct strata_field_filter *filter, const unsigned char *payload,
			 uint32_t bytes)
{
	uint32_t at = 0, steps = 0, next;
	int holds;

	while (at < filter->nr) {
		holds = strata_field_holds(filter, &filter->tests[at], payload, bytes, 7);
		if (holds < 0)
			return false;
		next = holds ? filter->tests[at].if_true : filter->tests[at].if_false;
		check(next > at, "a program goes forward");
		check(++steps <= STRATA_FIELD_TESTS_MAX, "a program ends");
		at = next;
	}
	return at == STRATA_FIELD_PASS;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr)
{
	const struct strata_event_desc *event;
	unsigned char *program, *payload;
	struct strata_field_filter *filter;
	uint32_t program_bytes, payload_bytes, tests;

	if (nr < HEAD_BYTES)
		return 0;
	event = &events[bytes[0] % (sizeof(events) / sizeof(events[0]))];
	program_bytes = (uint32_t)bytes[1] | (uint32_t)bytes[2] << 8;
	if (program_bytes > nr - HEAD_BYTES)
		program_bytes = (uint32_t)(nr - HEAD_BYTES);
	payload_bytes = (uint32_t)(nr - HEAD_BYTES) - program_bytes;
	program = copy_of(bytes + HEAD_BYTES, program_bytes);
	payload = copy_of(bytes + HEAD_BYTES + program_bytes, payload_bytes);
	tests = strata_field_program_tests(program, program_bytes);
	check(tests <= STRATA_FIELD_TESTS_MAX, "tests are bounded");
	filter = malloc(sizeof(*filter) + tests * sizeof(filter->tests[0]));
	check(filter, "memory suffices");
	if (tests && !strata_field_filter_check(filter, tests, program, event) &&
	    payload_bytes >= filter->fixed_bytes)
		check(step_through(filter, payload, payload_bytes) ==
			      strata_field_filter_passes(filter, payload, payload_bytes, 7),
		      "each run decides alike");
	free(filter);
	free(payload);
	free(program);
	return 0;
}
