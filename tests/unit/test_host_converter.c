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
		base->convert(conversion, readings[i].reading, &when);
		assert_int_equal(when.ns, ANCHOR_NS + readings[i].clamped);
		assert_int_equal(when.bound, readings[i].clamped - readings[i].host);
		assert_int_equal(when.is_wrong, readings[i].is_wrong);
		/* As nanoseconds, a tick more, because no reading is finer. */
		assert_int_equal(base->bound_ns(base, when.bound), when.bound + 1);
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
		cmocka_unit_test(the_skew_of_physical_cpus_belongs_to_the_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
