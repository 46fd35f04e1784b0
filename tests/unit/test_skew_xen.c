// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_skew_xen.c - the measurement of the differences between the CPUs' TSCs, which two channels
 * may want at the same time: the hypervisor's own file.  A thread is the other CPU.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <xen/lib.h>

#include <strata/platform/platform.h>

#define rdtsc_ordered()           strata_clock()
#define cpu_relax()               sched_yield()
#define local_irq_disable()       ((void)0)
#define local_irq_enable()        join_peer()
#define hypercall_preempt_check() other_work_waits
#define cpumask_of(cpu)           (&online_mask[cpu])
#define cpumask_first(mask)       ((void)(mask), 0u)
#define cpumask_next(cpu, mask)   ((void)(mask), (cpu) + 1)
#define for_each_online_cpu(cpu)  for ((cpu) = 0; (cpu) < shim_online_cpus; (cpu)++)

static int cpu_online_map, online_mask[SHIM_CPUS];
static bool other_work_waits;
static pthread_t peer;
static unsigned int slices;

static void *be_peer(void *function)
{
	((void (*)(void *))function)(NULL);
	return NULL;
}

static void on_selected_cpus(const int *mask, void (*function)(void *), void *info, int wait)
{
	(void)mask;
	(void)info;
	(void)wait;
	slices++;
	assert_int_equal(pthread_create(&peer, NULL, be_peer, (void *)function), 0);
}

static void join_peer(void)
{
	pthread_join(peer, NULL);
}

/* The file itself; Xen compiles it with fewer warnings than we do. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../xen-patch/src/common/strata/skew.c"
#pragma GCC diagnostic pop

#define ONE_CHANNEL 2u
#define ANOTHER     4u

struct strata_channel strata_channels[STRATA_HV_CHANNELS];

static struct strata_hv_pcpu_skew told[100];
static unsigned int nr_told;
static bool is_destroyed; /* ONE_CHANNEL */

bool strata_channel_started(const struct strata_channel *channel)
{
	return !is_destroyed || channel != &strata_channels[ONE_CHANNEL];
}

void strata_record_own(enum strata_hv_own_event id, const void *data, unsigned int bytes)
{
	assert_int_equal((uint32_t)id, (uint32_t)STRATA_HV_PCPU_SKEW);
	assert_int_equal(bytes, sizeof(told[0]));
	assert_in_range(nr_told, 0, 99);
	memcpy(&told[nr_told++], data, bytes);
}

static int begin(void **state)
{
	(void)state;
	progress.under_way = false;
	for (unsigned int cpu = 0; cpu < SHIM_CPUS; cpu++)
		strata_forget_skew(cpu);
	shim_cpu = 0;
	shim_online_cpus = 3;
	cpu_khz = 1000000000; /* a slice takes as long as a thread needs to start */
	other_work_waits = false;
	is_destroyed = false;
	nr_told = slices = 0;
	return 0;
}

static int end(void **state)
{
	(void)state;
	shim_online_cpus = 2;
	return 0;
}

static void each_peer_is_measured_against_the_caller(void **state)
{
	(void)state;
	shim_cpu = 1;
	assert_false(strata_record_skew());
	assert_int_equal(strata_measure_skew(ONE_CHANNEL), 0);
	assert_int_equal(nr_told, 2);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(told[i].pcpu, i ? 2 : 0);
		assert_int_equal(told[i].reference, 1);
		assert_int_equal(told[i].exchanges, EXCHANGES);
		/* It is one clock that both read. */
		assert_true(told[i].min_ticks <= 0 && told[i].max_ticks >= 0);
	}
	/* It is recorded again as it is. */
	assert_true(strata_record_skew());
	assert_int_equal(nr_told, 4);
	assert_memory_equal(&told[2], &told[0], 2 * sizeof(told[0]));
}

static void a_cpu_that_was_added_wants_a_measurement(void **state)
{
	(void)state;
	assert_int_equal(strata_measure_skew(ONE_CHANNEL), 0);
	strata_forget_skew(2);
	nr_told = 0;
	assert_false(strata_record_skew());
	assert_int_equal(nr_told, 0);
	assert_int_equal(strata_measure_skew(ONE_CHANNEL), 0);
	assert_true(strata_record_skew());
	/* The reference itself, too. */
	strata_forget_skew(0);
	assert_false(strata_record_skew());
}

static void a_measurement_yields_after_each_slice_and_goes_on(void **state)
{
	unsigned int calls = 1;

	(void)state;
	other_work_waits = true;
	while (strata_measure_skew(ONE_CHANNEL) == -ERESTART)
		calls++;
	assert_int_equal(calls, slices + 1);
	assert_int_equal(nr_told, 2);
}

static void a_caller_that_moved_begins_again(void **state)
{
	(void)state;
	other_work_waits = true;
	while (!nr_told)
		assert_int_equal(strata_measure_skew(ONE_CHANNEL), -ERESTART);
	assert_int_equal(told[0].reference, 0);
	shim_cpu = 2;
	while (strata_measure_skew(ONE_CHANNEL) == -ERESTART)
		;
	assert_int_equal(nr_told, 3);
	assert_int_equal(told[1].reference, 2);
	assert_int_equal(told[1].pcpu, 0);
	assert_int_equal(told[2].reference, 2);
	assert_int_equal(told[2].pcpu, 1);
	nr_told = 0;
	assert_true(strata_record_skew());
	assert_int_equal(nr_told, 2);
}

static void of_two_channels_one_waits_for_the_other(void **state)
{
	unsigned int before;

	(void)state;
	other_work_waits = true;
	while (!nr_told)
		assert_int_equal(strata_measure_skew(ONE_CHANNEL), -ERESTART);
	before = slices;
	/* From another CPU, which would be another reference. */
	shim_cpu = 2;
	for (unsigned int i = 0; i < 10; i++)
		assert_int_equal(strata_measure_skew(ANOTHER), -ERESTART);
	assert_int_equal(slices, before);
	shim_cpu = 0;
	while (strata_measure_skew(ONE_CHANNEL) == -ERESTART)
		;
	assert_int_equal(nr_told, 2);
	shim_cpu = 2;
	while (strata_measure_skew(ANOTHER) == -ERESTART)
		;
	assert_int_equal(nr_told, 4);
	assert_int_equal(told[1].reference, 0);
	assert_int_equal(told[2].reference, 2);
	assert_int_equal(told[3].reference, 2);
}

static void nobody_waits_for_a_channel_that_was_destroyed(void **state)
{
	(void)state;
	other_work_waits = true;
	while (!nr_told)
		assert_int_equal(strata_measure_skew(ONE_CHANNEL), -ERESTART);
	is_destroyed = true;
	nr_told = slices = 0;
	while (strata_measure_skew(ANOTHER) == -ERESTART)
		assert_in_range(slices, 1, 2 * SLICES_MAX);
	assert_int_equal(nr_told, 2);
	assert_true(strata_record_skew());
}

#define SKEW_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SKEW_TEST(each_peer_is_measured_against_the_caller),
		SKEW_TEST(a_cpu_that_was_added_wants_a_measurement),
		SKEW_TEST(a_measurement_yields_after_each_slice_and_goes_on),
		SKEW_TEST(a_caller_that_moved_begins_again),
		SKEW_TEST(of_two_channels_one_waits_for_the_other),
		SKEW_TEST(nobody_waits_for_a_channel_that_was_destroyed),
	};

	return cmocka_run_group_tests_name("skew_xen", tests, NULL, NULL);
}
