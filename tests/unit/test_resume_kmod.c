// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_resume_kmod.c - the module's flush before a suspend, while NMIs record: on the CPU that
 * suspends, and on another one, which waits with its interrupts off.
 *
 * The NMI comes before and after each operation of the flush.  On the other CPU it also comes
 * within each operation: local operations are not atomic there, so whoever touches that CPU's ring
 * loses its records.  A lab cannot place an NMI so: the flush takes microseconds of a suspend.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/shim.h>

/* Kernel code does not keep to these. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include "interruptible_platform.h"

/* Called within a local operation, between load and store. */
static void other_cpu_point(void);

static unsigned long unlocked_cmpxchg(unsigned long *p, unsigned long old, unsigned long new_value)
{
	const unsigned long found = *p;

	if (found == old) {
		other_cpu_point();
		*p = new_value;
	}
	return found;
}

static uint64_t unlocked_cmpxchg64(uint64_t *p, uint64_t old, uint64_t new_value)
{
	const uint64_t found = *p;

	if (found == old) {
		other_cpu_point();
		*p = new_value;
	}
	return found;
}

static unsigned long unlocked_add_return(unsigned long *p, unsigned long n)
{
	const unsigned long found = *p;

	other_cpu_point();
	return *p = found + n;
}

#undef strata_local_cmpxchg
#undef strata_local_cmpxchg64
#undef strata_local_add_return
#define strata_local_cmpxchg(p, old, new_value) INTERRUPTIBLE(unlocked_cmpxchg(p, old, new_value))
#define strata_local_cmpxchg64(p, old, new_value) \
	INTERRUPTIBLE(unlocked_cmpxchg64(p, old, new_value))
#define strata_local_add_return(p, n) INTERRUPTIBLE(unlocked_add_return(p, n))

#include "record_audit.h"

#include <strata/abi/guest.h>

/* What resume.c needs of a kernel of two CPUs. */
#define CPUS 2u

typedef uint32_t u32;
typedef uint64_t u64;
typedef uint32_t grant_ref_t;

#define xchg(place, value)  __atomic_exchange_n(place, value, __ATOMIC_SEQ_CST)
#define this_cpu_read(name) (name)
#define per_cpu(name, cpu)  (rings_of_cpu[cpu])
#define strata_cpu_rings    (rings_of_cpu[cpu_now])
#define pr_info(...)        ((void)0)
#define get_random_u64()    (++nonces)

struct syscore_ops {
	int (*suspend)(void);
	void (*resume)(void);
};

static struct syscore_ops *registered;
static u64 nonces;

static void register_syscore_ops(struct syscore_ops *ops)
{
	registered = ops;
}

static void unregister_syscore_ops(struct syscore_ops *ops)
{
	assert_ptr_equal(ops, registered);
	registered = NULL;
}

/* The rest of the module, in place of its headers. */
#define STRATA_KMOD_BUFFERS_H
#define STRATA_KMOD_CHANNELS_H
#define STRATA_KMOD_NOTIFY_H
#define STRATA_KMOD_PUBLISH_H

static struct {
	struct strata_ring *ring[STRATA_GUEST_CHANNELS_MAX];
} rings_of_cpu[CPUS];

static unsigned int cpu_now, nr_renewed, nr_published;
static struct strata_guest_root root;
static bool survived;
static int renewed_port, published_port;

static bool strata_notify_survived(void)
{
	return survived;
}

static int strata_notify_renew(void)
{
	return renewed_port;
}

static void strata_channels_renew(void)
{
	nr_renewed++;
}

static struct strata_guest_root *strata_channel_root(unsigned int channel)
{
	assert_int_equal(channel, 0);
	return &root;
}

static grant_ref_t strata_channel_root_ref(unsigned int channel)
{
	return 8;
}

static int strata_publish(unsigned int channel, grant_ref_t ref, int port, u64 nonce)
{
	assert_int_equal(channel, 0);
	assert_int_equal(ref, 8);
	assert_int_equal(nonce, root.nonce);
	nr_published++;
	published_port = port;
	return 0;
}

#include "../../guest-kmod/resume.c"

static const struct strata_ring_geometry small = { 12, 2 };

/* The channels that have rings; the others are absent. */
enum { FIRST, LAST = STRATA_GUEST_CHANNELS_MAX - 1 };

/* By CPU, of channel FIRST.  CPU 0 suspends. */
static struct ring_fixture fixtures[CPUS], last_fixture;
static struct record_audit audits[CPUS];
static uint64_t clock_now;

/* An NMI of a CPU, once, at a point of the flush. */
static struct {
	unsigned int cpu, at, passed;
	bool is_planned, came;
} nmi;

static void nmi_comes(void)
{
	nmi.came = true;
	audited_write(&audits[nmi.cpu], fixtures[nmi.cpu].ring, 1, 2);
}

static void pass_point(void)
{
	if (nmi.is_planned && !nmi.came && nmi.passed++ == nmi.at)
		nmi_comes();
}

static void interruption_point(void)
{
	pass_point();
}

static void other_cpu_point(void)
{
	if (nmi.cpu != cpu_now)
		pass_point();
}

static uint64_t clock_shows(void)
{
	return clock_now++;
}

static void make_rings(void)
{
	unsigned int cpu;

	clock_now = 1000;
	for (cpu = 0; cpu < CPUS; cpu++) {
		ring_fixture_reset(&fixtures[cpu], small, 0);
		audit_reset(&audits[cpu], fixtures[cpu].ring);
		audits[cpu].clock_steps_back = true;
		rings_of_cpu[cpu].ring[FIRST] = fixtures[cpu].ring;
	}
	ring_fixture_reset(&last_fixture, small, 0);
	rings_of_cpu[0].ring[LAST] = last_fixture.ring;
}

/* One suspend.  The other CPU's NMI is between reserve and commit when it begins. */
static void suspend_with_nmi(unsigned int cpu, unsigned int at)
{
	struct strata_slot slot;

	make_rings();
	audited_write(&audits[0], fixtures[0].ring, 0, 2);
	audited_write(&audits[1], fixtures[1].ring, 0, 2);
	assert_true(audited_reserve(&audits[1], fixtures[1].ring, 0, 2, &slot));
	memset(&nmi, 0, sizeof(nmi));
	nmi.cpu = cpu;
	nmi.at = at;
	nmi.is_planned = true;
	assert_int_equal(registered->suspend(), 0);
	nmi.is_planned = false;
	strata_ring_commit(fixtures[1].ring, &slot);
	/* What was recorded before is ready without another flush. */
	audit_drain(&audits[0], &fixtures[0].reader);
	if (audits[0].found[0][0] != 1)
		audit_complain(&audits[0], "the record before the suspend is not ready");
}

static void no_record_is_lost_wherever_the_nmi_comes(unsigned int cpu)
{
	unsigned int at, i;

	for (at = 0;; at++) {
		suspend_with_nmi(cpu, at);
		for (i = 0; i < CPUS; i++) {
			audit_balance(&audits[i], &fixtures[i]);
			if (audits[i].errors)
				fail_msg("NMI of CPU %u at point %u: ring of CPU %u: %s", cpu, at,
					 i, audits[i].first_error);
		}
		if (!nmi.came)
			break;
	}
	assert_in_range(at, 8, 1000);
}

static void an_nmi_of_the_cpu_that_suspends_loses_nothing(void **state)
{
	(void)state;
	no_record_is_lost_wherever_the_nmi_comes(0);
}

static void an_nmi_of_another_cpu_loses_nothing(void **state)
{
	(void)state;
	no_record_is_lost_wherever_the_nmi_comes(1);
}

static void each_channel_of_this_cpu_is_flushed_and_none_of_another(void **state)
{
	strata_count_t other;
	struct strata_slot slot;

	(void)state;
	make_rings();
	audited_write(&audits[0], fixtures[0].ring, 0, 2);
	audited_write(&audits[1], fixtures[1].ring, 0, 2);
	assert_true(strata_ring_reserve(last_fixture.ring, 0, 8, &slot));
	strata_ring_commit(last_fixture.ring, &slot);
	other = fixtures[1].ring->write_count;
	assert_int_equal(registered->suspend(), 0);
	assert_true(strata_reader_get(&fixtures[0].reader));
	strata_reader_put(&fixtures[0].reader);
	assert_true(strata_reader_get(&last_fixture.reader));
	strata_reader_put(&last_fixture.reader);
	assert_false(strata_reader_get(&fixtures[1].reader));
	assert_true(fixtures[1].ring->write_count == other);
}

static void only_a_restored_domain_announces_its_rings_again(void **state)
{
	(void)state;
	/* Given a suspend that is cancelled, nothing is granted again. */
	survived = true;
	registered->resume();
	assert_int_equal(nr_renewed, 0);
	assert_false(strata_resume_needed());
	/* When the domain is another one, all is granted again, under another nonce, once. */
	survived = false;
	renewed_port = 7;
	registered->resume();
	assert_int_equal(nr_renewed, 1);
	assert_int_equal(root.nonce, 1);
	assert_true(strata_resume_needed());
	assert_false(strata_resume_needed());
	strata_resume_publish();
	assert_int_equal(published_port, 7);
	/* Without an event channel the rings are polled. */
	renewed_port = -ENOSPC;
	registered->resume();
	assert_true(strata_resume_needed());
	strata_resume_publish();
	assert_int_equal(nr_published, 2);
	assert_int_equal(published_port, 0);
}

static int open_rings(void **state)
{
	unsigned int cpu;

	(void)state;
	for (cpu = 0; cpu < CPUS; cpu++) {
		ring_fixture_open(&fixtures[cpu], small, 0);
		audit_open(&audits[cpu], fixtures[cpu].ring, 64);
	}
	ring_fixture_open(&last_fixture, small, 0);
	strata_resume_open();
	return 0;
}

static int close_rings(void **state)
{
	unsigned int cpu;

	(void)state;
	strata_resume_close();
	assert_null(registered);
	for (cpu = 0; cpu < CPUS; cpu++) {
		audit_close(&audits[cpu]);
		ring_fixture_close(&fixtures[cpu]);
	}
	ring_fixture_close(&last_fixture);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_nmi_of_the_cpu_that_suspends_loses_nothing),
		cmocka_unit_test(an_nmi_of_another_cpu_loses_nothing),
		cmocka_unit_test(each_channel_of_this_cpu_is_flushed_and_none_of_another),
		cmocka_unit_test(only_a_restored_domain_announces_its_rings_again),
	};

	return cmocka_run_group_tests_name("resume_kmod", tests, open_rings, close_rings);
}
