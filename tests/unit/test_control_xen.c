// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_control_xen.c - the hypervisor's operations give way to other work and go on from there, and
 * refuse what their ABI does not offer: the hypervisor's own files, on a host on which other work
 * always waits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <xen/lib.h>

/* The little of Xen that the file stands on. */
#define ERESTART 85
#define __init
#define __initcall(function) static int (*initcall_of_##function)(void) = (function)
#define cf_check
#define CPU_UP_PREPARE             1
#define CPU_ONLINE                 4
#define CPU_DEAD                   7
#define XENLOG_WARNING             ""
#define NOTIFY_DONE                0
#define ASSERT(x)                  assert_true(x)
#define _TB_STRATA                 1
#define VIRQ_STRATA                STRATA_HV_VIRQ
#define min_t(type, a, b)          ((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define set_bit(nr, word)          (*(word) |= 1 << (nr))
#define clear_bit(nr, word)        (*(word) &= ~(1 << (nr)))
#define for_each_present_cpu(cpu)  for ((cpu) = 0; (cpu) < present_cpus; (cpu)++)
#define for_each_online_cpu(cpu)   for ((cpu) = 0; (cpu) < 2; (cpu)++)
#define cpu_online(cpu)            ((cpu) < 2)
#define num_present_cpus()         present_cpus
#define avail_domheap_pages()      free_pages
#define mfn_x(frame)               ((frame).mfn)
#define register_cpu_notifier(nfb) (notifiers[nr_notifiers++] = (nfb))
#define process_pending_softirqs() (softirqs++)
#define printk(...)                (complaints++)

typedef struct {
	int value;
} atomic_t;

#define atomic_set(counter, to) ((counter)->value = (to))
#define atomic_read(counter)    ((counter)->value)
#define atomic_inc(counter)     ((counter)->value++)

struct notifier_block {
	int (*notifier_call)(struct notifier_block *nfb, unsigned long action, void *hcpu);
};

static struct notifier_block *notifiers[4];
static unsigned int nr_notifiers, present_cpus, softirqs, complaints;
static unsigned long free_pages;
static int cpu_online_map;
static struct vcpu idle_vcpus[3], *idle_vcpu[] = { &idle_vcpus[0], &idle_vcpus[1], &idle_vcpus[2] };
static bool maps_are_held, probes_are_busy, cpu_comes;
static unsigned int chances; /* to give way */

/* Another CPU may be present as soon as they are not held. */
static bool get_cpu_maps(void)
{
	if (maps_are_held)
		return false;
	present_cpus += cpu_comes;
	cpu_comes = false;
	return true;
}

static void put_cpu_maps(void)
{
}

static bool hypercall_preempt_check(void)
{
	chances++;
	return true;
}

static void on_selected_cpus(const int *mask, void (*function)(void *), void *info, int wait)
{
	(void)mask;
	(void)wait;
	function(info);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "../../xen-patch/src/common/strata/control.c"
#include "../../xen-patch/src/common/strata/gate.c"
#include "../../xen-patch/src/common/strata/reader.c"
#include "../../xen-patch/src/common/strata/rings.c"
#include "../../xen-patch/src/common/strata/select.c"
#pragma GCC diagnostic pop

#define VCPUS 5u

struct strata_selection *strata_selection;
struct strata_cpu_ring *strata_rings[NR_CPUS];
unsigned long strata_unringed;

static struct domain dom0, guest, other;
static struct vcpu all_vcpus[3][VCPUS], *lists[3][VCPUS];
static unsigned int seen[3][VCPUS], made[3], skews, told[2];
static unsigned int steps; /* until a ring is made or freed */
static int rings_there;    /* made, and not freed */
static bool memory_runs_out;
static unsigned int flushed_offline[NR_CPUS], idle_states, clocks;

static bool gate(void)
{
	return tb_init_done & TB_STRATA;
}

static unsigned int domain_number(const struct domain *d)
{
	return d == &dom0 ? 0 : d == &guest ? 1 : 2;
}

/* Other files' work, counted. */
void strata_vcpu_created(struct vcpu *v)
{
	assert_true(gate());
	seen[domain_number(v->domain)][v->vcpu_id]++;
}

void strata_domain_make(struct domain *d)
{
	assert_false(gate());
	made[domain_number(d)]++;
}

struct strata_cpu_ring *strata_ring_begin(struct strata_ring_geometry geo)
{
	(void)geo;
	steps = 3;
	rings_there++;
	return calloc(1, sizeof(struct strata_cpu_ring) + 4096);
}

int strata_ring_make(struct strata_cpu_ring *ring, unsigned int cpu,
		     struct strata_ring_geometry geo, bool overwrite)
{
	(void)ring;
	(void)cpu;
	(void)geo;
	(void)overwrite;
	if (--steps)
		return -ERESTART;
	return memory_runs_out ? -ENOMEM : 0;
}

int strata_ring_free(struct strata_cpu_ring *ring)
{
	static unsigned int turn;

	if (ring && ++turn % 3)
		return -ERESTART;
	rings_there -= ring != NULL;
	free(ring);
	return 0;
}

int strata_measure_skew(void)
{
	return ++skews % 4 ? -ERESTART : 0;
}

bool strata_record_skew(void)
{
	return true;
}

void strata_record_own(enum strata_hv_own_event id, const void *data, unsigned int bytes)
{
	(void)bytes;
	assert_int_equal((uint32_t)id, (uint32_t)STRATA_HV_SELECTION);
	told[((const struct strata_hv_selection *)data)->changed]++;
}

bool strata_probe_under_way(void)
{
	return probes_are_busy;
}

int strata_selection_change(struct strata_hv_op *op, struct strata_selection **old)
{
	if (op->u.select.flags & STRATA_HV_SELECT_APPLY) {
		*old = strata_selection;
		strata_selection = calloc(1, sizeof(*strata_selection));
	}
	return 0;
}

void strata_selection_free(void)
{
	free(strata_selection);
	strata_selection = NULL;
}

void strata_pcpu_clock(void)
{
	clocks++;
}
bool strata_flush_this_cpu(void)
{
	return true;
}
void strata_flush_offline_cpu(unsigned int cpu)
{
	flushed_offline[cpu]++;
}
void strata_set_switch_period(uint32_t ms)
{
	(void)ms;
}
void strata_vcpu_clocks_late(bool now)
{
	assert_true(now && gate());
}
void strata_domain_free_all(void)
{
}
void vcpu_runstate_trace(struct vcpu *v)
{
	idle_states += v == idle_vcpu[2];
}

/* Calls until it does not give way; how often it did goes to @gave_way. */
static int run(struct strata_hv_op *op, unsigned int *gave_way)
{
	int rc;

	op->abi_version = STRATA_HV_ABI_VERSION;
	for (*gave_way = 0; (rc = strata_sysctl(op)) == -ERESTART; ++*gave_way)
		assert_in_range(*gave_way, 0, 1000);
	return rc;
}

static int run_simple(uint32_t operation)
{
	struct strata_hv_op op = { .operation = operation };
	unsigned int gave_way;

	return run(&op, &gave_way);
}

static struct strata_hv_op create_op(void)
{
	struct strata_hv_op op = { .operation = STRATA_HV_CREATE };

	op.u.create.subbuf_bits = 16;
	op.u.create.nr_subbufs_bits = 3;
	memcpy(op.u.create.owner, "test", 5);
	return op;
}

static int begin(void **state)
{
	struct strata_hv_op op = create_op();
	struct domain *domains[] = { &dom0, &guest, &other };
	unsigned int i, j, gave_way;

	(void)state;
	dom0 = (struct domain){ .domain_id = 0, .next_in_list = &guest };
	guest = (struct domain){ .domain_id = 5, .next_in_list = &other };
	other = (struct domain){ .domain_id = 9 };
	for (i = 0; i < 3; i++) {
		domains[i]->max_vcpus = VCPUS;
		domains[i]->vcpu = lists[i];
		for (j = 0; j < VCPUS; j++) {
			all_vcpus[i][j] = (struct vcpu){ .domain = domains[i], .vcpu_id = j };
			lists[i][j] = &all_vcpus[i][j];
		}
	}
	shim_domains = &dom0;
	tb_init_done = 0;
	memset(seen, 0, sizeof(seen));
	memset(made, 0, sizeof(made));
	memset(told, 0, sizeof(told));
	memset(flushed_offline, 0, sizeof(flushed_offline));
	skews = softirqs = complaints = idle_states = 0;
	present_cpus = 2;
	free_pages = 1000000;
	maps_are_held = probes_are_busy = cpu_comes = memory_runs_out = false;
	assert_int_equal(run(&op, &gave_way), 0);
	assert_true(gave_way >= 4);
	return 0;
}

static int end(void **state)
{
	(void)state;
	assert_int_equal(run_simple(STRATA_HV_DESTROY), 0);
	assert_int_equal(rings_there, 0);
	return 0;
}

static void each_seen(unsigned int times)
{
	for (unsigned int i = 0; i < 3; i++)
		for (unsigned int j = 0; j < VCPUS; j++)
			assert_int_equal(seen[i][j], times);
}

static void start_gives_way_at_each_vcpu_and_tells_each_once(void **state)
{
	struct strata_hv_op op = { .operation = STRATA_HV_START };
	unsigned int gave_way;

	(void)state;
	assert_int_equal(run(&op, &gave_way), 0);
	assert_true(gate());
	each_seen(1);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(made[i], 1);
	/* Each domain, each vCPU and each slice of the skew was a chance. */
	assert_true(gave_way >= 3 + 3 * VCPUS + 3);
}

static void a_flush_tells_each_once_more_and_measures_nothing(void **state)
{
	unsigned int before;

	(void)state;
	assert_int_equal(run_simple(STRATA_HV_START), 0);
	before = skews;
	clocks = 0;
	assert_int_equal(run_simple(STRATA_HV_FLUSH), 0);
	assert_int_equal(clocks, 1);
	each_seen(2);
	assert_int_equal(skews, before);
}

static void a_domain_that_goes_while_it_gives_way_does_no_harm(void **state)
{
	struct strata_hv_op op = { .operation = STRATA_HV_START,
				   .abi_version = STRATA_HV_ABI_VERSION };

	(void)state;
	while (!seen[1][2])
		assert_int_equal(strata_sysctl(&op), -ERESTART);
	dom0.next_in_list = &other;
	while (strata_sysctl(&op) == -ERESTART)
		;
	assert_int_equal(seen[1][VCPUS - 1], 0);
	for (unsigned int j = 0; j < VCPUS; j++)
		assert_int_equal(seen[2][j], 1);
}

static void stop_ends_a_start_that_gave_way(void **state)
{
	struct strata_hv_op op = { .operation = STRATA_HV_START,
				   .abi_version = STRATA_HV_ABI_VERSION };

	(void)state;
	while (!seen[0][2])
		assert_int_equal(strata_sysctl(&op), -ERESTART);
	assert_int_equal(run_simple(STRATA_HV_STOP), 0);
	assert_false(gate());
	assert_int_equal(walk.stage, WALK_IDLE);
}

static struct strata_hv_op apply_op(void)
{
	struct strata_hv_op op = { .operation = STRATA_HV_SELECT,
				   .abi_version = STRATA_HV_ABI_VERSION };

	op.u.select.flags = STRATA_HV_SELECT_BEGIN | STRATA_HV_SELECT_APPLY;
	return op;
}

static void a_selection_is_applied_once_however_often_its_call_goes_on(void **state)
{
	struct strata_hv_op op = apply_op();
	struct strata_selection *applied;

	(void)state;
	assert_int_equal(run_simple(STRATA_HV_START), 0);
	probes_are_busy = true;
	assert_int_equal(strata_sysctl(&op), -ERESTART);
	applied = strata_selection;
	assert_int_equal(strata_sysctl(&op), -ERESTART);
	probes_are_busy = false;
	maps_are_held = true; /* CPUs come or go */
	assert_int_equal(strata_sysctl(&op), -ERESTART);
	maps_are_held = false;
	assert_int_equal(strata_sysctl(&op), 0);
	assert_ptr_equal(strata_selection, applied);
	assert_int_equal(op.u.select.continued, 0);
	assert_int_equal(told[0], 1);
	assert_int_equal(told[1], 1);
}

static void a_change_in_between_waits_for_the_one_before_it(void **state)
{
	struct strata_hv_op before = apply_op(), first = apply_op(), second = apply_op();

	(void)state;
	assert_int_equal(strata_sysctl(&before), 0);
	probes_are_busy = true;
	assert_int_equal(strata_sysctl(&first), -ERESTART);
	assert_int_equal(strata_sysctl(&second), -ERESTART);
	assert_int_equal(second.u.select.continued, 0);
	probes_are_busy = false;
	assert_int_equal(strata_sysctl(&second), 0);
	assert_int_equal(strata_sysctl(&first), 0);
}

static void what_the_abi_does_not_offer_is_refused(void **state)
{
	struct strata_hv_op op = apply_op();
	unsigned int gave_way;

	(void)state;
	op.u.select.continued = 1000;
	assert_int_equal(run(&op, &gave_way), -EINVAL);
	op.u.select.continued = UINT32_MAX;
	assert_int_equal(run(&op, &gave_way), -EINVAL);
	op = apply_op();
	op.u.select.flags |= 4;
	assert_int_equal(run(&op, &gave_way), -EINVAL);
	op = (struct strata_hv_op){ .operation = STRATA_HV_START };
	op.u.start.reserved = 1;
	assert_int_equal(run(&op, &gave_way), -EINVAL);
	op = create_op();
	op.u.create.reserved = 1;
	assert_int_equal(run(&op, &gave_way), -EINVAL);
	op = create_op();
	op.u.create.flags = 2;
	assert_int_equal(run(&op, &gave_way), -EINVAL);
}

/* The notifications of Xen when a CPU comes or goes; it holds the maps. */
static void notify(unsigned long action, unsigned long cpu)
{
	maps_are_held = true;
	for (unsigned int i = 0; i < nr_notifiers; i++)
		assert_int_equal(notifiers[i]->notifier_call(notifiers[i], action, (void *)cpu),
				 NOTIFY_DONE);
	maps_are_held = false;
}

static uint32_t rings_by_query(void)
{
	struct strata_hv_op op = { .operation = STRATA_HV_QUERY };
	unsigned int gave_way;

	assert_int_equal(run(&op, &gave_way), 0);
	return op.u.query.nr_rings;
}

/* Whether dom0's reader finds a ring: the test's have no frames, so there is no first one. */
static bool reader_finds(uint32_t cpu)
{
	struct strata_hv_op op = { .operation = STRATA_HV_FRAMES };
	unsigned int gave_way;

	op.u.frames.cpu = cpu;
	return run(&op, &gave_way) != -ENOENT;
}

static void a_cpu_that_is_added_has_its_ring_before_it_runs(void **state)
{
	(void)state;
	assert_int_equal(run_simple(STRATA_HV_START), 0);
	assert_int_equal(rings_by_query(), 2);
	assert_false(reader_finds(2));
	present_cpus = 3;
	notify(CPU_UP_PREPARE, 2);
	assert_non_null(strata_rings[2]);
	assert_true(softirqs >= 3); /* it gave way */
	assert_int_equal(rings_by_query(), 3);
	assert_true(reader_finds(2));
	assert_int_equal(idle_states, 0);
	notify(CPU_ONLINE, 2);
	assert_int_equal(idle_states, 1);
}

static void a_cpu_that_comes_back_keeps_its_ring_but_not_its_skew(void **state)
{
	struct strata_cpu_ring *ring;

	(void)state;
	assert_int_equal(run_simple(STRATA_HV_START), 0);
	ring = strata_rings[1];
	ring->skew.exchanges = 64;
	notify(CPU_DEAD, 1);
	assert_int_equal(flushed_offline[1], 1);
	notify(CPU_UP_PREPARE, 1);
	assert_ptr_equal(strata_rings[1], ring);
	assert_int_equal(ring->skew.exchanges, 0);
	assert_int_equal(rings_there, 2);
}

static void without_memory_a_cpu_comes_without_a_ring_and_that_is_said(void **state)
{
	(void)state;
	present_cpus = 3;
	memory_runs_out = true;
	notify(CPU_UP_PREPARE, 2);
	assert_null(strata_rings[2]);
	assert_int_equal(complaints, 1);
	assert_int_equal(rings_there, 2);
	memory_runs_out = false;
	free_pages = 2; /* and Xen keeps half of them */
	notify(CPU_UP_PREPARE, 2);
	assert_null(strata_rings[2]);
	assert_int_equal(complaints, 2);
	assert_int_equal(rings_by_query(), 2);
}

static void without_rings_none_is_made_for_a_cpu(void **state)
{
	(void)state;
	assert_int_equal(run_simple(STRATA_HV_DESTROY), 0);
	present_cpus = 3;
	notify(CPU_UP_PREPARE, 2);
	assert_int_equal(rings_there, 0);
	assert_int_equal(rings_by_query(), 0);
	begin(state);
}

static void a_cpu_that_comes_when_all_others_have_rings_gets_one_too(void **state)
{
	struct strata_hv_op op = create_op();
	unsigned int gave_way;

	(void)state;
	assert_int_equal(run_simple(STRATA_HV_DESTROY), 0);
	cpu_comes = true;
	assert_int_equal(run(&op, &gave_way), 0);
	assert_int_equal(present_cpus, 3);
	assert_int_equal(rings_by_query(), 3);
}

/* Both lose if they do not wait for each other: a CPU without a ring, or a ring that stays. */
static void create_and_destroy_wait_for_a_cpu_that_is_being_added(void **state)
{
	struct strata_hv_op op = create_op(), destroy = { .operation = STRATA_HV_DESTROY,
							  .abi_version = STRATA_HV_ABI_VERSION };
	unsigned int gave_way;

	(void)state;
	assert_int_equal(run_simple(STRATA_HV_DESTROY), 0);
	op.abi_version = STRATA_HV_ABI_VERSION;
	maps_are_held = true;
	for (unsigned int i = 0; i < 20; i++)
		assert_int_equal(strata_sysctl(&op), -ERESTART);
	assert_int_equal(rings_by_query(), 0);
	/* The CPU comes without a ring, as they are not complete. */
	present_cpus = 3;
	notify(CPU_UP_PREPARE, 2);
	assert_null(strata_rings[2]);
	assert_int_equal(run(&op, &gave_way), 0);
	assert_int_equal(rings_by_query(), 3);

	maps_are_held = true;
	assert_int_equal(strata_sysctl(&destroy), -ERESTART);
	assert_int_equal(rings_by_query(), 3);
	maps_are_held = false;
}

#define CONTROL_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONTROL_TEST(start_gives_way_at_each_vcpu_and_tells_each_once),
		CONTROL_TEST(a_flush_tells_each_once_more_and_measures_nothing),
		CONTROL_TEST(a_domain_that_goes_while_it_gives_way_does_no_harm),
		CONTROL_TEST(stop_ends_a_start_that_gave_way),
		CONTROL_TEST(a_selection_is_applied_once_however_often_its_call_goes_on),
		CONTROL_TEST(a_change_in_between_waits_for_the_one_before_it),
		CONTROL_TEST(what_the_abi_does_not_offer_is_refused),
		CONTROL_TEST(a_cpu_that_is_added_has_its_ring_before_it_runs),
		CONTROL_TEST(a_cpu_that_comes_back_keeps_its_ring_but_not_its_skew),
		CONTROL_TEST(without_memory_a_cpu_comes_without_a_ring_and_that_is_said),
		CONTROL_TEST(without_rings_none_is_made_for_a_cpu),
		CONTROL_TEST(a_cpu_that_comes_when_all_others_have_rings_gets_one_too),
		CONTROL_TEST(create_and_destroy_wait_for_a_cpu_that_is_being_added),
	};

	assert_int_equal(initcall_of_strata_gate_init(), 0);
	assert_int_equal(initcall_of_strata_rings_init(), 0);

	return cmocka_run_group_tests_name("control_xen", tests, NULL, NULL);
}
