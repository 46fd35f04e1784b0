// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_host_converter.c - readings of a guest become host times with bounds, on maps made by hand:
 * also where converted time steps back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/host_converter.h"

#define ANCHOR_NS 1790000000000000000ull

static const struct strata_timebase timebase = { .anchor_ns = ANCHOR_NS, .tsc_khz = 1000000 };

/* The counter is set 50 ticks forward at host tick 1000, which repeats no reading: so the readings
 * from 1000 to 1049, if there are any, were taken before. */
static struct strata_vcpu_clock_piece forward[] = {
	{ .domain = 1, .usable = true, .is_hvm = true, .guest_khz = 1000000 },
	{ .domain = 1,
	  .usable = true,
	  .is_hvm = true,
	  .from_ticks = 1000,
	  .map = { .offset = 50 },
	  .guest_khz = 1000000 },
};

static struct strata_host_converter converter;

static void make(struct strata_vcpu_clock_piece *pieces, size_t nr, uint64_t skew_ticks)
{
	const struct strata_source source = { .layer = STRATA_LAYER_KERNEL, .domain = 1 };
	const struct strata_clock_maps maps = { .pieces = pieces, .nr = nr };
	const struct strata_vcpu_stime stimes = { 0 };
	struct strata_stream_clock clock;

	strata_stream_clock_init(&clock, &maps, &stimes, skew_ticks, 1, 0);
	strata_host_converter_init(&converter, &source, &clock, &timebase, skew_ticks);
}

static void a_time_that_steps_back_is_clamped_and_stays_within_its_bound(void **state)
{
	static const struct {
		uint64_t reading, host, clamped;
		bool is_wrong;
	} readings[] = {
		{ 999, 999, 999, false },    { 1049, 1049, 1049, false },
		{ 1051, 1001, 1049, true },  { 1060, 1010, 1049, true },
		{ 1099, 1049, 1049, false }, { 1100, 1050, 1050, false },
	};
	const struct strata_ctf_converter *base = &converter.converter;
	struct strata_ctf_when when;
	void *conversion;
	size_t i;

	(void)state;
	make(forward, 2, 0);
	conversion = base->begin(base);
	assert_non_null(conversion);
	for (i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
		base->convert(conversion, NULL, readings[i].reading, &when);
		assert_int_equal(when.ns, ANCHOR_NS + readings[i].clamped);
		assert_int_equal(when.bound, readings[i].clamped - readings[i].host);
		assert_int_equal(when.is_wrong, readings[i].is_wrong);
		/* As nanoseconds, a tick more, because no reading is finer. */
		assert_int_equal(base->bound_ns(base, when.bound), when.bound + 1);
	}
	base->end(conversion);
}

/* The counter is set back by 1000 ticks at host tick 5000, and the readings before and after that
 * are not known: those of 4000 to 4999 may be from before it. */
static struct strata_vcpu_clock_piece back[] = {
	{ .domain = 1, .usable = true, .is_hvm = true, .guest_khz = 1000000, .doubt_after = 1000 },
	{ .domain = 1,
	  .usable = true,
	  .is_hvm = true,
	  .from_ticks = 5000,
	  .map = { .offset = 0 - 1000ull },
	  .guest_khz = 1000000,
	  .set_back_ticks = 1000,
	  .doubt_before = 1000 },
};

static void a_time_outside_of_its_source_s_presence_is_moved_there(void **state)
{
	static const struct {
		uint64_t reading, ns, bound, later_ns;
		bool is_wrong;
	} readings[] = {
		/* Impossible: a reader leaves out a packet of these times. */
		{ 3000, 4500, 1500, 3000, true },
		/* Within the bound, which the nearest time keeps. */
		{ 4100, 4500, 1000, 4500, false },
		{ 4600, 4600, 1000, 4600, false },
	};
	const struct strata_ctf_converter *base = &converter.converter;
	struct strata_ctf_when when;
	uint64_t bound_ns;
	void *conversion;
	size_t i;

	(void)state;
	make(back, 2, 0);
	converter.presence = (struct strata_presence){ 4500, 6000 };
	conversion = base->begin(base);
	assert_non_null(conversion);
	for (i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
		assert_int_equal(base->ns_later(conversion, NULL, readings[i].reading, &bound_ns),
				 ANCHOR_NS + readings[i].later_ns);
		base->convert(conversion, NULL, readings[i].reading, &when);
		assert_int_equal(when.ns, ANCHOR_NS + readings[i].ns);
		assert_int_equal(when.bound, readings[i].bound);
		assert_int_equal(when.is_wrong, readings[i].is_wrong);
	}
	base->end(conversion);
}

static void the_skew_of_physical_cpus_belongs_to_the_bound(void **state)
{
	const struct strata_ctf_converter *base = &converter.converter;

	(void)state;
	make(forward, 2, 30);
	assert_int_equal(base->bound_ns(base, 0), 31);
	assert_true(base->bound_ns(base, UINT64_MAX) == UINT64_MAX);
	assert_true(base->bound_ns(base, UINT64_MAX - 5) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_time_that_steps_back_is_clamped_and_stays_within_its_bound),
		cmocka_unit_test(a_time_outside_of_its_source_s_presence_is_moved_there),
		cmocka_unit_test(the_skew_of_physical_cpus_belongs_to_the_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
