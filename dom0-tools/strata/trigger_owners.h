/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trigger_owners.h - the users and domains whose condition led to an action of a trigger less than
 * a pause ago.
 *
 * Each has a pause of its own: one that causes the condition without end does not take another's
 * actions.
 */
#ifndef STRATA_STRATA_TRIGGER_OWNERS_H
#define STRATA_STRATA_TRIGGER_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "strata/aggregate_rows.h"

enum trigger_owner_kind {
	TRIGGER_OWNER_USER,   /* of a program, as shares count it */
	TRIGGER_OWNER_DOMAIN, /* of a kernel, or of counts of Xen for each domain */
	TRIGGER_OWNER_XEN,    /* of counts of Xen for all domains together */
};

struct trigger_owner {
	enum trigger_owner_kind kind;
	uint32_t number; /* the user's or domain's */
	uint64_t quiet_until_ms;
};

/* All zero: empty. */
struct trigger_owners {
	struct trigger_owner *list;
	size_t nr, capacity;
};

/* Forgets the owners whose pause is over.
 * @now_ms: of CLOCK_MONOTONIC, as all times here */
void trigger_owners_expire(struct trigger_owners *owners, uint64_t now_ms);

/* Whether the owner of a row is in its pause. */
bool trigger_owners_pauses(const struct trigger_owners *owners, const struct aggregate_row *row);

/* Begins the pause of a row's owner, which is not in one.  0, or -1: out of memory. */
int trigger_owners_begin(struct trigger_owners *owners, const struct aggregate_row *row,
			 uint64_t until_ms);

void trigger_owners_free(struct trigger_owners *owners);

#endif /* STRATA_STRATA_TRIGGER_OWNERS_H */
