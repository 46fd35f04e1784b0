// SPDX-License-Identifier: GPL-2.0-or-later
/* emulated_host.c - see emulated_host.h. */
#include "emulated_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Corrections of a CPU, unless the host has its own. */
#define CORRECTION_STEPS 1000u

/* With how many sequences of chance each kind of host is simulated, and how long each time. */
#define SEEDS      200u
#define SEED_STEPS 4000u
/* Then a CPU is corrected every 2.5 ms. */
#define SEED_CORRECTION_STEPS 250u

struct reading {
	uint64_t ticks; /* the true ones, of the CPU that it was on */
	uint64_t guest;
	uint32_t vcpu;
	uint32_t pcpu;
	uint32_t correction; /* the number of that CPU's which held */
	bool told;           /* not soon after a place where corrections are missing */
};

static struct reading readings[EMULATED_STEPS];
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

static uint32_t nr_vcpus(const struct emulated_host *host)
{
	return host->of_one ? 1 : EMULATED_VCPUS;
}

/* Whether the record of where a vCPU runs, which that CPU made, is missing. */
static bool is_lost(const struct emulated_host *host, uint32_t vcpu, uint64_t ticks)
{
	return (host->hides && vcpu > 0) ||
	       (ticks < host->forgets_until[host->on_pcpu[vcpu]] && random_below(2));
}

static void record_stop(struct emulated_host *host, uint32_t vcpu, uint64_t ticks)
{
	if (!is_lost(host, vcpu, ticks))
		assert_true(strata_vcpu_stime_stops(&host->stimes, ticks, EMULATED_DOMAIN,
						    (uint16_t)vcpu));
}

/* Records where a vCPU runs from now on. */
static void record_place(struct emulated_host *host, uint32_t vcpu, uint64_t ticks)
{
	if (!is_lost(host, vcpu, ticks))
		assert_true(strata_vcpu_stime_runs(&host->stimes, ticks, EMULATED_DOMAIN,
						   (uint16_t)vcpu, host->on_pcpu[vcpu]));
}

/* A CPU's own counter when the first one's is at @ticks. */
static uint64_t own_ticks(const struct emulated_host *host, uint32_t pcpu, uint64_t ticks)
{
	return ticks + (pcpu ? host->skew_ticks : 0);
}

static uint64_t system_time(const struct strata_hv_pcpu_clock *pcpu, uint64_t ticks)
{
	unsigned __int128 half = (ticks - pcpu->local_tsc) >> 1;

	return pcpu->local_stime_ns + (uint64_t)(half * pcpu->mul_frac >> 32);
}

/* Xen's pv_soft_rdtsc() and hvm_get_guest_tsc_fixed(). */
static uint64_t answer(struct emulated_host *host, uint32_t vcpu, uint64_t ticks)
{
	uint64_t now_ns = system_time(&host->pcpus[host->on_pcpu[vcpu]], ticks);
	unsigned __int128 delta;

	host->last_ns = now_ns > host->last_ns ? now_ns : host->last_ns + 1;
	delta = (host->last_ns - host->clock.vtsc_offset_ns) << 2;
	return (uint64_t)(delta * host->clock.vtsc_mul_frac >> 32) + host->clock.offset;
}

void emulated_record_clock(struct emulated_host *host, uint64_t ticks)
{
	uint32_t i;

	for (i = 0; i < nr_vcpus(host); i++) {
		host->clock.vcpu = (uint16_t)i;
		host->clock.vtsc_last_ns = host->last_ns;
		assert_true(strata_clock_maps_add(&host->maps, ticks, &host->clock));
	}
}

/* The record is lost; and it may not be known more closely where it was. */
static void lose(struct emulated_host *host, uint32_t pcpu, uint64_t ticks)
{
	uint64_t before = host->loses_more ? random_below(300ull * EMULATED_STEP_TICKS) : 0;
	uint64_t behind = host->loses_more ? random_below(300ull * EMULATED_STEP_TICKS) : 0;

	if (host->forgets)
		host->forgets_until[pcpu] = ticks + behind;
	if (!host->lost[pcpu][host->nr_corrections[pcpu] - 1])
		host->lost_ticks[pcpu] = ticks;
	host->lost[pcpu][host->nr_corrections[pcpu]] = true;
	assert_true(strata_vcpu_stime_gap(&host->stimes, pcpu, ticks - 1 - before, ticks + behind));
}

/* It is known again what time it is; an answer may still follow from what was answered until now,
 * as many as there can have been: one in 500 ticks and vCPU, and each adds 2.4 ticks to it. */
static void tell(struct emulated_host *host, uint32_t pcpu, uint64_t ticks)
{
	uint64_t told = ticks + EMULATED_STEP_TICKS + (ticks - host->lost_ticks[pcpu]) / 50;

	if (host->lost[pcpu][host->nr_corrections[pcpu] - 1] && told > host->told_ticks[pcpu])
		host->told_ticks[pcpu] = told;
}

/* The CPU took its stamp a while ago; from now on it goes by that. */
static void correct(struct emulated_host *host, uint32_t pcpu, uint64_t ticks)
{
	struct strata_hv_pcpu_clock *clock = &host->pcpus[pcpu];
	uint64_t stamp = ticks - random_below(EMULATED_STEP_TICKS / 2);

	assert_true(++host->nr_corrections[pcpu] < EMULATED_CORRECTIONS_MAX);
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

void emulated_begin(struct emulated_host *host)
{
	uint32_t i;

	nr_readings = 0;
	nr_unsure = 0;
	if (!host->correction_steps)
		host->correction_steps = CORRECTION_STEPS;
	for (i = 0; i < EMULATED_PCPUS; i++) {
		host->pcpus[i].mul_frac = 0xd5555555u;
		host->pcpus[i].shift = -1;
		host->pcpus[i].local_tsc = EMULATED_START - 1000000;
		host->pcpus[i].local_stime_ns = 2000000000000ull + random_below(host->jump_ns);
		assert_true(
			strata_vcpu_stime_pcpu(&host->stimes, i, EMULATED_START, &host->pcpus[i]));
	}
	host->clock = (struct strata_hv_vcpu_clock){ .domain = EMULATED_DOMAIN,
						     .emulated = 1,
						     .is_hvm = 1,
						     .offset = 1ull << 40,
						     .guest_khz = EMULATED_TSC_KHZ,
						     .vtsc_mul_frac = 0x9999999au,
						     .vtsc_shift = 2,
						     .vtsc_offset_ns = 1900000000000ull };
	host->last_ns = system_time(&host->pcpus[0], EMULATED_START);
	if (host->was_ahead)
		host->last_ns += 20000000;
	emulated_record_clock(host, EMULATED_START);
	for (i = 0; i < nr_vcpus(host); i++) {
		host->on_pcpu[i] = host->moves ? i % EMULATED_PCPUS : 0;
		record_place(host, i, EMULATED_START);
	}
}

void emulated_step(struct emulated_host *host, uint64_t ticks)
{
	uint32_t pcpu = (uint32_t)random_below(EMULATED_PCPUS);
	uint32_t vcpu = (uint32_t)random_below(nr_vcpus(host)), on;

	if (random_below(host->correction_steps / EMULATED_PCPUS) == 0)
		correct(host, pcpu, own_ticks(host, pcpu, ticks));
	if (host->moves && random_below(50) == 0) {
		record_stop(host, vcpu, own_ticks(host, host->on_pcpu[vcpu], ticks + 5));
		host->on_pcpu[vcpu] = pcpu;
		record_place(host, vcpu, own_ticks(host, pcpu, ticks + 10));
	}
	ticks += 100 + random_below(EMULATED_STEP_TICKS - 200);
	on = host->on_pcpu[vcpu];
	ticks = own_ticks(host, on, ticks);
	readings[nr_readings++] =
		(struct reading){ ticks, answer(host, vcpu, ticks), vcpu,
				  on,    host->nr_corrections[on],  ticks >= host->told_ticks[on] };
}

void emulated_finish(struct emulated_host *host)
{
	strata_clock_maps_sort(&host->maps, EMULATED_TSC_KHZ);
	assert_true(strata_vcpu_stime_finish(&host->stimes, host->skew_ticks));
}

void emulated_clear(struct emulated_host *host)
{
	strata_clock_maps_clear(&host->maps);
	strata_vcpu_stime_clear(&host->stimes);
}

/* Whether a reading lies next to no place where a record is missing. */
static bool is_told(const struct emulated_host *host, const struct reading *reading)
{
	const bool *lost = &host->lost[reading->pcpu][reading->correction];

	return reading->told && !lost[0] && !lost[1];
}

/* Converts all readings: each must lie within its bound.  Returns the largest bound of the certain
 * ones. */
uint64_t emulated_assert_within_bounds(const struct emulated_host *host)
{
	struct strata_stream_clock clocks[EMULATED_VCPUS];
	uint64_t before[EMULATED_VCPUS] = { 0 }, largest = 0;
	uint32_t i;
	size_t at;

	for (i = 0; i < nr_vcpus(host); i++)
		strata_stream_clock_init(&clocks[i], &host->maps, &host->stimes, host->skew_ticks,
					 EMULATED_DOMAIN, (uint16_t)i);
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

static uint64_t simulate_steps(struct emulated_host *host, uint32_t steps)
{
	uint64_t largest;
	uint32_t i;

	emulated_begin(host);
	for (i = 0; i < steps; i++)
		emulated_step(host, EMULATED_START + 1000 + (uint64_t)i * EMULATED_STEP_TICKS);
	emulated_finish(host);
	largest = emulated_assert_within_bounds(host);
	assert_true(host->loses || nr_unsure == 0);
	emulated_clear(host);
	return largest;
}

uint64_t emulated_simulate(struct emulated_host *host)
{
	return simulate_steps(host, EMULATED_STEPS);
}

/* The same kind of host with many sequences of chance.  Returns the largest bound of all. */
uint64_t emulated_simulate_seeds(const struct emulated_host *kind, size_t *unsure)
{
	static struct emulated_host host;
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
