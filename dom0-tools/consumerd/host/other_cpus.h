/* SPDX-License-Identifier: GPL-2.0-or-later */
/* other_cpus.h - keeps a thread that may block its CPU away from the recorder's loop. */
#ifndef STRATA_CONSUMERD_OTHER_CPUS_H
#define STRATA_CONSUMERD_OTHER_CPUS_H

/* Keeps the calling thread away from a CPU.  Nothing happens if the recorder may use no other one,
 * or if the machine has more than CPU_SETSIZE.  @cpu: negative: unknown */
void other_cpus_than(int cpu);

#endif /* STRATA_CONSUMERD_OTHER_CPUS_H */
