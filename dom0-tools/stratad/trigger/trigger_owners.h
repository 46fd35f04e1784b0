/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trigger_owners.h - the users and domains whose condition led to an action of a trigger.
 *
 * Each has a pause and a number of actions of its own: one that causes the condition without end
 * does not take another's actions.
 */
#ifndef STRATA_STRATAD_TRIGGER_OWNERS_H
#define STRATA_STRATAD_TRIGGER_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stratad/aggregate_names.h"
#include "stratad/aggregate_rows.h"

enum trigger_owner_kind {
	TRIGGER_OWNER_USER,   /* of a program, as shares count it */
	TRIGGER_OWNER_DOMAIN, /* of a kernel, or of counts of Xen for each domain */
	TRIGGER_OWNER_XEN,    /* of counts of Xen for all domains together */
};

struct trigger_owner {
	enum trigger_owner_kind kind;
	uint32_t number; /* the user's */
	/* The domain's: its number is another one after each reboot. */
	char name[AGGREGATE_NAME_BYTES];
	unsigned int nr_actions;
	uint64_t quiet_until_ms;
};

/* All zero: empty. */
struct trigger_owners {
	struct trigger_owner *list;
	size_t nr, capacity;
	unsigned int max; /* actions for each; 0: no limit */
};

/* Whether the owner of a row is in its pause, or has had its actions.
 * @now_ms: of CLOCK_MONOTONIC, as all times here */
bool trigger_owners_pauses(const struct trigger_owners *owners, const struct aggregate_look *look,
			   const struct aggregate_row *row, uint64_t now_ms);

/* Counts an action for a row's owner, which has a pause from now on.  @index: OUT, of the owner. 0,
 * or -1: out of memory. */
int trigger_owners_begin(struct trigger_owners *owners, const struct aggregate_look *look,
			 const struct aggregate_row *row, size_t *index);

/* Sets the end of that pause, when the action has ended. */
void trigger_owners_end(struct trigger_owners *owners, size_t index, uint64_t until_ms);

void trigger_owners_free(struct trigger_owners *owners);

#endif /* STRATA_STRATAD_TRIGGER_OWNERS_H */
