/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app_rings.h - the size of applications' rings for which nothing else is asked.
 *
 * A program has a ring for each CPU, in memory that the kernel makes and clears when the program
 * starts.  It hardly runs on all CPUs of a large machine at a time, so its rings together are
 * bounded.
 */
#ifndef STRATA_CONTROL_APP_RINGS_H
#define STRATA_CONTROL_APP_RINGS_H

#include <strata/ring_state.h>

/* 64 KiB 16 times, 1 MiB, for each CPU; less where a program would have more than 16 MiB.
 * @nr_cpus: 0: as many as the machine can have */
struct strata_ring_geometry app_rings_default(unsigned int nr_cpus);

#endif /* STRATA_CONTROL_APP_RINGS_H */
