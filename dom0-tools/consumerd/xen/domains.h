/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * domains.h - asks the hypervisor which domains exist. xenstore knows less, and learns it later; it
 * forgets a domain before it is destroyed. Called by the recorder.
 */
#ifndef STRATA_CONSUMERD_DOMAINS_H
#define STRATA_CONSUMERD_DOMAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct domains;

enum domain_life {
	DOMAIN_RUNS,
	DOMAIN_PAUSED,    /* by the tools */
	DOMAIN_SHUT_DOWN, /* `reason` tells how; the tools will destroy it, or leave it */
	DOMAIN_DYING,     /* destroyed; it lingers as long as any domain maps its pages */
};

struct domain_state {
	uint32_t domain;
	uint8_t uuid[16]; /* given by dom0's tools; the same after a reboot */
	enum domain_life life;
	uint8_t reason; /* SHUTDOWN_* of xen/sched.h, of one that has shut down */
};

/* NULL with the reason. */
struct domains *domains_open(struct strata_error *error);

void domains_close(struct domains *domains); /* NULL is fine */

/*
 * Lists all domains, in order of their numbers.  One hypercall for each 256.
 * @states: OUT; valid until the next call
 * 0 or -1.
 */
int domains_list(struct domains *domains, const struct domain_state **states, size_t *nr,
		 struct strata_error *error);

#endif /* STRATA_CONSUMERD_DOMAINS_H */
