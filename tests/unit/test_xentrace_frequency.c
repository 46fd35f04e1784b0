// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_xentrace_frequency.c - how fast the counter of a file of xentrace's runs, which the file
 * does not say: found from its records' own times, within the stated error, or asked for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "xentrace_fixture.h"

static void a_frequency_is_found_within_its_stated_error(void **state)
{
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= 30; seed++) {
		struct strata_xentrace_frequency found;
		struct strata_error error;
		struct xentrace_file file;
		uint32_t khz = (uint32_t)(500000 + seed * 1234567 % 4500000);
		double apart;

		xentrace_init(&file);
		xentrace_host(&file, 1500, khz, (uint32_t)(seed * 997 % 20000), seed);
		xentrace_write(&file);
		assert_int_equal(strata_xentrace_find_frequency(file.path, &found, &error), 0);
		xentrace_free(&file);
		apart = (double)found.tsc_khz - (double)khz;
		if (apart < 0)
			apart = -apart;
		if (found.tsc_khz == 0 || apart > 0.5 + khz * 1e-6 * found.error_ppm)
			fail_msg("seed %llu: %u kHz within %u ppm, and it is %u",
				 (unsigned long long)seed, found.tsc_khz, found.error_ppm, khz);
	}
}

static void a_frequency_is_found_where_a_cpu_idles(void **state)
{
	struct strata_xentrace_frequency found;
	struct strata_error error;
	struct xentrace_file file;
	uint64_t ns = 4294000000ull; /* 32 bits of it wrap soon */
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	for (i = 0; i < 1000; i++, ns += 50000 + i * 7919 % 100000) {
		uint64_t tsc = ns * 3 + i * 613 % 900;

		if (i % 2)
			xentrace_timed(&file, 0, tsc, 0x801003, 6, 1, (uint32_t)ns, 0, 0, 0, 0);
		else
			xentrace_timed(&file, 0, tsc, 0x801002, 4, 1, (uint32_t)ns, 0, 0);
	}
	xentrace_window(&file, 0);
	xentrace_write(&file);
	assert_int_equal(strata_xentrace_find_frequency(file.path, &found, &error), 0);
	assert_in_range(found.tsc_khz, 2999900, 3000100);
	assert_true(found.error_ppm < 20);
	xentrace_free(&file);
}

/* Ticks of a clock that is not system time have a slope that no frequency has. */
static void another_clocks_ticks_are_not_taken_for_nanoseconds(void **state)
{
	struct strata_xentrace_frequency found;
	struct strata_error error;
	struct xentrace_file file;
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	for (i = 0; i < 1000; i++) /* 3.579545 MHz */
		xentrace_timed(&file, 0, 1000 + (uint64_t)i * 670000, 0x801002, 4, 1, i * 1000u, 0,
			       0);
	xentrace_window(&file, 0);
	xentrace_write(&file);
	assert_int_equal(strata_xentrace_find_frequency(file.path, &found, &error), 0);
	assert_int_equal(found.tsc_khz, 0);
	xentrace_free(&file);
}

static void assert_found_khz(struct xentrace_file *file, uint32_t khz)
{
	struct strata_xentrace_frequency found;
	struct strata_error error;

	xentrace_window(file, 0);
	xentrace_write(file);
	assert_int_equal(strata_xentrace_find_frequency(file->path, &found, &error), 0);
	xentrace_free(file);
	if (found.tsc_khz < khz - khz / 20000 || found.tsc_khz > khz + khz / 20000)
		fail_msg("%u kHz were found, not %u", found.tsc_khz, khz);
}

/* 32 bits of nanoseconds say nothing of seconds. */
static void a_long_sleep_is_no_link_of_a_chain(void **state)
{
	struct xentrace_file file;
	uint64_t ns = 0;
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	for (i = 0; i < 1000; i++, ns += i == 300 ? 10000000000ull : 100000)
		xentrace_timed(&file, 0, 1000 + ns * 3, 0x801002, 4, 1, (uint32_t)ns, 0, 0);
	assert_found_khz(&file, 3000000);
}

/* One vCPU for 100 us, then the other: the last one ran for @ran_ns. */
static void add_switch(struct xentrace_file *file, uint64_t ns, uint32_t ran_ns, uint32_t domain)
{
	xentrace_timed(file, 0, ns * 3, 0x2800e, 3, domain, 0u, ran_ns);
	xentrace_timed(file, 0, ns * 3 + 9, 0x2800a, 4, domain, 0u, 3u - domain, 0u);
}

static void what_was_lost_breaks_a_chain(void **state)
{
	struct xentrace_file file;
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	for (i = 0; i < 2000; i++) {
		/* Two switches of each hundred are lost: then the vCPU that runs is the same. */
		if (i % 100 == 1)
			xentrace_timed(&file, 0, i * 300000ull + 300, 0x1f001, 4, 4u, 2u - i % 2,
				       0u, 0u);
		else if (i % 100 != 0)
			add_switch(&file, i * 100000ull, 100000, 1 + i % 2);
	}
	assert_found_khz(&file, 3000000);
}

static void who_stops_without_having_started_breaks_a_chain(void **state)
{
	struct xentrace_file file;
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	for (i = 1; i < 2000; i++) {
		if (i % 100)
			add_switch(&file, i * 100000ull, 100000, 1 + i % 2);
	}
	assert_found_khz(&file, 3000000);
}

static void readings_that_lie_far_apart_tell_no_frequency(void **state)
{
	struct strata_xentrace_frequency found;
	struct strata_error error;
	struct xentrace_file file;

	(void)state;
	xentrace_init(&file);
	/* Up to 16 us late, in 84 ms. */
	xentrace_host(&file, 400, 2400000, 40000, 5);
	xentrace_write(&file);
	assert_int_equal(strata_xentrace_find_frequency(file.path, &found, &error), 0);
	assert_int_equal(found.tsc_khz, 0);
	assert_false(found.contradicts);
	xentrace_free(&file);
}

static void a_frequency_that_nothing_tells_is_asked_for(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_host(&file, 20, 2400000, 100, 3);
	xentrace_write(&file);
	import_file(&imported, &file, 0);
	assert_int_equal(imported.status, -1);
	assert_said(&imported, file.path);
	assert_said(&imported, "--tsc-khz KHZ");
	assert_said(&imported, "xl dmesg");
	assert_int_equal(access(file.raw, F_OK), -1);
	/* Told, it is used. */
	import_file(&imported, &file, 1234567);
	assert_int_equal(imported.status, 0);
	assert_int_equal(imported.report.tsc_khz, 1234567);
	assert_int_equal(imported.report.tsc_error_ppm, 0);
	imported_free(&imported);
	xentrace_free(&file);
}

static void one_that_is_told_and_contradicted_is_used_and_named(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_host(&file, 1000, 2893202, 100, 3);
	xentrace_write(&file);
	import_file(&imported, &file, 2400000);
	assert_int_equal(imported.status, 0);
	assert_int_equal(imported.report.tsc_khz, 2400000);
	assert_said(&imported, "--tsc-khz says 2400000, but the file's records show 28932");
	imported_free(&imported);
	xentrace_free(&file);
}

static void cpus_that_contradict_each_other_tell_no_frequency(void **state)
{
	struct strata_xentrace_frequency found;
	struct strata_error error;
	struct xentrace_file file;
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	for (i = 0; i < 1000; i++) {
		xentrace_timed(&file, 0, i * 300000u, 0x801002, 4, 1, i * 100000u, 0, 0);
		xentrace_timed(&file, 1, i * 300300u, 0x801002, 4, 1, i * 100000u, 0, 0);
	}
	xentrace_window(&file, 0);
	xentrace_window(&file, 1);
	xentrace_write(&file);
	assert_int_equal(strata_xentrace_find_frequency(file.path, &found, &error), 0);
	assert_int_equal(found.tsc_khz, 0);
	assert_true(found.contradicts);
	xentrace_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frequency_is_found_within_its_stated_error),
		cmocka_unit_test(a_frequency_is_found_where_a_cpu_idles),
		cmocka_unit_test(another_clocks_ticks_are_not_taken_for_nanoseconds),
		cmocka_unit_test(a_long_sleep_is_no_link_of_a_chain),
		cmocka_unit_test(what_was_lost_breaks_a_chain),
		cmocka_unit_test(who_stops_without_having_started_breaks_a_chain),
		cmocka_unit_test(readings_that_lie_far_apart_tell_no_frequency),
		cmocka_unit_test(a_frequency_that_nothing_tells_is_asked_for),
		cmocka_unit_test(one_that_is_told_and_contradicted_is_used_and_named),
		cmocka_unit_test(cpus_that_contradict_each_other_tell_no_frequency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
