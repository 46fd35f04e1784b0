/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock_simulator.h - clocks that are wrong in known ways.
 *
 * A clock has an offset, a drift that wanders within a limit, and steps.  True time is in
 * nanoseconds; what any clock shows at any true time is known, so whatever an estimator
 * says can be judged.  Shares nothing with the estimator, by design: floating point of
 * 64 bits of mantissa here, integers there.
 */
#ifndef STRATA_TESTS_CLOCK_SIMULATOR_H
#define STRATA_TESTS_CLOCK_SIMULATOR_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_NODES 512
#define SIM_STEPS 4

/* splitmix64 */
struct sim_random {
	uint64_t state;
};

uint64_t sim_random(struct sim_random *random);
/* In [0, 1). */
double sim_uniform(struct sim_random *random);
double sim_between(struct sim_random *random, double low, double high);
/* With mean 1. */
double sim_exponential(struct sim_random *random);
/* Heavy-tailed, least value 1. */
double sim_pareto(struct sim_random *random);

struct sim_clock {
	double hz;
	int64_t offset; /* ticks, at true time 0 */
	double node_ns; /* drift is straight between nodes so far apart */
	double drift[SIM_NODES];
	long double phase[SIM_NODES]; /* the integral of drift: ns */
	double step_at[SIM_STEPS];    /* true ns */
	double step_ticks[SIM_STEPS];
	int nr_steps;
};

/* A clock for true times from 0 to @span_ns.  Its drift starts within +-@drift (1e-6: 1 ppm),
 * stays within it, and changes by at most @slew a second. */
void sim_clock_init(struct sim_clock *clock, struct sim_random *random, double hz, double span_ns,
		    double drift, double slew);

void sim_clock_step(struct sim_clock *clock, double at_ns, double ticks);

/* What the clock shows, with a fraction, less the offset. */
long double sim_clock_exact(const struct sim_clock *clock, double ns);

/* What it shows. */
int64_t sim_clock_read(const struct sim_clock *clock, double ns);

/* How far an estimate of @to at the time when @from turned to what it shows at @ns is from the
 * truth: ticks of @to. */
double sim_clock_error(const struct sim_clock *from, const struct sim_clock *to, double ns,
		       int64_t estimate);

#endif /* STRATA_TESTS_CLOCK_SIMULATOR_H */
