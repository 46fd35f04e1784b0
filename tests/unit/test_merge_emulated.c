// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_merge_emulated.c - a host that answers for emulated counters as Xen does,
 * and whose clocks behave as badly as Xen's can: each CPU corrects its system
 * time on its own, forward in jumps and back a little, and vCPUs move between
 * CPUs.  The true time of each reading is known, and must lie within the bound:
 * always, so each kind of host is simulated with many sequences of chance.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stream_clock.h"

#define PCPUS   2u
#define VCPUS   2u
#define DOMAIN  7u
#define TSC_KHZ 2400000u
#define START   5000000000000ull

/* Simulated steps of 10 us, and Xen's corrections about every 10 ms. */
#define STEP_TICKS       24000u
#define STEPS            60000u
#define CORRECTION_STEPS 1000u

/* With how many sequences of chance each kind of host is simulated, and how long each time. */
#define SEEDS      200u
#define SEED_STEPS 4000u
/* Then a CPU is corrected every 2.5 ms. */
#define SEED_CORRECTION_STEPS 250u

#define CORRECTIONS_MAX 4096u

struct host {
	struct strata_hv_pcpu_clock pcpus[PCPUS];
	uint32_t on_pcpu[VCPUS];
	struct strata_hv_vcpu_clock clock; /* of the domain */
	uint64_t last_ns;
	/* What was recorded of it. */
	struct strata_vcpu_stime stimes;
	struct strata_clock_maps maps;
	/* What is allowed to go wrong. */
	uint32_t jump_ns;
	uint32_t slower; /* by up to so many 2^-32ths of a nanosecond for two ticks */
	bool moves;
	bool of_one;         /* the domain has one vCPU */
	uint64_t skew_ticks; /* the second CPU's counter is ahead by so much */
	bool was_ahead;      /* until recording began, on another CPU */
	bool loses;          /* every third correction's record, of CPUs that vCPUs run on */
	bool hides;          /* where the second vCPU runs */
	bool forgets;        /* and then, for a while, some of where vCPUs ran */
	bool loses_more;     /* and what was recorded around it is no surer */
	uint32_t correction_steps;
	/* The records of corrections that were lost; when that began and may be over. */
	bool lost[PCPUS][CORRECTIONS_MAX];
	uint32_t nr_corrections[PCPUS];
	uint64_t lost_ticks[PCPUS];
	uint64_t told_ticks[PCPUS];
	uint64_t forgets_until[PCPUS];
};

struct reading {
	uint64_t ticks; /* the true ones, of the CPU that it was on */
	uint64_t guest;
	uint32_t vcpu;
	uint32_t pcpu;
	uint32_t correction; /* the number of that CPU's which held */
	bool told;           /* not soon after a place where corrections are missing */
};

static struct reading readings[STEPS];
static size_t nr_readings;
static size_t nr_unsure; /* of them */

static uint64_t random_state = 123456789012345ull;

/* A sequence of chance of its own for each @seed. */
static void begin_chance(uint64_t seed)
{
	random_state = (seed + 1) * 0x9e3779b97f4a7c15ull;
}

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return limit ? random_state % limit : 0;
}

static uint32_t nr_vcpus(const struct host *host)
{
	return host->of_one ? 1 : VCPUS;
}

/* Whether the record of where a vCPU runs, which that CPU made, is missing. */
static bool is_lost(const struct host *host, uint32_t vcpu, uint64_t ticks)
{
	return (host->hides && vcpu > 0) ||
	       (ticks < host->forgets_until[host->on_pcpu[vcpu]] && random_below(2));
}

static void record_stop(struct host *host, uint32_t vcpu, uint64_t ticks)
{
	if (!is_lost(host, vcpu, ticks))
		assert_true(strata_vcpu_stime_stops(&host->stimes, ticks, DOMAIN, (uint16_t)vcpu));
}

/* Records where a vCPU runs from now on. */
static void record_place(struct host *host, uint32_t vcpu, uint64_t ticks)
{
	if (!is_lost(host, vcpu, ticks))
		assert_true(strata_vcpu_stime_runs(&host->stimes, ticks, DOMAIN, (uint16_t)vcpu,
						   host->on_pcpu[vcpu]));
}

/* A CPU's own counter when the first one's is at @ticks. */
static uint64_t own_ticks(const struct host *host, uint32_t pcpu, uint64_t ticks)
{
	return ticks + (pcpu ? host->skew_ticks : 0);
}

static uint64_t system_time(const struct strata_hv_pcpu_clock *pcpu, uint64_t ticks)
{
	unsigned __int128 half = (ticks - pcpu->local_tsc) >> 1;

	return pcpu->local_stime_ns + (uint64_t)(half * pcpu->mul_frac >> 32);
}

/* Xen's pv_soft_rdtsc() and hvm_get_guest_tsc_fixed(). */
static uint64_t answer(struct host *host, uint32_t vcpu, uint64_t ticks)
{
	uint64_t now_ns = system_time(&host->pcpus[host->on_pcpu[vcpu]], ticks);
	unsigned __int128 delta;

	host->last_ns = now_ns > host->last_ns ? now_ns : host->last_ns + 1;
	delta = (host->last_ns - host->clock.vtsc_offset_ns) << 2;
	return (uint64_t)(delta * host->clock.vtsc_mul_frac >> 32) + host->clock.offset;
}

static void record_clock(struct host *host, uint64_t ticks)
{
	uint32_t i;

	for (i = 0; i < nr_vcpus(host); i++) {
		host->clock.vcpu = (uint16_t)i;
		host->clock.vtsc_last_ns = host->last_ns;
		assert_true(strata_clock_maps_add(&host->maps, ticks, &host->clock));
	}
}

/* The record is lost; and it may not be known more closely where it was. */
static void lose(struct host *host, uint32_t pcpu, uint64_t ticks)
{
	uint64_t before = host->loses_more ? random_below(300ull * STEP_TICKS) : 0;
	uint64_t behind = host->loses_more ? random_below(300ull * STEP_TICKS) : 0;

	if (host->forgets)
		host->forgets_until[pcpu] = ticks + behind;
	if (!host->lost[pcpu][host->nr_corrections[pcpu] - 1])
		host->lost_ticks[pcpu] = ticks;
	host->lost[pcpu][host->nr_corrections[pcpu]] = true;
	assert_true(strata_vcpu_stime_gap(&host->stimes, pcpu, ticks - 1 - before, ticks + behind));
}

/* It is known again what time it is; an answer may still follow from what was answered until now,
 * as many as there can have been: one in 500 ticks and vCPU, and each adds 2.4 ticks to it. */
static void tell(struct host *host, uint32_t pcpu, uint64_t ticks)
{
	uint64_t told = ticks + STEP_TICKS + (ticks - host->lost_ticks[pcpu]) / 50;

	if (host->lost[pcpu][host->nr_corrections[pcpu] - 1] && told > host->told_ticks[pcpu])
		host->told_ticks[pcpu] = told;
}

/* The CPU took its stamp a while ago; from now on it goes by that. */
static void correct(struct host *host, uint32_t pcpu, uint64_t ticks)
{
	struct strata_hv_pcpu_clock *clock = &host->pcpus[pcpu];
	uint64_t stamp = ticks - random_below(STEP_TICKS / 2);

	assert_true(++host->nr_corrections[pcpu] < CORRECTIONS_MAX);
	clock->local_stime_ns = system_time(clock, stamp);
	clock->local_tsc = stamp;
	if (random_below(3) == 0)
		clock->local_stime_ns += random_below(host->jump_ns);
	clock->mul_frac = 0xd5555555u - (uint32_t)random_below(host->slower);
	if (host->loses && (host->moves || pcpu == 0) && random_below(3) == 0) {
		lose(host, pcpu, ticks);
		return;
	}
	tell(host, pcpu, ticks);
	assert_true(strata_vcpu_stime_pcpu(&host->stimes, pcpu, ticks, clock));
}

static void begin(struct host *host)
{
	uint32_t i;

	nr_readings = 0;
	nr_unsure = 0;
	if (!host->correction_steps)
		host->correction_steps = CORRECTION_STEPS;
	for (i = 0; i < PCPUS; i++) {
		host->pcpus[i].mul_frac = 0xd5555555u;
		host->pcpus[i].shift = -1;
		host->pcpus[i].local_tsc = START - 1000000;
		host->pcpus[i].local_stime_ns = 2000000000000ull + random_below(host->jump_ns);
		assert_true(strata_vcpu_stime_pcpu(&host->stimes, i, START, &host->pcpus[i]));
	}
	host->clock = (struct strata_hv_vcpu_clock){ .domain = DOMAIN,
						     .emulated = 1,
						     .is_hvm = 1,
						     .offset = 1ull << 40,
						     .guest_khz = TSC_KHZ,
						     .vtsc_mul_frac = 0x9999999au,
						     .vtsc_shift = 2,
						     .vtsc_offset_ns = 1900000000000ull };
	host->last_ns = system_time(&host->pcpus[0], START);
	if (host->was_ahead)
		host->last_ns += 20000000;
	record_clock(host, START);
	for (i = 0; i < nr_vcpus(host); i++) {
		host->on_pcpu[i] = host->moves ? i % PCPUS : 0;
		record_place(host, i, START);
	}
}

static void step(struct host *host, uint64_t ticks)
{
	uint32_t pcpu = (uint32_t)random_below(PCPUS);
	uint32_t vcpu = (uint32_t)random_below(nr_vcpus(host)), on;

	if (random_below(host->correction_steps / PCPUS) == 0)
		correct(host, pcpu, own_ticks(host, pcpu, ticks));
	if (host->moves && random_below(50) == 0) {
		record_stop(host, vcpu, own_ticks(host, host->on_pcpu[vcpu], ticks + 5));
		host->on_pcpu[vcpu] = pcpu;
		record_place(host, vcpu, own_ticks(host, pcpu, ticks + 10));
	}
	ticks += 100 + random_below(STEP_TICKS - 200);
	on = host->on_pcpu[vcpu];
	ticks = own_ticks(host, on, ticks);
	readings[nr_readings++] =
		(struct reading){ ticks, answer(host, vcpu, ticks), vcpu,
				  on,    host->nr_corrections[on],  ticks >= host->told_ticks[on] };
}

static void finish(struct host *host)
{
	strata_clock_maps_sort(&host->maps, TSC_KHZ);
	assert_true(strata_vcpu_stime_finish(&host->stimes, host->skew_ticks));
}

static void clear(struct host *host)
{
	strata_clock_maps_clear(&host->maps);
	strata_vcpu_stime_clear(&host->stimes);
}

/* Whether a reading lies next to no place where a record is missing. */
static bool is_told(const struct host *host, const struct reading *reading)
{
	const bool *lost = &host->lost[reading->pcpu][reading->correction];

	return reading->told && !lost[0] && !lost[1];
}

/* Converts all readings: each must be where it says.  Returns the largest bound of sure ones. */
static uint64_t assert_all_within_bounds(const struct host *host)
{
	struct strata_stream_clock clocks[VCPUS];
	uint64_t before[VCPUS] = { 0 }, largest = 0;
	uint32_t i;
	size_t at;

	for (i = 0; i < nr_vcpus(host); i++)
		strata_stream_clock_init(&clocks[i], &host->maps, &host->stimes, host->skew_ticks,
					 DOMAIN, (uint16_t)i);
	for (at = 0; at < nr_readings; at++) {
		const struct reading *reading = &readings[at];
		struct strata_host_time time =
			strata_stream_clock_convert(&clocks[reading->vcpu], reading->guest);
		uint64_t off = time.ticks > reading->ticks ? time.ticks - reading->ticks
							   : reading->ticks - time.ticks;

		/* Also where it is not sure: what Xen does to its time is known. */
		assert_true(off <= time.bound);
		if (!time.sure) {
			nr_unsure++;
			/* And no more is called so than must be. */
			assert_false(!host->moves && !host->loses_more && is_told(host, reading));
			continue;
		}
		/* Nor do they come in another order than they were taken in. */
		assert_true(time.ticks + time.bound >= before[reading->vcpu]);
		before[reading->vcpu] = time.ticks;
		largest = time.bound > largest ? time.bound : largest;
	}
	return largest;
}

static uint64_t simulate_steps(struct host *host, uint32_t steps)
{
	uint64_t largest;
	uint32_t i;

	begin(host);
	for (i = 0; i < steps; i++)
		step(host, START + 1000 + (uint64_t)i * STEP_TICKS);
	finish(host);
	largest = assert_all_within_bounds(host);
	assert_true(host->loses || nr_unsure == 0);
	clear(host);
	return largest;
}

static uint64_t simulate(struct host *host)
{
	return simulate_steps(host, STEPS);
}

/* The same kind of host with many sequences of chance.  Returns the largest bound of all. */
static uint64_t simulate_seeds(const struct host *kind, size_t *unsure)
{
	static struct host host;
	uint64_t largest = 0, bound;
	uint32_t seed;

	*unsure = 0;
	for (seed = 0; seed < SEEDS; seed++) {
		host = *kind;
		host.correction_steps = SEED_CORRECTION_STEPS;
		begin_chance(seed);
		bound = simulate_steps(&host, SEED_STEPS);
		largest = bound > largest ? bound : largest;
		*unsure += nr_unsure;
	}
	return largest;
}

static void on_one_cpu_a_reading_is_known_to_nanoseconds(void **state)
{
	struct host host = { .jump_ns = 3000000 };

	(void)state;
	/* Jumps forward are no doubt; a nanosecond is 2.4 ticks, and one may have been added. */
	assert_in_range(simulate(&host), 2, 6);
}

static void where_time_steps_back_the_bound_covers_it(void **state)
{
	struct host host = { .jump_ns = 3000000, .slower = 1u << 30 };
	uint64_t largest;

	(void)state;
	largest = simulate(&host);
	/* A stamp of up to 12,000 ticks ago, 30 % slower since: 3,600 ticks back, and 5,100 until
	 * time is again where it was.  Half of both is the bound. */
	assert_in_range(largest, 100, 4400);
}

static void answers_from_before_the_recording_are_not_forgotten(void **state)
{
	struct host host = { .jump_ns = 100000, .was_ahead = true };
	uint64_t largest;

	(void)state;
	largest = simulate(&host);
	/* For 20 ms each answer is but one more than the last; half of them is the bound. */
	assert_in_range(largest, TSC_KHZ * 9, TSC_KHZ * 11);
}

static void cpus_that_disagree_cost_as_much_as_they_disagree(void **state)
{
	struct host host = { .jump_ns = 1000000, .slower = 1u << 26, .moves = true };
	uint64_t largest;

	(void)state;
	largest = simulate(&host);
	/* Up to a millisecond apart at first, and more with each jump; half of that is the bound.
	 */
	assert_true(largest > TSC_KHZ / 10);
	assert_true(largest < TSC_KHZ * 20ull);
}

static void the_skew_of_cpus_counts_where_they_are_several(void **state)
{
	struct host together = { .jump_ns = 1, .moves = true };
	struct host apart = { .jump_ns = 1, .moves = true, .skew_ticks = 3000 };
	struct host on_one = { .jump_ns = 1, .skew_ticks = 3000 };

	(void)state;
	/* Each correction rounds, on its own: nanoseconds apart after a while. */
	assert_in_range(simulate(&together), 2, 100);
	assert_in_range(simulate(&apart), 3000, 6100);
	assert_in_range(simulate(&on_one), 2, 6);
}

/* Its one vCPU was on both: what it says follows from either's counter. */
static void the_skew_counts_for_one_vcpu_that_moves(void **state)
{
	struct host moves = { .jump_ns = 1, .moves = true, .skew_ticks = 3000, .of_one = true };
	struct host stays = { .jump_ns = 1, .skew_ticks = 3000, .of_one = true };

	(void)state;
	assert_in_range(simulate(&moves), 3000, 6100);
	assert_in_range(simulate(&stays), 2, 6);
}

static void with_any_chance_each_bound_holds(void **state)
{
	static const struct host kinds[] = {
		{ .jump_ns = 3000000 },
		{ .jump_ns = 3000000, .slower = 1u << 30 },
		{ .jump_ns = 100000, .was_ahead = true },
		{ .jump_ns = 1000000, .slower = 1u << 26, .moves = true },
		{ .jump_ns = 3000000, .slower = 1u << 30, .moves = true, .skew_ticks = 3000 },
		{ .jump_ns = 1, .moves = true, .skew_ticks = 3000, .of_one = true },
		{ .jump_ns = 1000000, .slower = 1u << 26, .moves = true, .hides = true },
	};
	size_t i, unsure;

	(void)state;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		simulate_seeds(&kinds[i], &unsure);
		assert_int_equal(unsure, 0);
	}
}

/* A reading from there may say any time; and one that is sure is not from there. */
static void where_a_correction_is_missing_no_reading_is_sure(void **state)
{
	static const struct host kinds[] = {
		{ .jump_ns = 1, .loses = true },
		{ .jump_ns = 1000000, .slower = 1u << 26, .loses = true },
		{ .jump_ns = 1000000, .slower = 1u << 30, .loses = true },
		{ .jump_ns = 1000000, .slower = 1u << 30, .loses = true, .loses_more = true },
	};
	size_t i, unsure;

	(void)state;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		/* Half of a step back, as where nothing is missing. */
		assert_in_range(simulate_seeds(&kinds[i], &unsure), 2, 4400);
		assert_true(unsure > 0);
	}
}

/* An answer may follow from what a vCPU was told on the other CPU, whose correction is missing. */
static void what_is_missing_of_one_cpu_is_missing_of_all_vcpus_that_were_on_it(void **state)
{
	static const struct host kinds[] = {
		{ .jump_ns = 1, .moves = true, .loses = true },
		{ .jump_ns = 1, .moves = true, .loses = true, .of_one = true },
		{ .jump_ns = 1000000, .slower = 1u << 26, .moves = true, .loses = true },
		{ .jump_ns = 1000000,
		  .slower = 1u << 30,
		  .moves = true,
		  .loses = true,
		  .loses_more = true,
		  .skew_ticks = 3000 },
	};
	size_t i, unsure;
	uint64_t largest;

	(void)state;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		largest = simulate_seeds(&kinds[i], &unsure);
		assert_true(unsure > 0);
		/* No reading that is sure has a bound that reaches to where one is missing. */
		assert_true(kinds[i].jump_ns > 1 || largest < 100);
	}
}

static void where_a_vcpu_may_have_run_unseen_its_time_may_be_any_cpus(void **state)
{
	static const struct host kinds[] = {
		{ .jump_ns = 1000000,
		  .moves = true,
		  .loses = true,
		  .loses_more = true,
		  .forgets = true },
		{ .jump_ns = 1000000,
		  .moves = true,
		  .loses = true,
		  .loses_more = true,
		  .forgets = true,
		  .of_one = true },
		{ .jump_ns = 1000000,
		  .slower = 1u << 30,
		  .moves = true,
		  .loses = true,
		  .loses_more = true,
		  .forgets = true,
		  .skew_ticks = 3000 },
	};
	size_t i, unsure;

	(void)state;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		simulate_seeds(&kinds[i], &unsure);
		assert_true(unsure > 0);
	}
}

static void where_it_is_not_known_where_they_ran_all_cpus_count(void **state)
{
	struct host host = { .jump_ns = 200000, .slower = 1u << 26, .moves = true };
	uint32_t i;

	(void)state;
	begin(&host);
	for (i = 0; i < STEPS; i++)
		step(&host, START + 1000 + (uint64_t)i * STEP_TICKS);
	host.stimes.nr_residences = 0;
	finish(&host);
	assert_all_within_bounds(&host);
	clear(&host);
}

static void a_counter_that_is_set_is_undone_on_both_sides(void **state)
{
	static const int64_t steps_ticks[] = { 50000000, -7000000, -100000, 300000000 };
	struct host host = { .jump_ns = 100000, .slower = 1u << 26 };
	uint32_t i, next = 0;

	(void)state;
	begin(&host);
	for (i = 0; i < STEPS; i++) {
		uint64_t ticks = START + 1000 + (uint64_t)i * STEP_TICKS;

		if (next < 4 && i == (next + 1) * STEPS / 5) {
			host.clock.offset += (uint64_t)steps_ticks[next++];
			record_clock(&host, ticks);
		}
		step(&host, ticks);
	}
	finish(&host);
	assert_all_within_bounds(&host);
	clear(&host);
}

/* As when a guest is migrated, or its counter is set: Xen counts from another system time, and
 * that is all that changes. */
static void a_counter_that_counts_from_another_time_is_undone_on_both_sides(void **state)
{
	static const int64_t steps_ns[] = { 21000000, -3000000, -40000, 125000000 };
	struct host host = { .jump_ns = 100000, .slower = 1u << 26 };
	uint64_t largest;
	uint32_t i, next = 0;

	(void)state;
	begin(&host);
	for (i = 0; i < STEPS; i++) {
		uint64_t ticks = START + 1000 + (uint64_t)i * STEP_TICKS;

		if (next < 4 && i == (next + 1) * STEPS / 5) {
			host.clock.vtsc_offset_ns += (uint64_t)steps_ns[next++];
			record_clock(&host, ticks);
		}
		step(&host, ticks);
	}
	finish(&host);
	/* Each is a map of its own. */
	assert_int_equal(host.maps.nr, 5 * VCPUS);
	largest = assert_all_within_bounds(&host);
	/* Doubt is twice what the counter was set back by, both times, and no more. */
	assert_in_range(largest, TSC_KHZ * 125 * 2, TSC_KHZ * (21 + 125) * 2 + 100);
	clear(&host);
}

static void a_guest_that_begins_to_run_all_the_time_loses_its_own_places_only(void **state)
{
	const struct strata_hv_pcpu_clock clock = { .mul_frac = 1u << 31 };
	struct strata_vcpu_stime stimes = { 0 };
	struct strata_stime_set set;
	uint32_t i;

	(void)state;
	assert_true(strata_vcpu_stime_pcpu(&stimes, 0, 1, &clock));
	assert_true(strata_vcpu_stime_pcpu(&stimes, 1, 1, &clock));
	assert_true(strata_vcpu_stime_runs(&stimes, 5, 2, 0, 1));
	for (i = 0; i < 3 * STRATA_RESIDENCES_MAX; i++)
		assert_true(strata_vcpu_stime_runs(&stimes, 10 + i, 1, (uint16_t)(i % 3), i % 2));
	assert_true(strata_vcpu_stime_runs(&stimes, 5, 3, 0, 1));
	assert_true(stimes.capacity <= STRATA_RESIDENCES_MAX);
	assert_true(strata_vcpu_stime_dropped(&stimes, 1));
	assert_false(strata_vcpu_stime_dropped(&stimes, 2));
	assert_true(strata_vcpu_stime_finish(&stimes, 0));
	/* Then its time may be any CPU's; of the others it is known whose. */
	set = strata_vcpu_stime_own(&stimes, 1, 2);
	assert_int_equal(set.nr, 2);
	set = strata_vcpu_stime_own(&stimes, 2, 0);
	assert_int_equal(set.nr, 1);
	set = strata_vcpu_stime_own(&stimes, 3, 0);
	assert_int_equal(set.nr, 1);
	assert_int_equal(set.members[0].pcpu, 1);
	strata_vcpu_stime_clear(&stimes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_one_cpu_a_reading_is_known_to_nanoseconds),
		cmocka_unit_test(where_time_steps_back_the_bound_covers_it),
		cmocka_unit_test(answers_from_before_the_recording_are_not_forgotten),
		cmocka_unit_test(cpus_that_disagree_cost_as_much_as_they_disagree),
		cmocka_unit_test(the_skew_of_cpus_counts_where_they_are_several),
		cmocka_unit_test(with_any_chance_each_bound_holds),
		cmocka_unit_test(where_a_correction_is_missing_no_reading_is_sure),
		cmocka_unit_test(
			what_is_missing_of_one_cpu_is_missing_of_all_vcpus_that_were_on_it),
		cmocka_unit_test(where_a_vcpu_may_have_run_unseen_its_time_may_be_any_cpus),
		cmocka_unit_test(where_it_is_not_known_where_they_ran_all_cpus_count),
		cmocka_unit_test(a_counter_that_is_set_is_undone_on_both_sides),
		cmocka_unit_test(the_skew_counts_for_one_vcpu_that_moves),
		cmocka_unit_test(a_counter_that_counts_from_another_time_is_undone_on_both_sides),
		cmocka_unit_test(a_guest_that_begins_to_run_all_the_time_loses_its_own_places_only),
	};

	return cmocka_run_group_tests_name("emulated", tests, NULL, NULL);
}
