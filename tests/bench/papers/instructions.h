/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instructions.h - the time of a machine that QEMU runs with -icount, in instructions: there the
 * time stamp counter advances by a constant for each, which a loop of a known number tells.
 *
 * For calls.c and counted.c.
 */
#ifndef STRATA_BENCH_PAPERS_INSTRUCTIONS_H
#define STRATA_BENCH_PAPERS_INSTRUCTIONS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

#define CALIBRATION       1000000
#define CALIBRATION_TURNS 20

static inline uint64_t ticks(void)
{
	_mm_lfence();
	return __rdtsc();
}

/* Ticks of an instruction: the least of all turns, which no interrupt made longer. */
static inline double calibrate(void)
{
	uint64_t least = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < CALIBRATION_TURNS; i++) {
		unsigned long loops = CALIBRATION / 2;
		uint64_t begin = ticks(), taken;

		/* Two instructions a loop. */
		__asm__ __volatile__("1: sub $1, %0; jnz 1b" : "+r"(loops) : : "cc");
		taken = ticks() - begin;
		least = taken < least ? taken : least;
	}
	return (double)least / CALIBRATION;
}

__attribute__((noreturn)) static inline void die(const char *what)
{
	perror(what);
	exit(1);
}

#endif /* STRATA_BENCH_PAPERS_INSTRUCTIONS_H */
