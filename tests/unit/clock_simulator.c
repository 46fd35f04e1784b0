// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock_simulator.c - clocks integrated from their drift.
 */
#include <math.h>

#include "clock_simulator.h"

uint64_t sim_random(struct sim_random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

double sim_uniform(struct sim_random *random)
{
	return (double)(sim_random(random) >> 11) / 9007199254740992.0;
}

double sim_between(struct sim_random *random, double low, double high)
{
	return low + (high - low) * sim_uniform(random);
}

double sim_exponential(struct sim_random *random)
{
	return -log(1.0 - sim_uniform(random));
}

double sim_pareto(struct sim_random *random)
{
	return pow(1.0 - sim_uniform(random), -1.0 / 1.5);
}

void sim_clock_init(struct sim_clock *clock, struct sim_random *random, double hz, double span_ns,
		    double drift, double slew)
{
	double per_node;
	int i;

	clock->hz = hz;
	clock->offset = (int64_t)(sim_between(random, -1e17, 1e17));
	clock->nr_steps = 0;
	clock->node_ns = span_ns / (SIM_NODES - 8);
	clock->drift[0] = sim_between(random, -drift, drift);
	clock->phase[0] = 0;
	per_node = slew * clock->node_ns * 1e-9;
	for (i = 1; i < SIM_NODES; i++) {
		/* Long runs in one direction are the worst case, so they are the usual one. */
		double change = sim_uniform(random) < 0.9 ? per_node : -per_node;

		if (i / 64 % 2)
			change = -change;
		clock->drift[i] = clock->drift[i - 1] + change;
		if (clock->drift[i] > drift || clock->drift[i] < -drift)
			clock->drift[i] = clock->drift[i - 1];
		clock->phase[i] =
			clock->phase[i - 1] +
			((long double)clock->drift[i - 1] + clock->drift[i]) / 2 * clock->node_ns;
	}
}

void sim_clock_step(struct sim_clock *clock, double at_ns, double ticks)
{
	clock->step_at[clock->nr_steps] = at_ns;
	clock->step_ticks[clock->nr_steps++] = ticks;
}

long double sim_clock_exact(const struct sim_clock *clock, double ns)
{
	int i, node = ns < clock->node_ns * (SIM_NODES - 1) ? (int)(ns / clock->node_ns)
							    : SIM_NODES - 1;
	long double into, slope = 0, phase, ticks;

	if (node < 0)
		node = 0;
	into = (long double)ns - (long double)node * clock->node_ns;
	/* After the last node, drift stays as it is. */
	if (node < SIM_NODES - 1)
		slope = ((long double)clock->drift[node + 1] - clock->drift[node]) / clock->node_ns;
	phase = clock->phase[node] + into * clock->drift[node] + slope * into * into / 2;
	ticks = ((long double)ns + phase) * (long double)clock->hz / 1e9L;
	for (i = 0; i < clock->nr_steps; i++) {
		if (ns >= clock->step_at[i])
			ticks += clock->step_ticks[i];
	}
	return ticks;
}

int64_t sim_clock_read(const struct sim_clock *clock, double ns)
{
	return clock->offset + (int64_t)floorl(sim_clock_exact(clock, ns));
}

double sim_clock_error(const struct sim_clock *from, const struct sim_clock *to, double ns,
		       int64_t estimate)
{
	long double shown = sim_clock_exact(from, ns);
	long double late_ns = (shown - floorl(shown)) / (long double)from->hz * 1e9L;
	/* Within a tick, drift is of no account. */
	long double truth = sim_clock_exact(to, ns) - late_ns * (long double)to->hz / 1e9L;

	return (double)((long double)(estimate - to->offset) - truth);
}
