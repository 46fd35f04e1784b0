// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_budget_xen.c - how many records a guest may cause on a CPU: the
 * hypervisor's own file, with a domain that asks for more than it gets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The files themselves; Xen compiles them with fewer warnings than we do. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include "../../xen-patch/src/common/strata/budget.c"
#include "../../xen-patch/src/common/strata/domain.c"
#pragma GCC diagnostic pop

#define TOKENS 100u

/* Most tests look at one channel; another one has a budget, too. */
#define CHANNEL 3u
#define ANOTHER 0u

#define ANOTHERS_TOKENS 250u

struct strata_set *strata_set;
struct strata_channel strata_channels[STRATA_HV_CHANNELS];
struct strata_cpu strata_cpus[NR_CPUS];

static struct strata_set set;
static struct strata_cpu_ring rings[STRATA_HV_CHANNELS];
static struct domain dom0, guest, other;
static struct vcpu guest_vcpu = { .domain = &guest };
static struct strata_hv_budget told[100];
static unsigned int nr_told, told_channel[100], started;

static struct strata_cpu_ring *const ring = &rings[CHANNEL];

void strata_ring_write(struct strata_cpu_ring *into, unsigned int channel, uint32_t id,
		       const void *data, unsigned int bytes)
{
	assert_int_equal(id, (uint32_t)STRATA_HV_BUDGET);
	assert_int_equal(bytes, sizeof(told[0]));
	assert_ptr_equal(into, &rings[channel]);
	assert_in_range(nr_told, 0, 99);
	told_channel[nr_told] = channel;
	memcpy(&told[nr_told++], data, bytes);
}

unsigned int strata_probe_begin(void)
{
	return started;
}

void strata_probe_end(void)
{
}

void strata_record_own(enum strata_hv_own_event id, const void *data, unsigned int bytes)
{
	strata_ring_write(ring, CHANNEL, (uint32_t)id, data, bytes);
}

/* Clock maps are another test's. */
bool strata_vcpu_maps_make(struct strata_domain *mine, const struct domain *d)
{
	(void)mine;
	(void)d;
	return true;
}

void strata_vcpu_maps_free(struct strata_domain *mine)
{
	(void)mine;
}

static int begin(void **state)
{
	(void)state;
	memset(rings, 0, sizeof(rings));
	strata_channels[CHANNEL].budget_per_s = 2000;
	strata_channels[ANOTHER].budget_per_s = 5000;
	set = (struct strata_set){ .tokens = { [CHANNEL] = TOKENS, [ANOTHER] = ANOTHERS_TOKENS } };
	strata_set = &set;
	started = 1u << CHANNEL;
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++) {
		strata_cpus[cpu] = (struct strata_cpu){ .ring[CHANNEL] = ring };
		strata_cpus[cpu].ring[ANOTHER] = &rings[ANOTHER];
	}
	dom0 = (struct domain){ .domain_id = 0, .is_privileged = true, .next_in_list = &guest };
	guest = (struct domain){ .domain_id = 5, .next_in_list = &other };
	other = (struct domain){ .domain_id = 6 };
	shim_domains = &dom0;
	shim_current = &guest_vcpu;
	shim_cpu = 1;
	cpu_khz = 1ul << 40; /* a window that no test sees the end of */
	nr_told = 0;
	strata_domain_make(&dom0);
	strata_domain_make(&guest);
	strata_domain_make(&other);
	return 0;
}

static int end(void **state)
{
	(void)state;
	strata_domain_free_all();
	return 0;
}

/* How many of @wanted records are let through. */
static unsigned int take_in(unsigned int channel, const struct domain *d, enum strata_cause cause,
			    unsigned int wanted)
{
	unsigned int taken = 0;

	shim_in_irq = cause == STRATA_BY_INTERRUPT;
	while (wanted--)
		taken += strata_budget_take(&set, &strata_cpus[shim_cpu], &rings[channel], channel,
					    d);
	shim_in_irq = false;
	return taken;
}

static unsigned int take_of(const struct domain *d, enum strata_cause cause, unsigned int wanted)
{
	return take_in(CHANNEL, d, cause, wanted);
}

static unsigned int take(const struct domain *d, unsigned int wanted)
{
	return take_of(d, STRATA_BY_GUEST, wanted);
}

static struct strata_budget *budget_in(unsigned int channel, const struct domain *d,
				       unsigned int cpu)
{
	return &d->strata->budget[cpu * STRATA_HV_CHANNELS + channel];
}

static struct strata_budget *budget_of(const struct domain *d, unsigned int cpu)
{
	return budget_in(CHANNEL, d, cpu);
}

/* The clock of a CPU's bucket is at 0 in the beginning, and so long ago. */
static void window_passes(const struct domain *d, unsigned int cpu)
{
	budget_of(d, cpu)->bucket[STRATA_BY_GUEST].refilled_ticks = 0;
	budget_of(d, cpu)->bucket[STRATA_BY_INTERRUPT].refilled_ticks = 0;
	cpu_khz = 1;
}

static void no_window_passes(void)
{
	cpu_khz = 1ul << 40;
}

static void first_window(const struct domain *d, unsigned int cpu)
{
	window_passes(d, cpu);
	assert_int_equal(take(d, 1), 1);
	no_window_passes();
}

static void what_is_within_the_budget_is_recorded(void **state)
{
	(void)state;
	first_window(&guest, 1);
	assert_int_equal(take(&guest, TOKENS - 1), TOKENS - 1);
	assert_int_equal(budget_of(&guest, 1)->refused, 0);
	assert_int_equal(nr_told, 0);
}

static void what_is_beyond_is_refused_and_counted(void **state)
{
	(void)state;
	first_window(&guest, 1);
	assert_int_equal(take(&guest, TOKENS + 41), TOKENS - 1);
	assert_int_equal(budget_of(&guest, 1)->refused, 42);
	assert_int_equal(ring->refused, 42);
	/* The other guest has all of its own. */
	first_window(&other, 1);
	assert_int_equal(take(&other, TOKENS - 1), TOKENS - 1);
	assert_int_equal(budget_of(&other, 1)->refused, 0);
}

static void the_next_window_fills_and_tells(void **state)
{
	(void)state;
	first_window(&guest, 1);
	take(&guest, TOKENS + 9);
	window_passes(&guest, 1);
	assert_int_equal(take(&guest, 1), 1);
	no_window_passes();
	assert_int_equal(nr_told, 2);
	assert_int_equal(told[1].domain, 5);
	assert_int_equal(told[1].pcpu, 1);
	assert_int_equal(told[1].budget_per_s, 2000);
	assert_int_equal(told[1].refused, 9);
	assert_int_equal(told[1].refused_total, 10);
	assert_int_equal(take(&guest, TOKENS + 4), TOKENS - 1);
	window_passes(&guest, 1);
	take(&guest, 1);
	assert_int_equal(nr_told, 4);
	assert_int_equal(told[3].refused, 4);
	assert_int_equal(told[3].refused_total, 15);
}

static void the_first_refusal_in_a_window_is_told_at_once(void **state)
{
	(void)state;
	first_window(&guest, 1);
	take(&guest, TOKENS - 1);
	assert_int_equal(nr_told, 0);
	take(&guest, 1);
	assert_int_equal(nr_told, 1);
	assert_int_equal(told[0].refused, 1);
	take(&guest, 50);
	assert_int_equal(nr_told, 1);
}

static void each_cpu_has_a_budget_of_its_own(void **state)
{
	(void)state;
	first_window(&guest, 1);
	assert_int_equal(take(&guest, TOKENS * 2), TOKENS - 1);
	shim_cpu = 3;
	first_window(&guest, 3);
	assert_int_equal(take(&guest, TOKENS - 1), TOKENS - 1);
	assert_int_equal(budget_of(&guest, 3)->refused, 0);
}

static void dom0_and_a_selection_without_budget_have_no_bound(void **state)
{
	(void)state;
	assert_null(dom0.strata);
	assert_int_equal(take(&dom0, 100000), 100000);
	set.tokens[CHANNEL] = 0;
	assert_int_equal(take(&guest, 100000), 100000);
	assert_int_equal(ring->refused, 0);
}

static void what_was_refused_is_told_once(void **state)
{
	(void)state;
	first_window(&guest, 1);
	first_window(&other, 1);
	strata_budget_tell(ring, CHANNEL, 1);
	assert_int_equal(nr_told, 0);
	take(&guest, TOKENS + 6);
	take(&other, TOKENS + 2);
	strata_budget_tell(ring, CHANNEL, 1);
	assert_int_equal(nr_told, 4);
	assert_int_equal(told[2].refused, 6);
	assert_int_equal(told[3].refused, 2);
	strata_budget_tell(ring, CHANNEL, 1);
	assert_int_equal(nr_told, 4);
	take(&other, 1);
	strata_budget_tell(ring, CHANNEL, 1);
	assert_int_equal(nr_told, 5);
	assert_int_equal(told[4].domain, 6);
	assert_int_equal(told[4].refused, 1);
	assert_int_equal(told[4].refused_total, 4);
}

static void a_domain_that_ends_tells_what_it_was_refused_on_every_cpu(void **state)
{
	(void)state;
	first_window(&guest, 1);
	take(&guest, TOKENS + 1);
	shim_cpu = 3;
	first_window(&guest, 3);
	take(&guest, TOKENS + 2);
	shim_cpu = 0;
	strata_domain_destroyed(&guest);
	assert_int_equal(nr_told, 4);
	assert_int_equal(told[2].pcpu, 1);
	assert_int_equal(told[2].refused, 1);
	assert_int_equal(told[3].pcpu, 3);
	assert_int_equal(told[3].refused, 2);
	assert_null(guest.strata);
	/* One that never had any is fine, too. */
	strata_domain_destroyed(&guest);
	assert_int_equal(nr_told, 4);
}

static void buckets_are_made_once(void **state)
{
	struct strata_domain *before = guest.strata;

	(void)state;
	assert_non_null(before);
	strata_domain_make(&guest);
	assert_ptr_equal(guest.strata, before);
	strata_domain_free_all();
	assert_null(guest.strata);
}

static void without_memory_a_guest_records_nothing_and_others_their_share(void **state)
{
	(void)state;
	strata_domain_free_all();
	shim_no_memory = true;
	strata_domain_make(&guest);
	shim_no_memory = false;
	strata_domain_make(&other);
	assert_null(guest.strata);
	assert_int_equal(nr_told, 1);
	assert_int_equal(told[0].domain, 5);
	assert_int_equal(told[0].budget_per_s, 0);
	assert_int_equal(take(&guest, 1000), 0);
	assert_int_equal(ring->refused, 1000);
	first_window(&other, 1);
	assert_int_equal(take(&other, TOKENS - 1), TOKENS - 1);
	assert_int_equal(take(&dom0, 1000), 1000);
	/* Once there is memory, it has its share. */
	strata_domain_make(&guest);
	first_window(&guest, 1);
	assert_int_equal(take(&guest, TOKENS - 1), TOKENS - 1);
}

/* Attacks of another guest on this one. */
static void interrupts_take_nothing_from_what_a_guest_may_record(void **state)
{
	(void)state;
	window_passes(&guest, 1);
	assert_int_equal(take_of(&guest, STRATA_BY_INTERRUPT, 1), 1);
	assert_int_equal(take(&guest, 1), 1);
	no_window_passes();
	assert_int_equal(take_of(&guest, STRATA_BY_INTERRUPT, TOKENS + 7), TOKENS - 1);
	assert_int_equal(nr_told, 1);
	assert_int_equal(take(&guest, TOKENS - 1), TOKENS - 1);
	assert_int_equal(budget_of(&guest, 1)->refused, 8);
	/* A reader must not count on its events, whatever was refused. */
	assert_int_equal(take(&guest, 1), 0);
	assert_int_equal(nr_told, 2);
	assert_int_equal(told[1].domain, 5);
	assert_int_equal(told[1].refused, 8);
}

/* Records are written elsewhere: what counts here is who caused them. */
static enum strata_cause cause_of_traced;

void strata_record(uint32_t event, unsigned int bytes, const void *data)
{
	(void)event;
	(void)bytes;
	(void)data;
	cause_of_traced = strata_cause(&strata_cpus[shim_cpu]);
}

#define RECORD_WORDS(words)                                                            \
	void strata_record_##words(uint32_t id, const void *data, unsigned long index) \
	{                                                                              \
		(void)index;                                                           \
		strata_record(id, (words)*4, data);                                    \
	}
RECORD_WORDS(0)
RECORD_WORDS(1)
RECORD_WORDS(2)
RECORD_WORDS(3)
RECORD_WORDS(4)
RECORD_WORDS(5)
RECORD_WORDS(6)
RECORD_WORDS(7)

/* The cause of an event with that first word, as a probe finds it. */
static enum strata_cause cause_of(uint32_t event, uint32_t word)
{
	strata_trace(event, sizeof(word), &word);
	return cause_of_traced;
}

static void what_an_interrupt_does_to_a_guest_is_not_its_own_doing(void **state)
{
	struct vcpu another = { .domain = &other };
	const uint32_t hypercall = 0x0008200cu;

	(void)state;
	assert_int_equal(cause_of(hypercall, 1), STRATA_BY_GUEST);
	shim_in_irq = true;
	assert_int_equal(cause_of(hypercall, 1), STRATA_BY_INTERRUPT);
	shim_in_irq = false;
	assert_int_equal(cause_of(hypercall, 1), STRATA_BY_GUEST);
	/* Between exit and entry, on both vendors' processors. */
	assert_int_equal(cause_of(TRC_HVM_VMEXIT64, STRATA_EXIT_SVM_INTERRUPT),
			 STRATA_BY_INTERRUPT);
	assert_int_equal(cause_of(hypercall, 1), STRATA_BY_INTERRUPT);
	assert_int_equal(cause_of(TRC_HVM_VMENTRY, 0), STRATA_BY_INTERRUPT);
	assert_int_equal(cause_of(hypercall, 1), STRATA_BY_GUEST);
	assert_int_equal(cause_of(TRC_HVM_VMEXIT | TRC_HVM_NESTEDFLAG, STRATA_EXIT_VMX_INTERRUPT),
			 STRATA_BY_INTERRUPT);
	/* An entry that is not recorded ends it no later than the next exit. */
	assert_int_equal(cause_of(TRC_HVM_VMEXIT64, 0x81), STRATA_BY_GUEST);
	assert_int_equal(cause_of(TRC_HVM_VMENTRY, 0), STRATA_BY_GUEST);
	/* No other domain that runs there meanwhile has a second share. */
	cause_of(TRC_HVM_VMEXIT64, STRATA_EXIT_SVM_INTERRUPT);
	shim_current = &another;
	assert_int_equal(cause_of(hypercall, 1), STRATA_BY_GUEST);
}

/* In the first window of CPU 1. */
static unsigned int take_another(unsigned int wanted)
{
	unsigned int taken;

	cpu_khz = 1;
	taken = take_in(ANOTHER, &guest, STRATA_BY_GUEST, 1);
	no_window_passes();
	return taken + take_in(ANOTHER, &guest, STRATA_BY_GUEST, wanted - 1);
}

static void each_channel_has_a_budget_of_its_own(void **state)
{
	(void)state;
	first_window(&guest, 1);
	assert_int_equal(take(&guest, TOKENS + 9), TOKENS - 1);
	assert_int_equal(take_another(ANOTHERS_TOKENS + 4), ANOTHERS_TOKENS);
	assert_int_equal(budget_of(&guest, 1)->refused, 10);
	assert_int_equal(ring->refused, 10);
	assert_int_equal(budget_in(ANOTHER, &guest, 1)->refused, 4);
	assert_int_equal(rings[ANOTHER].refused, 4);
	/* Each says it in its own rings, with its own bound. */
	strata_budget_tell(&rings[ANOTHER], ANOTHER, 1);
	assert_int_equal(nr_told, 3);
	assert_int_equal(told_channel[0], CHANNEL);
	assert_int_equal(told[0].budget_per_s, 2000);
	for (unsigned int i = 1; i < 3; i++) {
		assert_int_equal(told_channel[i], ANOTHER);
		assert_int_equal(told[i].budget_per_s, 5000);
	}
	assert_int_equal(told[2].refused_total, 4);
	/* A channel without a budget has none, whatever others have. */
	set.tokens[ANOTHER] = 0;
	assert_int_equal(take_in(ANOTHER, &guest, STRATA_BY_GUEST, 1000), 1000);
	assert_int_equal(take(&guest, 1), 0);
}

static void a_domain_that_ends_tells_it_in_each_started_channel(void **state)
{
	(void)state;
	started = 1u << CHANNEL | 1u << ANOTHER | 1u << 5; /* 5 has no ring here */
	shim_cpu = 1;
	first_window(&guest, 1);
	take(&guest, TOKENS + 1);
	take_another(ANOTHERS_TOKENS + 2);
	assert_int_equal(nr_told, 2);
	strata_domain_destroyed(&guest);
	assert_int_equal(nr_told, 4);
	assert_int_equal(told_channel[2], ANOTHER);
	assert_int_equal(told[2].refused_total, 2);
	assert_int_equal(told_channel[3], CHANNEL);
	assert_int_equal(told[3].refused_total, 2);
}

static void a_destroyed_channel_is_forgotten_and_no_other_one(void **state)
{
	(void)state;
	shim_cpu = 3;
	first_window(&guest, 3);
	take(&guest, TOKENS + 1);
	shim_cpu = 1;
	first_window(&guest, 1);
	take(&guest, TOKENS + 9);
	take_another(ANOTHERS_TOKENS + 4);
	strata_budget_forget(CHANNEL);
	assert_int_equal(budget_of(&guest, 1)->refused, 0);
	assert_int_equal(budget_of(&guest, 1)->told, 0);
	assert_int_equal(budget_of(&guest, 1)->bucket[STRATA_BY_GUEST].tokens, 0);
	assert_int_equal(budget_of(&guest, 3)->refused, 0);
	assert_int_equal(budget_in(ANOTHER, &guest, 1)->refused, 4);
	assert_int_equal(take_in(ANOTHER, &guest, STRATA_BY_GUEST, 1), 0);
	/* The next owner of the channel counts from 0. */
	first_window(&guest, 1);
	assert_int_equal(take(&guest, TOKENS + 5), TOKENS - 1);
	assert_int_equal(budget_of(&guest, 1)->refused, 6);
}

static void a_clock_map_is_charged_to_each_channel_that_has_tokens(void **state)
{
	long *tokens = &budget_of(&guest, 1)->bucket[STRATA_BY_GUEST].tokens,
	     *others = &budget_in(ANOTHER, &guest, 1)->bucket[STRATA_BY_GUEST].tokens;

	(void)state;
	*tokens = 2;
	*others = 7;
	for (unsigned int i = 0; i < 3; i++)
		strata_budget_charge(1u << CHANNEL, guest.strata);
	assert_int_equal(*tokens, 0);
	assert_int_equal(*others, 7);
	strata_budget_charge(1u << CHANNEL | 1u << ANOTHER, guest.strata);
	assert_int_equal(*tokens, 0);
	assert_int_equal(*others, 6);
	/* A channel without a bound counts no tokens. */
	set.tokens[ANOTHER] = 0;
	strata_budget_charge(1u << ANOTHER, guest.strata);
	assert_int_equal(*others, 6);
	/* The last channel is destroyed while the probe is under way. */
	strata_set = NULL;
	strata_budget_charge(1u << CHANNEL, guest.strata);
}

#define BUDGET_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BUDGET_TEST(what_is_within_the_budget_is_recorded),
		BUDGET_TEST(what_is_beyond_is_refused_and_counted),
		BUDGET_TEST(the_next_window_fills_and_tells),
		BUDGET_TEST(the_first_refusal_in_a_window_is_told_at_once),
		BUDGET_TEST(each_cpu_has_a_budget_of_its_own),
		BUDGET_TEST(dom0_and_a_selection_without_budget_have_no_bound),
		BUDGET_TEST(what_was_refused_is_told_once),
		BUDGET_TEST(a_domain_that_ends_tells_what_it_was_refused_on_every_cpu),
		BUDGET_TEST(buckets_are_made_once),
		BUDGET_TEST(interrupts_take_nothing_from_what_a_guest_may_record),
		BUDGET_TEST(what_an_interrupt_does_to_a_guest_is_not_its_own_doing),
		BUDGET_TEST(without_memory_a_guest_records_nothing_and_others_their_share),
		BUDGET_TEST(each_channel_has_a_budget_of_its_own),
		BUDGET_TEST(a_domain_that_ends_tells_it_in_each_started_channel),
		BUDGET_TEST(a_destroyed_channel_is_forgotten_and_no_other_one),
		BUDGET_TEST(a_clock_map_is_charged_to_each_channel_that_has_tokens),
	};

	return cmocka_run_group_tests_name("budget_xen", tests, NULL, NULL);
}
