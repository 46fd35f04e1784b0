// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_made_of.c - a trace's original is found by UUID and place, whoever else poses as it, and in
 * a number of steps that grows with the number of traces only.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/derived_uuid.h"
#include "inputs/made_of.h"

#define MANY 3000u

static struct strata_ctf_trace traces[2 * MANY];
static struct strata_made_of_input inputs[2 * MANY];
static struct strata_made_of made[2 * MANY];
static char paths[2 * MANY][32];
static size_t nr_inputs;

static int begin(void **state)
{
	(void)state;
	memset(traces, 0, sizeof(traces));
	memset(inputs, 0, sizeof(inputs));
	nr_inputs = 0;
	return 0;
}

static void own_uuid(uint8_t uuid[16], uint32_t number)
{
	memset(uuid, 0x41, 16);
	memcpy(uuid, &number, sizeof(number));
}

/* Adds a trace. Returns its UUID, to be filled. */
static uint8_t *add_trace(size_t root, const char *path)
{
	struct strata_ctf_trace *trace = &traces[nr_inputs];

	trace->metadata.has_uuid = true;
	snprintf(paths[nr_inputs], sizeof(paths[0]), "%s", path);
	inputs[nr_inputs] = (struct strata_made_of_input){ .path = paths[nr_inputs],
							   .root = root,
							   .trace = trace };
	nr_inputs++;
	return trace->metadata.uuid;
}

/* Adds a copy of the trace with that number. Returns its index. */
static size_t add_copy(size_t root, const char *path, uint32_t original, unsigned int same)
{
	uint8_t *uuid = add_trace(root, path), from[16];

	own_uuid(from, original);
	strata_derive_uuid(uuid, STRATA_DERIVED_COPY, same, from, 16);
	return nr_inputs - 1;
}

static void add_recording(size_t root, const char *path, const struct strata_recording *recording)
{
	snprintf(paths[nr_inputs], sizeof(paths[0]), "%s", path);
	inputs[nr_inputs] = (struct strata_made_of_input){ .path = paths[nr_inputs],
							   .root = root,
							   .recording = recording };
	nr_inputs++;
}

static uint64_t find(void)
{
	uint64_t steps;

	assert_int_equal(strata_made_of_find(inputs, nr_inputs, made, &steps), 0);
	return steps;
}

static void a_copy_names_its_original(void **state)
{
	size_t copy, part, stranger;

	(void)state;
	own_uuid(add_trace(0, "set/one"), 1);
	copy = add_copy(0, "set/copy", 1, 0);
	part = add_copy(0, "set/part", 1, 63);
	stranger = add_copy(0, "set/stranger", 2, 0);
	find();
	assert_int_equal(made[0].origin, nr_inputs);
	assert_int_equal(made[copy].origin, 0);
	assert_false(made[copy].is_beside);
	assert_int_equal(made[part].origin, 0);
	assert_int_equal(made[stranger].origin, nr_inputs);
}

static void an_original_is_under_the_same_named_path(void **state)
{
	size_t copy;

	(void)state;
	own_uuid(add_trace(0, "set/one"), 1);
	copy = add_copy(1, "set/copy", 1, 0);
	find();
	assert_int_equal(made[copy].origin, nr_inputs);
}

static void the_recording_beside_comes_before_whoever_poses_as_the_original(void **state)
{
	struct strata_source sources[2] = { 0 };
	const struct strata_recording recording = { .sources = sources, .nr_sources = 2 };
	size_t copy, elsewhere, inner;

	(void)state;
	own_uuid(sources[0].uuid, 7);
	own_uuid(sources[1].uuid, 1);
	own_uuid(add_trace(0, "set/raw"), 1);
	add_recording(0, "set/a/raw", &recording);
	add_recording(0, "set/b/raw", &recording);
	copy = add_copy(0, "set/b/ctf/g1", 1, 0);
	elsewhere = add_copy(0, "set/c/ctf/g1", 1, 0);
	inner = add_copy(0, "set/b/ctf/ctf", 1, 0);
	find();
	assert_int_equal(made[copy].origin, 2);
	assert_int_equal(made[copy].source, 1);
	assert_true(made[copy].is_beside);
	assert_int_equal(made[inner].origin, 2);
	assert_true(made[inner].is_beside);
	assert_int_equal(made[elsewhere].origin, 0);
	assert_false(made[elsewhere].is_beside);
}

static void a_foreign_trace_named_raw_is_never_beside(void **state)
{
	size_t copy, similar;

	(void)state;
	own_uuid(add_trace(0, "set/raw"), 1);
	copy = add_copy(0, "set/ctf", 1, 0);
	similar = add_copy(0, "set/ctf2/g1", 1, 0);
	find();
	assert_int_equal(made[copy].origin, 0);
	assert_false(made[copy].is_beside);
	assert_false(made[similar].is_beside);
}

/* @same_uuid: all originals have one UUID, and all copies name it */
static uint64_t steps_of(size_t nr, bool same_uuid)
{
	char path[32];
	uint32_t i;

	begin(NULL);
	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "set/%u", i);
		own_uuid(add_trace(0, path), same_uuid ? 1 : i);
	}
	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "set/ctf/%u", i);
		add_copy(0, path, same_uuid ? 1 : i, i % 64);
	}
	return find();
}

static void steps_grow_with_the_number_of_traces(void **state)
{
	int same_uuid;

	(void)state;
	for (same_uuid = 0; same_uuid < 2; same_uuid++) {
		const uint64_t steps = steps_of(MANY, same_uuid);

		assert_in_range(steps, MANY, 2 * MANY * 200);
		assert_in_range(steps_of(MANY / 4, same_uuid), steps / 5, steps / 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_copy_names_its_original, begin),
		cmocka_unit_test_setup(an_original_is_under_the_same_named_path, begin),
		cmocka_unit_test_setup(
			the_recording_beside_comes_before_whoever_poses_as_the_original, begin),
		cmocka_unit_test_setup(a_foreign_trace_named_raw_is_never_beside, begin),
		cmocka_unit_test_setup(steps_grow_with_the_number_of_traces, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
