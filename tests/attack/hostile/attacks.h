/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attacks.h - the attacks of hostile.c, which says what each of them does.  Each prints its line
 * "connections N"; those that end with the program's end are marked so in the table there.
 */
#ifndef STRATA_TESTS_HOSTILE_ATTACKS_H
#define STRATA_TESTS_HOSTILE_ATTACKS_H

#include <stdint.h>

struct attack_arguments {
	uint32_t nr;   /* NUMBER */
	uint32_t cpus; /* CPUS; 1: not given */
	char **more;   /* what stands behind NUMBER, ended by NULL */
};

/* Applications that come, go and write (applications.c) */
void attack_hold(const struct attack_arguments *arguments);
void attack_describe(const struct attack_arguments *arguments);
void attack_refill(const struct attack_arguments *arguments);
void attack_ready(const struct attack_arguments *arguments);
void attack_come(const struct attack_arguments *arguments);
void attack_pass(const struct attack_arguments *arguments);
void attack_change(const struct attack_arguments *arguments);
void attack_lies(const struct attack_arguments *arguments);

/* On the memory of rings (memory.c) */
void attack_keep(const struct attack_arguments *arguments);
void attack_pin(const struct attack_arguments *arguments);
void attack_holes(const struct attack_arguments *arguments);
void attack_starve(const struct attack_arguments *arguments);
void attack_collapse(const struct attack_arguments *arguments);
void attack_punch(const struct attack_arguments *arguments);
void attack_seal(const struct attack_arguments *arguments);

/* With sockets alone (sockets.c) */
void attack_silent(const struct attack_arguments *arguments);
void attack_started(const struct attack_arguments *arguments);
void attack_turned(const struct attack_arguments *arguments);
void attack_queue(const struct attack_arguments *arguments);
void attack_knock(const struct attack_arguments *arguments);
void attack_linger(const struct attack_arguments *arguments);

#endif /* STRATA_TESTS_HOSTILE_ATTACKS_H */
