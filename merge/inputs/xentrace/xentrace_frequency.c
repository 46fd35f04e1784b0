// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xentrace_frequency.c - see xentrace_frequency.h. The importer calls it if the user did not give
 * the frequency.
 *
 * There are two kinds of chains of readings, separate for each physical CPU. At a switch, Xen
 * writes how long the stopping vCPU has run since the switch at which it started: the sum of these,
 * from switch to switch, is system time. Around an idle state, Xen writes the system time itself
 * (or, on processors whose counter stops there, ticks of another clock: these are far fewer, and
 * left out).
 *
 * System time is read first, the counter when the record is written: a little
 * later, sometimes much later, never earlier.  So the points (time, counter) lie
 * above a line, and the lowest of them near it. The slope is that of the lower convex hull at the
 * middle; its error is the mean distance of the points from the hull, divided by the length of the
 * chain.
 */
#include "inputs/xentrace/xentrace_frequency.h"

#include <stdlib.h>
#include <string.h>

#define IDLE_ENTRY     0x00801002u /* C state, time, expected, predicted */
#define IDLE_EXIT      0x00801003u /* C state, time, interrupts[4] */
#define SWITCH         0x0002800au /* domain, unit that stops; domain, unit that starts */
#define SWITCH_INFPREV 0x0002800eu /* domain, unit that stops; how long it ran */

/* Part of a file to read: hundreds of seconds of a busy host. */
#define BYTES_READ (256ull << 20)

/* No host's counter is slower or faster than this. */
#define KHZ_MIN 200000.0
#define KHZ_MAX 20000000.0

/* 32 bits of nanoseconds wrap after 4.29 s, in which every counter advances by at least this many
 * ticks. */
#define LINK_TICKS_MAX ((uint64_t)(4.29 * KHZ_MIN * 1e3))

#define PAIRS_MIN 50u
#define HULL_MAX  4096u

struct point {
	double ns;
	double ticks;
};

/* Consecutive readings without a gap. */
struct chain {
	bool begun;
	uint64_t first_ticks;
	uint64_t last_ticks;
	uint64_t ns; /* since the first reading */
	uint64_t nr;
	double sum_ns, sum_ticks; /* of all points */
	struct point *hull;
	uint32_t nr_hull;
	uint32_t capacity;
};

struct estimate {
	double khz;
	double error; /* relative; 1: none */
	uint64_t nr;
};

struct pcpu {
	struct chain switches;
	bool knows_next; /* the unit that the last switch started */
	uint64_t next;   /* domain << 32 | unit */
	bool ran;        /* an infprev was seen, its switch was not yet */
	uint64_t ran_prev;
	uint64_t ran_ticks;
	uint32_t ran_ns;
	struct chain idle;
	uint32_t idle_ns;
	struct estimate best_switches, best_idle;
};

static double cross(const struct point *o, const struct point *a, const struct point *b)
{
	return (a->ns - o->ns) * (b->ticks - o->ticks) - (a->ticks - o->ticks) * (b->ns - o->ns);
}

/* The edge of the hull over the middle gives the line; see the top. */
static struct estimate judge(const struct chain *chain)
{
	struct estimate none = { .error = 1 }, estimate = none;
	const struct point *left, *right;
	double slope, above, nr = (double)chain->nr;
	uint32_t i;

	if (chain->nr < PAIRS_MIN || chain->nr_hull < 2 || chain->ns == 0)
		return none;
	for (i = 1; i + 1 < chain->nr_hull && chain->hull[i].ns < (double)chain->ns / 2; i++)
		;
	left = &chain->hull[i - 1];
	right = &chain->hull[i];
	slope = (right->ticks - left->ticks) / (right->ns - left->ns); /* ticks in a ns */
	above = (chain->sum_ticks - slope * chain->sum_ns) / nr - (left->ticks - slope * left->ns);
	estimate.khz = slope * 1e6;
	estimate.nr = chain->nr;
	/* Both ends may have this error. */
	estimate.error = 2 * above / (slope * (double)chain->ns) + 1e-9;
	if (!(estimate.khz >= KHZ_MIN && estimate.khz <= KHZ_MAX && estimate.error < 1))
		return none;
	return estimate;
}

static void end_chain(struct chain *chain, struct estimate *best)
{
	struct estimate estimate = judge(chain);

	if (estimate.error < best->error)
		*best = estimate;
	chain->begun = false;
	chain->nr = 0;
	chain->nr_hull = 0;
	chain->ns = 0;
	chain->sum_ns = 0;
	chain->sum_ticks = 0;
}

static bool add_point(struct chain *chain, uint64_t ticks)
{
	struct point point = { .ns = (double)chain->ns,
			       .ticks = (double)(ticks - chain->first_ticks) };

	chain->last_ticks = ticks;
	chain->nr++;
	chain->sum_ns += point.ns;
	chain->sum_ticks += point.ticks;
	while (chain->nr_hull >= 2 && cross(&chain->hull[chain->nr_hull - 2],
					    &chain->hull[chain->nr_hull - 1], &point) <= 0)
		chain->nr_hull--;
	if (chain->nr_hull == chain->capacity) {
		uint32_t capacity = chain->capacity ? chain->capacity * 2 : 16;
		struct point *grown;

		/* A real clock's hull does not have this many points, so the last one can be
		 * replaced. */
		if (chain->nr_hull == HULL_MAX) {
			chain->hull[HULL_MAX - 1] = point;
			return true;
		}
		grown = reallocarray(chain->hull, capacity, sizeof(*grown));
		if (!grown)
			return false;
		chain->hull = grown;
		chain->capacity = capacity;
	}
	chain->hull[chain->nr_hull++] = point;
	return true;
}

/* A reading of the counter, @ns after the one before.  False: out of memory. */
static bool add_link(struct chain *chain, struct estimate *best, uint64_t ticks, uint32_t ns)
{
	if (chain->begun &&
	    (ticks <= chain->last_ticks || ticks - chain->last_ticks > LINK_TICKS_MAX || ns == 0))
		end_chain(chain, best);
	if (!chain->begun) {
		chain->begun = true;
		chain->first_ticks = ticks;
		return add_point(chain, ticks);
	}
	chain->ns += ns;
	return add_point(chain, ticks);
}

static bool note_idle(struct pcpu *pcpu, const struct strata_xentrace_record *record)
{
	uint32_t ns = strata_xentrace_word(record, 1);
	bool added;

	added = add_link(&pcpu->idle, &pcpu->best_idle, record->ticks, ns - pcpu->idle_ns);
	pcpu->idle_ns = ns;
	return added;
}

static uint64_t take_unit(const struct strata_xentrace_record *record, unsigned int first)
{
	return (uint64_t)strata_xentrace_word(record, first) << 32 |
	       strata_xentrace_word(record, first + 1);
}

/* The run time of the stopping unit counts only if its start was seen here. */
static bool note_switch(struct pcpu *pcpu, const struct strata_xentrace_record *record)
{
	uint64_t prev = take_unit(record, 0);
	bool added = true;

	if (!pcpu->knows_next || !pcpu->ran || pcpu->ran_prev != prev || pcpu->next != prev)
		end_chain(&pcpu->switches, &pcpu->best_switches);
	if (pcpu->ran && pcpu->ran_prev == prev)
		added = add_link(&pcpu->switches, &pcpu->best_switches, pcpu->ran_ticks,
				 pcpu->ran_ns);
	pcpu->knows_next = true;
	pcpu->next = take_unit(record, 2);
	pcpu->ran = false;
	return added;
}

static bool note(struct pcpu *pcpu, const struct strata_xentrace_record *record)
{
	if (record->event == STRATA_XENTRACE_LOST_RECORDS) {
		pcpu->knows_next = false;
		return true;
	}
	if (!record->timed)
		return true;
	if ((record->event == IDLE_ENTRY && record->words == 4) ||
	    (record->event == IDLE_EXIT && record->words == 6))
		return note_idle(pcpu, record);
	if (record->event == SWITCH && record->words == 4)
		return note_switch(pcpu, record);
	if (record->event == SWITCH_INFPREV && record->words == 3) {
		pcpu->ran = true;
		pcpu->ran_prev = take_unit(record, 0);
		pcpu->ran_ns = strata_xentrace_word(record, 2);
		pcpu->ran_ticks = record->ticks;
	}
	return true;
}

static void forget_all(struct pcpu *pcpus, uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++)
		pcpus[i].knows_next = false;
}

/* Chooses the estimate with the least error, unless another one contradicts it. */
static void conclude(struct pcpu *pcpus, uint32_t nr, struct strata_xentrace_frequency *found)
{
	struct estimate best = { .error = 1 };
	uint32_t i, j;

	for (i = 0; i < nr; i++) {
		end_chain(&pcpus[i].switches, &pcpus[i].best_switches);
		end_chain(&pcpus[i].idle, &pcpus[i].best_idle);
		if (pcpus[i].best_switches.error < best.error)
			best = pcpus[i].best_switches;
		if (pcpus[i].best_idle.error < best.error)
			best = pcpus[i].best_idle;
	}
	if (best.error * 1e6 > STRATA_XENTRACE_PPM_MAX)
		return;
	for (i = 0; i < nr; i++) {
		const struct estimate *others[] = { &pcpus[i].best_switches, &pcpus[i].best_idle };

		for (j = 0; j < 2; j++) {
			double apart = others[j]->khz / best.khz - 1;

			/* An estimate too inexact to be used alone does not count. */
			if (others[j]->error * 1e6 <= STRATA_XENTRACE_PPM_MAX &&
			    (apart < 0 ? -apart : apart) > 2 * (others[j]->error + best.error))
				found->contradicts = true;
		}
	}
	if (found->contradicts)
		return;
	found->tsc_khz = (uint32_t)(best.khz + 0.5);
	found->error_ppm = (uint32_t)(best.error * 1e6) + 1;
	found->pairs = best.nr;
}

/* Reads all records of the first part. @nr: OUT, the highest CPU with records plus one. False: out
 * of memory. */
static bool note_all(struct strata_xentrace_reader *reader, struct pcpu *pcpus, uint32_t *nr)
{
	struct strata_xentrace_record record;
	enum strata_xentrace_step step;

	while ((step = strata_xentrace_next(reader, &record))) {
		if (step == STRATA_XENTRACE_GAP) {
			forget_all(pcpus, *nr);
			continue;
		}
		for (; *nr <= record.cpu; (*nr)++)
			pcpus[*nr].best_switches.error = pcpus[*nr].best_idle.error = 1;
		if (!note(&pcpus[record.cpu], &record))
			return false;
	}
	return true;
}

int strata_xentrace_find_frequency(const char *path, struct strata_xentrace_frequency *found,
				   struct strata_error *error)
{
	struct strata_xentrace_reader reader;
	struct pcpu *pcpus;
	uint32_t nr = 0, i;
	bool good;

	memset(found, 0, sizeof(*found));
	if (strata_xentrace_open(&reader, path, NULL, NULL, error))
		return -1;
	if (reader.limit > BYTES_READ)
		reader.limit = BYTES_READ;
	pcpus = calloc(STRATA_XENTRACE_CPU_MAX + 1, sizeof(*pcpus));
	good = pcpus && note_all(&reader, pcpus, &nr);
	if (good)
		conclude(pcpus, nr, found);
	for (i = 0; i < nr; i++) {
		free(pcpus[i].switches.hull);
		free(pcpus[i].idle.hull);
	}
	free(pcpus);
	strata_xentrace_close(&reader);
	return good ? 0 : strata_fail(error, "%s: out of memory", path);
}
