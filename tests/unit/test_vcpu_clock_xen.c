// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_vcpu_clock_xen.c - which changes of a vCPU's clock map are recorded: the
 * hypervisor's own file, with a guest that changes its map all the time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <xen/lib.h>

#include <strata/platform/platform.h>

/* The file's clock is the test's. */
static uint64_t test_ticks;

#define strata_clock() test_ticks

/* The file itself; Xen compiles it with fewer warnings than we do. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include "../../xen-patch/src/common/strata/vcpu_clock.c"
#pragma GCC diagnostic pop

#define PER_WINDOW STRATA_HV_VCPU_CLOCKS_PER_WINDOW
#define WINDOW     (1000ull * STRATA_HV_BUDGET_WINDOW_MS)

/* The channels that are started; all get every record. */
#define STARTED 0x11u

struct strata_set *strata_set;
struct strata_cpu strata_cpus[NR_CPUS];

static struct domain dom0, guest;
static struct vcpu vcpus[2], dom0_vcpu;
static struct vcpu *guest_vcpus[] = { &vcpus[0], &vcpus[1] }, *dom0_vcpus[] = { &dom0_vcpu };
static struct pl_time platform_time;
static struct strata_hv_vcpu_clock told[1000];
static unsigned int nr_told, charged;

void strata_write_own(unsigned int channels, enum strata_hv_own_event id, const void *data,
		      unsigned int bytes)
{
	assert_int_equal(channels, STARTED);
	assert_int_equal((uint32_t)id, (uint32_t)STRATA_HV_VCPU_CLOCK);
	assert_int_equal(bytes, sizeof(told[0]));
	assert_in_range(nr_told, 0, 999);
	memcpy(&told[nr_told++], data, bytes);
}

unsigned int strata_probe_begin(void)
{
	return STARTED;
}

void strata_probe_end(void)
{
}

/* The budgets themselves are another test's. */
void strata_budget_charge(unsigned int channels, struct strata_domain *mine)
{
	assert_int_equal(channels, STARTED);
	assert_ptr_equal(mine, guest.strata);
	charged++;
}

static int begin(void **state)
{
	(void)state;
	dom0 = (struct domain){ .is_privileged = true, .creation_finished = true };
	guest = (struct domain){ .domain_id = 5, .creation_finished = true };
	dom0.next_in_list = &guest;
	guest.max_vcpus = 2;
	guest.vcpu = guest_vcpus;
	dom0.max_vcpus = 1;
	dom0.vcpu = dom0_vcpus;
	guest.arch.hvm.pl_time = dom0.arch.hvm.pl_time = &platform_time;
	vcpus[0] = (struct vcpu){ .domain = &guest, .vcpu_id = 0 };
	vcpus[1] = (struct vcpu){ .domain = &guest, .vcpu_id = 1 };
	dom0_vcpu = (struct vcpu){ .domain = &dom0 };
	guest.strata = aligned_alloc_zeroed(offsetof(struct strata_domain, budget[0]));
	assert_true(strata_vcpu_maps_make(guest.strata, &guest));
	shim_domains = &dom0;
	cpu_khz = 1000;
	test_ticks = 1000000;
	due = 0;
	nr_told = charged = 0;
	return 0;
}

static int end(void **state)
{
	(void)state;
	if (guest.strata) {
		strata_vcpu_maps_free(guest.strata);
		xfree(guest.strata);
	}
	return 0;
}

static void set_offset(struct vcpu *v, uint64_t offset)
{
	v->arch.hvm.cache_tsc_offset = offset;
	strata_vcpu_clock_changed(v);
}

static void a_map_that_did_not_change_is_not_recorded_again(void **state)
{
	(void)state;
	set_offset(&vcpus[0], 7);
	assert_int_equal(nr_told, 1);
	for (int i = 0; i < 100; i++)
		set_offset(&vcpus[0], 7);
	assert_int_equal(nr_told, 1);
	assert_int_equal(told[0].offset, 7);
	assert_int_equal(told[0].incomplete, 0);
	/* Whoever asks gets it all the same. */
	strata_vcpu_clock_state(&vcpus[0]);
	assert_int_equal(nr_told, 2);
}

static void what_is_beyond_a_window_is_marked_and_counted(void **state)
{
	(void)state;
	for (unsigned int i = 1; i <= 500; i++)
		set_offset(&vcpus[0], i);
	assert_int_equal(nr_told, PER_WINDOW + 1);
	for (unsigned int i = 0; i < PER_WINDOW; i++)
		assert_int_equal(told[i].incomplete, 0);
	assert_int_equal(told[PER_WINDOW].incomplete, 1);
	assert_int_equal(told[PER_WINDOW].offset, PER_WINDOW + 1);
	/* The other vCPU has tokens of its own. */
	set_offset(&vcpus[1], 9);
	assert_int_equal(nr_told, PER_WINDOW + 2);
	assert_int_equal(told[nr_told - 1].vcpu, 1);
	assert_int_equal(told[nr_told - 1].incomplete, 0);
}

static void the_newest_map_is_recorded_in_the_next_window(void **state)
{
	unsigned int before;

	(void)state;
	for (unsigned int i = 1; i <= 500; i++)
		set_offset(&vcpus[0], i);
	before = nr_told;
	strata_vcpu_clocks_late(false);
	assert_int_equal(nr_told, before);
	test_ticks += WINDOW;
	strata_vcpu_clocks_late(false);
	assert_int_equal(nr_told, before + 1);
	assert_int_equal(told[before].offset, 500);
	assert_int_equal(told[before].incomplete, 0);
	assert_int_equal(told[before].suppressed, 500 - PER_WINDOW - 1);
	/* And once. */
	test_ticks += WINDOW;
	strata_vcpu_clocks_late(false);
	strata_vcpu_clocks_late(true);
	assert_int_equal(nr_told, before + 1);
}

static void stop_does_not_wait_for_the_window(void **state)
{
	(void)state;
	for (unsigned int i = 1; i <= 500; i++)
		set_offset(&vcpus[0], i);
	strata_vcpu_clocks_late(true);
	assert_int_equal(told[nr_told - 1].offset, 500);
	assert_int_equal(told[nr_told - 1].incomplete, 0);
}

/* For a minute, with a change each 10 us and a CPU that comes by each ms. */
static void a_storm_is_bounded_for_as_long_as_it_lasts(void **state)
{
	unsigned int windows = 0;

	(void)state;
	for (uint64_t began = test_ticks; windows < 150; test_ticks += 10) {
		set_offset(&vcpus[0], test_ticks);
		if (test_ticks % 1000 == 0)
			strata_vcpu_clocks_late(false);
		if ((test_ticks - began) / WINDOW > windows)
			windows++;
	}
	assert_in_range(nr_told, windows, (windows + 1) * (PER_WINDOW + 1));
}

static void without_memory_nothing_but_what_was_asked_for_is_recorded(void **state)
{
	(void)state;
	end(NULL);
	guest.strata = NULL;
	for (unsigned int i = 1; i <= 500; i++)
		set_offset(&vcpus[0], i);
	assert_int_equal(nr_told, 0);
	strata_vcpu_clock_state(&vcpus[0]);
	assert_int_equal(nr_told, 1);
	assert_int_equal(told[0].offset, 500);
	assert_int_equal(told[0].incomplete, 1);
	/* dom0 has no bound, and so nothing is kept of it. */
	set_offset(&dom0_vcpu, 3);
	assert_int_equal(nr_told, 2);
	assert_int_equal(told[1].incomplete, 0);
}

static void changed_maps_take_from_the_domains_budget(void **state)
{
	(void)state;
	for (unsigned int i = 1; i <= 500; i++)
		set_offset(&vcpus[0], i);
	assert_int_equal(nr_told, PER_WINDOW + 1);
	assert_int_equal(charged, PER_WINDOW + 1);
	/* The guest does not pay for what START and FLUSH ask. */
	strata_vcpu_clock_state(&vcpus[0]);
	assert_int_equal(nr_told, PER_WINDOW + 2);
	assert_int_equal(charged, PER_WINDOW + 1);
}

#define CLOCK_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLOCK_TEST(a_map_that_did_not_change_is_not_recorded_again),
		CLOCK_TEST(what_is_beyond_a_window_is_marked_and_counted),
		CLOCK_TEST(the_newest_map_is_recorded_in_the_next_window),
		CLOCK_TEST(stop_does_not_wait_for_the_window),
		CLOCK_TEST(a_storm_is_bounded_for_as_long_as_it_lasts),
		CLOCK_TEST(without_memory_nothing_but_what_was_asked_for_is_recorded),
		CLOCK_TEST(changed_maps_take_from_the_domains_budget),
	};

	return cmocka_run_group_tests_name("vcpu_clock_xen", tests, NULL, NULL);
}
