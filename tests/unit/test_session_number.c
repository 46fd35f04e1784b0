// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_session_number.c - which number and which channel of the hypervisor a recorder gets, and
 * what becomes of the rings that dead recorders left.  The hypervisor is eight channels of the
 * test's, the kernels are counters, /run is the test's own: so it runs as root.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <xenforeignmemory.h>

#include "consumerd/host/recorder_number.h"
#include "consumerd/xen/strata_sysctl.h"
#include "stratad/session.h"

#include "own_run.h"

static const struct strata_ring_geometry size = { .subbuf_bits = 16, .nr_subbufs_bits = 3 };
static struct strata_hv_op channels[STRATA_HV_CHANNELS]; /* as QUERY describes them */
static unsigned int destroyed[STRATA_HV_CHANNELS];
static struct strata_error failure;

/* The hypervisor --------------------------------------------------------------------------- */

enum hypervisor_support strata_sysctl_open(struct strata_sysctl *sysctl, struct strata_error *error)
{
	(void)sysctl;
	(void)error;
	return HYPERVISOR_OK;
}

void strata_sysctl_close(struct strata_sysctl *sysctl)
{
	(void)sysctl;
}

int strata_sysctl_call(struct strata_sysctl *sysctl, struct strata_hv_op *op)
{
	(void)sysctl;
	assert_in_range(op->channel, 0, STRATA_HV_CHANNELS - 1);
	if (op->operation == STRATA_HV_QUERY) {
		op->u = channels[op->channel].u;
		return 0;
	}
	/* Rings that exist are another's; for new ones there is no memory. */
	if (op->operation == STRATA_HV_CREATE) {
		const bool exist = channels[op->channel].u.query.owner[0];

		memcpy(op->u.create.owner, channels[op->channel].u.query.owner,
		       sizeof(op->u.create.owner));
		errno = exist ? EBUSY : ENOMEM;
		return -1;
	}
	assert_int_equal(op->operation, STRATA_HV_DESTROY);
	assert_true(channels[op->channel].u.query.owner[0]);
	channels[op->channel] = (struct strata_hv_op){ 0 };
	destroyed[op->channel]++;
	return 0;
}

static int memory;

xenforeignmemory_handle *xenforeignmemory_open(struct xentoollog_logger *logger, unsigned int flags)
{
	(void)logger;
	(void)flags;
	return (xenforeignmemory_handle *)&memory;
}

int xenforeignmemory_close(xenforeignmemory_handle *handle)
{
	assert_ptr_equal(handle, &memory);
	return 0;
}

/* The kernels ------------------------------------------------------------------------------ */

static unsigned int freed[RECORDERS_MAX];

int participants_free_left(const struct participants *kernels, uint32_t number, const char *owner,
			   struct strata_error *error)
{
	(void)kernels;
	(void)error;
	assert_true(owner[0]);
	assert_in_range(number, 0, RECORDERS_MAX - 1);
	freed[number]++;
	return 0;
}

static void leave(unsigned int channel, uint32_t state, uint32_t flags)
{
	struct strata_hv_op *op = &channels[channel];

	op->u.query.state = state;
	op->u.query.flags = flags;
	op->u.query.subbuf_bits = size.subbuf_bits;
	op->u.query.nr_subbufs_bits = size.nr_subbufs_bits;
	memcpy(op->u.query.owner, "dead", 5);
}

/* A recorder ------------------------------------------------------------------------------- */

struct test_recorder {
	struct session session;
	struct record_options options;
	struct xen_selection xen;
};

/* Starts one whose options are set. */
static void start_with(struct test_recorder *recorder)
{
	recorder->options.xen = &recorder->xen;
	recorder->session.options = &recorder->options;
	assert_int_equal(hypervisor_open(&recorder->session.hypervisor, &failure), HYPERVISOR_OK);
	if (session_take_number(&recorder->session, &failure))
		fail_msg("%s", failure.text);
}

static void start_of_size(struct test_recorder *recorder, bool flight, bool xen,
			  struct strata_ring_geometry geometry)
{
	*recorder = (struct test_recorder){
		.options = { .overwrite = flight, .xen_geometry = geometry },
		.xen.nr = xen,
	};
	start_with(recorder);
}

static void start(struct test_recorder *recorder, bool flight)
{
	start_of_size(recorder, flight, true, size);
}

/* As the kernel does when the process dies: its rings stay. */
static void die(struct test_recorder *recorder)
{
	close(recorder->session.lock);
	hypervisor_close(recorder->session.hypervisor);
}

static int begin(void **state)
{
	(void)state;
	memset(channels, 0, sizeof(channels));
	memset(destroyed, 0, sizeof(destroyed));
	return mount_own_run();
}

static unsigned int destroyed_in_all(void)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < STRATA_HV_CHANNELS; i++)
		nr += destroyed[i];
	return nr;
}

/* The tests -------------------------------------------------------------------------------- */

static void a_flight_recorder_continues_where_one_of_its_size_died(void **state)
{
	struct strata_ring_geometry larger = size;
	struct test_recorder recorder, other;

	(void)state;
	larger.subbuf_bits++;
	leave(2, STRATA_HV_STARTED, STRATA_HV_OVERWRITE);
	leave(5, STRATA_HV_STARTED, STRATA_HV_OVERWRITE);
	start_of_size(&other, true, true, larger);
	assert_int_equal(other.session.number, 0);
	start(&recorder, true);
	assert_int_equal(recorder.session.number, 2);
	die(&recorder);
	/* A living one is left alone. */
	start(&recorder, true);
	die(&other);
	start(&other, true);
	assert_int_equal(other.session.number, 5);
	assert_int_equal(destroyed_in_all(), 0);
	die(&recorder);
	die(&other);
}

/* Its events may be another user's: root's, whose probes read all memory. */
static void one_that_begins_empty_leaves_a_dead_one_alone(void **state)
{
	struct test_recorder recorder = {
		.options = { .overwrite = true, .begins_empty = true, .xen_geometry = size },
		.xen.nr = true,
	};

	(void)state;
	leave(0, STRATA_HV_STARTED, STRATA_HV_OVERWRITE);
	leave(2, STRATA_HV_STARTED, STRATA_HV_OVERWRITE);
	memset(freed, 0, sizeof(freed));
	start_with(&recorder);
	assert_int_equal(recorder.session.number, 1);
	assert_int_equal(destroyed_in_all(), 0);
	/* Kernels may go on with what was selected before. */
	assert_int_equal(freed[1], 1);
	die(&recorder);
}

/* In the last number that is free, its rings are freed. */
static void one_that_begins_empty_takes_over_no_rings(void **state)
{
	struct hypervisor *hypervisor;

	(void)state;
	leave(0, STRATA_HV_STARTED, STRATA_HV_OVERWRITE);
	assert_int_equal(hypervisor_open(&hypervisor, &failure), HYPERVISOR_OK);
	hypervisor_use_channel(hypervisor, 0);
	assert_int_equal(hypervisor_create(hypervisor, size, true, false, "new", &failure), -1);
	assert_int_equal(destroyed[0], 1);
	hypervisor_close(hypervisor);
}

static void one_that_continues_keeps_the_rings(void **state)
{
	struct hypervisor *hypervisor;

	(void)state;
	leave(0, STRATA_HV_STARTED, STRATA_HV_OVERWRITE);
	assert_int_equal(hypervisor_open(&hypervisor, &failure), HYPERVISOR_OK);
	hypervisor_use_channel(hypervisor, 0);
	/* It gets as far as the number of CPUs, which the test's hypervisor has none of. */
	assert_int_equal(hypervisor_create(hypervisor, size, true, true, "new", &failure), -1);
	assert_non_null(strstr(failure.text, "it has 0 CPUs"));
	assert_int_equal(destroyed_in_all(), 0);
	hypervisor_close(hypervisor);
}

static void a_dead_flight_recorder_is_taken_last(void **state)
{
	struct test_recorder recorders[RECORDERS_MAX];

	(void)state;
	leave(0, STRATA_HV_STARTED, STRATA_HV_OVERWRITE);
	for (unsigned int i = 0; i < RECORDERS_MAX; i++) {
		start(&recorders[i], false);
		assert_int_equal(recorders[i].session.number, (i + 1) % RECORDERS_MAX);
	}
	assert_int_equal(destroyed_in_all(), 0);
	for (unsigned int i = 0; i < RECORDERS_MAX; i++)
		die(&recorders[i]);
}

/* The hypervisor's channel of such a recorder is IDLE: its lock alone tells that it died. */
static void a_flight_recorder_of_kernels_continues_where_one_died(void **state)
{
	struct test_recorder living, flight, recorder;

	(void)state;
	start(&living, false);
	start_of_size(&flight, true, false, size);
	assert_int_equal(flight.session.number, 1);
	die(&living);
	die(&flight);
	start(&recorder, false);
	assert_int_equal(recorder.session.number, 0);
	die(&recorder);
	start_of_size(&recorder, true, false, size);
	assert_int_equal(recorder.session.number, 1);
	die(&recorder);
}

static void a_dead_flight_recorder_of_kernels_is_left_to_the_next_one(void **state)
{
	struct test_recorder flight, recorder;

	(void)state;
	start_of_size(&flight, true, false, size);
	assert_int_equal(flight.session.number, 0);
	die(&flight);
	start(&recorder, false);
	assert_int_equal(recorder.session.number, 1);
	die(&recorder);
}

static void rings_of_dead_recorders_are_freed_and_no_others(void **state)
{
	struct test_recorder living, recorder;

	(void)state;
	start(&living, false);
	leave(0, STRATA_HV_STARTED, 0);
	leave(3, STRATA_HV_STARTED, 0);
	leave(4, STRATA_HV_STOPPED, 0);
	leave(5, STRATA_HV_STARTED, STRATA_HV_OVERWRITE);
	leave(6, STRATA_HV_IDLE, 0); /* it died in CREATE */
	start(&recorder, false);
	assert_int_equal(recorder.session.number, 1);
	assert_int_equal(destroyed[3] + destroyed[4] + destroyed[6], 3);
	assert_int_equal(destroyed_in_all(), 3);
	/* Nothing is left of the locks. */
	for (unsigned int i = 2; i < RECORDERS_MAX; i++) {
		int lock = recorder_number_take_dead(i, &failure);

		assert_true(lock >= 0);
		close(lock);
	}
	die(&living);
	die(&recorder);
}

/* It makes no rings there, so that nothing else frees them. */
static void a_recorder_without_the_hypervisor_frees_what_its_number_left(void **state)
{
	struct test_recorder recorder;

	(void)state;
	leave(0, STRATA_HV_STARTED, 0);
	start_of_size(&recorder, false, false, size);
	assert_int_equal(recorder.session.number, 0);
	assert_int_equal(destroyed[0], 1);
	/* And keeps its own lock. */
	assert_true(recorder_number_take_dead(0, &failure) < 0);
	die(&recorder);
}

static void kernels_are_told_who_died_and_nobody_else(void **state)
{
	struct test_recorder living, flight, second, third, recorder;

	(void)state;
	start(&living, false);
	start(&second, false);
	start(&third, false);
	start(&flight, true);
	die(&second);
	die(&third);
	die(&flight);
	memset(freed, 0, sizeof(freed));
	start(&recorder, false);
	assert_int_equal(recorder.session.number, 1);
	/* Its own number, too: it may record none of those kernels. */
	assert_int_equal(freed[1], 1);
	assert_int_equal(freed[2], 1);
	assert_int_equal(freed[0] + freed[3], 0);
	die(&living);
	die(&recorder);
}

#define NUMBER_TEST(name) cmocka_unit_test_setup_teardown(name, begin, unmount_own_run)

int main(void)
{
	const struct CMUnitTest tests[] = {
		NUMBER_TEST(a_flight_recorder_continues_where_one_of_its_size_died),
		NUMBER_TEST(one_that_begins_empty_leaves_a_dead_one_alone),
		NUMBER_TEST(one_that_begins_empty_takes_over_no_rings),
		NUMBER_TEST(one_that_continues_keeps_the_rings),
		NUMBER_TEST(a_dead_flight_recorder_is_taken_last),
		NUMBER_TEST(a_flight_recorder_of_kernels_continues_where_one_died),
		NUMBER_TEST(a_dead_flight_recorder_of_kernels_is_left_to_the_next_one),
		NUMBER_TEST(rings_of_dead_recorders_are_freed_and_no_others),
		NUMBER_TEST(a_recorder_without_the_hypervisor_frees_what_its_number_left),
		NUMBER_TEST(kernels_are_told_who_died_and_nobody_else),
	};

	return cmocka_run_group_tests_name("session_number", tests, own_mounts, NULL);
}
