/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control_xen.h - the hypervisor's own files that operate on channels, on a host on which other
 * work always waits; for the tests test_*_xen.c, which define no other Xen.
 *
 * Probes, rings' memory, clocks and budgets are counters here.  A probe can be under way
 * (probe_begins()): nothing that it could reach may be freed before it ends.
 */
#ifndef STRATA_TESTS_CONTROL_XEN_H
#define STRATA_TESTS_CONTROL_XEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static inline void step(void);
static inline void *count_alloc(size_t bytes);
static inline void check_free(void *address);

#define shim_step()        step()
#define shim_alloc(bytes)  count_alloc(bytes)
#define shim_free(address) check_free(address)

#include <xen/lib.h>

#define CPU_UP_PREPARE             1
#define CPU_ONLINE                 4
#define CPU_DEAD                   7
#define XENLOG_WARNING             ""
#define NOTIFY_DONE                0
#define for_each_present_cpu(cpu)  for ((cpu) = 0; (cpu) < present_cpus; (cpu)++)
#define for_each_online_cpu(cpu)   for ((cpu) = 0; (cpu) < shim_online_cpus; (cpu)++)
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
static inline bool get_cpu_maps(void)
{
	if (maps_are_held)
		return false;
	present_cpus += cpu_comes;
	cpu_comes = false;
	return true;
}

static inline void put_cpu_maps(void)
{
}

static inline bool hypercall_preempt_check(void)
{
	chances++;
	return true;
}

static inline void on_selected_cpus(const int *mask, void (*function)(void *), void *info, int wait)
{
	(void)mask;
	(void)wait;
	function(info);
}

#include <strata/aggregate.h>

#include "event_channels_xen.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
/* Some of the files give the same name to functions of their own. */
#define begin selection_begin
#include "../../xen-patch/src/common/strata/selection.c"
#undef begin
#include "../../xen-patch/src/common/strata/aggregate.c"
#include "../../xen-patch/src/common/strata/control.c"
#include "../../xen-patch/src/common/strata/gate.c"
#include "../../xen-patch/src/common/strata/notify.c"
#include "../../xen-patch/src/common/strata/reader.c"
#include "../../xen-patch/src/common/strata/rings.c"
#include "../../xen-patch/src/common/strata/select.c"
#include "../../xen-patch/src/common/strata/set.c"
#pragma GCC diagnostic pop

/* Events, and a rule's words for one of them. */
#define VM_EXIT    0x00081102u
#define GRANT_MAP  0x0010f001u
#define VCPU_WAKE  0x00028004u
#define RUNSTATE   0x00021021u
#define ONE(event) (event), STRATA_HV_ID_TRACE

#define BIT(number) (1u << (number))

#define VCPUS    5u
#define CHANNEL  3u /* that most tests operate on */
#define ANOTHER  6u
#define CHANNELS STRATA_HV_CHANNELS

struct strata_cpu strata_cpus[NR_CPUS];

static struct domain dom0, guest, other;
static struct vcpu all_vcpus[3][VCPUS], *lists[3][VCPUS];
static unsigned int seen[3][VCPUS], made[3], skews, told[CHANNELS][2];
static int rings_there, blocks_there; /* allocated, and not freed */
static bool memory_runs_out;          /* for rings */
static bool no_blocks;                /* for all that vzalloc() allocates */
static unsigned int flushed[CHANNELS], flushed_offline[CHANNELS][NR_CPUS], idle_states, clocks;
static unsigned int forgotten[CHANNELS], states_freed;
static unsigned int operating_on; /* the channel of the operation under way */

static inline bool gate(void)
{
	return tb_init_done & TB_STRATA;
}

static inline bool is_started(unsigned int channel)
{
	return strata_channel_started(&strata_channels[channel]);
}

/* A probe that is under way on another CPU -------------------------------------------------- */

static const struct strata_set *held_set; /* NULL: no such probe */
static const void *held_selections[CHANNELS];
static void (*at_each_step)(void);

static inline void probe_begins(void)
{
	held_set = strata_set;
	for (unsigned int i = 0; i < CHANNELS; i++)
		held_selections[i] = held_set->selection[i];
}

static inline void probe_ends(void)
{
	held_set = NULL;
}

static inline void step(void)
{
	static bool nested;

	if (nested || !at_each_step)
		return;
	nested = true;
	at_each_step();
	nested = false;
}

static inline void *count_alloc(size_t bytes)
{
	void *memory = no_blocks ? NULL : aligned_alloc_zeroed(bytes);

	blocks_there += memory != NULL;
	return memory;
}

static inline void check_free(void *address)
{
	if (address && held_set) {
		assert_ptr_not_equal(address, held_set);
		for (unsigned int i = 0; i < CHANNELS; i++)
			assert_ptr_not_equal(address, held_selections[i]);
	}
	blocks_there -= address != NULL;
	free(address);
}

/* Channels that take the event while that vCPU runs, according to a set. */
static inline unsigned int takers_of(const struct strata_set *set, uint32_t event, struct vcpu *v)
{
	return strata_takers_channels(
		strata_takers(set, (unsigned int)strata_event_index(event), v));
}

/* Channels that select that vCPU, according to a set. */
static inline unsigned int selectors_of(const struct strata_set *set, struct vcpu *v)
{
	unsigned long runner = strata_runner(set, v);

	return (unsigned int)(strata_runner_unknown(runner) ? strata_find_runner(set, v) : runner) &
	       STRATA_ALL_CHANNELS;
}

/* Other files' work, counted ---------------------------------------------------------------- */

static inline unsigned int domain_number(const struct domain *d)
{
	return d == &dom0 ? 0 : d == &guest ? 1 : 2;
}

void strata_vcpu_created(struct vcpu *v)
{
	assert_true(gate() && is_started(operating_on));
	seen[domain_number(v->domain)][v->vcpu_id]++;
}

void strata_domain_make(struct domain *d)
{
	assert_false(is_started(operating_on));
	made[domain_number(d)]++;
}

/* It needs some calls: nr_frames counts them. */
struct strata_cpu_ring *strata_ring_begin(struct strata_ring_geometry geo)
{
	struct strata_cpu_ring *ring = aligned_alloc_zeroed(sizeof(*ring) + 4096);

	ring->core.geo = geo;
	ring->nr_frames = 3;
	rings_there++;
	return ring;
}

int strata_ring_make(struct strata_cpu_ring *ring, unsigned int cpu,
		     struct strata_ring_geometry geo, bool overwrite)
{
	(void)cpu;
	/* A ring has the memory for its own geometry only. */
	assert_memory_equal(&ring->core.geo, &geo, sizeof(geo));
	ring->core.overwrite = overwrite;
	if (--ring->nr_frames)
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

int strata_measure_skew(unsigned int channel)
{
	assert_int_equal(channel, operating_on);
	return ++skews % 4 ? -ERESTART : 0;
}

static unsigned int skew_forgotten[NR_CPUS];

void strata_forget_skew(unsigned int cpu)
{
	skew_forgotten[cpu]++;
}

bool strata_record_skew(void)
{
	return true;
}

unsigned int strata_probe_begin(void)
{
	return strata_set ? strata_set->started : 0;
}

void strata_probe_end(void)
{
}

void strata_write_own(unsigned int channels, enum strata_hv_own_event id, const void *data,
		      unsigned int bytes)
{
	unsigned int channel;

	(void)bytes;
	assert_int_equal((uint32_t)id, (uint32_t)STRATA_HV_SELECTION);
	strata_for_each_channel (channel, channels)
		told[channel][((const struct strata_hv_selection *)data)->changed]++;
}

bool strata_probe_under_way(void)
{
	return probes_are_busy || held_set;
}

void strata_pcpu_clock(void)
{
	clocks++;
}

bool strata_flush_this_cpu(unsigned int channel)
{
	if (strata_probe_under_way())
		return false;
	flushed[channel]++;
	return true;
}

void strata_flush_offline_cpu(unsigned int cpu, unsigned int channel)
{
	flushed_offline[channel][cpu]++;
}

void strata_vcpu_clocks_late(bool now)
{
	assert_true(now && is_started(operating_on));
}

void strata_domain_free_all(void)
{
	assert_null(strata_set);
	states_freed++;
}

void strata_budget_forget(unsigned int channel)
{
	assert_non_null(strata_set);
	forgotten[channel]++;
}

void vcpu_runstate_trace(struct vcpu *v)
{
	idle_states += v == idle_vcpu[2];
}

/* Operations -------------------------------------------------------------------------------- */

static inline struct strata_hv_op op_on(unsigned int channel, uint32_t operation)
{
	return (struct strata_hv_op){ .operation = operation,
				      .abi_version = STRATA_HV_ABI_VERSION,
				      .channel = channel };
}

static inline int call(struct strata_hv_op *op)
{
	operating_on = op->channel;
	return strata_sysctl(op);
}

/* Calls until it does not give way; how often it did goes to @gave_way. */
static inline int run(struct strata_hv_op *op, unsigned int *gave_way)
{
	int rc;

	for (*gave_way = 0; (rc = call(op)) == -ERESTART; ++*gave_way)
		assert_in_range(*gave_way, 0, 1000);
	return rc;
}

static inline int run_on(unsigned int channel, uint32_t operation)
{
	struct strata_hv_op op = op_on(channel, operation);
	unsigned int gave_way;

	return run(&op, &gave_way);
}

static inline int run_simple(uint32_t operation)
{
	return run_on(CHANNEL, operation);
}

static inline struct strata_hv_op create_op_on(unsigned int channel)
{
	struct strata_hv_op op = op_on(channel, STRATA_HV_CREATE);

	op.u.create.subbuf_bits = 16;
	op.u.create.nr_subbufs_bits = 3;
	memcpy(op.u.create.owner, "test", 5);
	return op;
}

static inline int create_on(unsigned int channel)
{
	struct strata_hv_op op = create_op_on(channel);
	unsigned int gave_way;

	return run(&op, &gave_way);
}

/* Selects the events with (event & b) == a, of every domain. */
static inline struct strata_hv_op select_op(unsigned int channel, uint32_t a, uint32_t b)
{
	struct strata_hv_op op = op_on(channel, STRATA_HV_SELECT);

	op.u.select.flags = STRATA_HV_SELECT_BEGIN | STRATA_HV_SELECT_APPLY;
	op.u.select.nr = 1;
	op.u.select.rules[0] = (struct strata_hv_rule){ STRATA_HV_RULE_EVENTS, 1, a, b };
	return op;
}

static inline uint32_t rings_by_query(unsigned int channel)
{
	struct strata_hv_op op = op_on(channel, STRATA_HV_QUERY);

	assert_int_equal(call(&op), 0);
	return op.u.query.nr_rings;
}

/* The notifications of Xen when a CPU comes or goes; it holds the maps. */
static inline void notify(unsigned long action, unsigned long cpu)
{
	maps_are_held = true;
	for (unsigned int i = 0; i < nr_notifiers; i++)
		assert_int_equal(notifiers[i]->notifier_call(notifiers[i], action, (void *)cpu),
				 NOTIFY_DONE);
	maps_are_held = false;
}

/* CHANNEL has rings; no other channel has. */
static inline int begin(void **state)
{
	struct domain *domains[] = { &dom0, &guest, &other };
	struct strata_hv_op op = create_op_on(CHANNEL);
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
	shim_domains = hardware_domain = &dom0;
	tb_init_done = 0;
	memset(seen, 0, sizeof(seen));
	memset(made, 0, sizeof(made));
	memset(told, 0, sizeof(told));
	memset(flushed, 0, sizeof(flushed));
	memset(flushed_offline, 0, sizeof(flushed_offline));
	memset(forgotten, 0, sizeof(forgotten));
	memset(skew_forgotten, 0, sizeof(skew_forgotten));
	skews = softirqs = complaints = idle_states = states_freed = 0;
	softirqs_raised = 0;
	present_cpus = 2;
	ports_left = CHANNELS;
	free_pages = 1000000;
	maps_are_held = probes_are_busy = cpu_comes = memory_runs_out = no_blocks = false;
	assert_int_equal(run(&op, &gave_way), 0);
	assert_true(gave_way >= 4);
	return 0;
}

/* All that was allocated is freed with the last channel. */
static inline int end(void **state)
{
	(void)state;
	at_each_step = NULL;
	held_set = NULL;
	probes_are_busy = maps_are_held = false;
	for (unsigned int i = 0; i < CHANNELS; i++)
		if (strata_channels[i].owner[0])
			assert_int_equal(run_on(i, STRATA_HV_DESTROY), 0);
	assert_int_equal(rings_there, 0);
	assert_int_equal(blocks_there, 0);
	assert_int_equal(ports_left, CHANNELS);
	assert_null(strata_set);
	assert_false(gate());
	return 0;
}

#define CONTROL_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

static inline void initcalls(void)
{
	assert_int_equal(initcall_of_strata_notify_init(), 0);
	assert_int_equal(initcall_of_strata_gate_init(), 0);
	assert_int_equal(initcall_of_strata_rings_init(), 0);
}

#endif /* STRATA_TESTS_CONTROL_XEN_H */
