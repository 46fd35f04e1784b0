/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event_table.h - the table of event descriptions, in pages that domain 0 can map
 * (strata/abi/guest.h).
 */
#ifndef STRATA_KMOD_EVENT_TABLE_H
#define STRATA_KMOD_EVENT_TABLE_H

#include "events.h"
#include "grants.h"

/* Size of the table: for the events that existed when it was created, or exist now if there is
 * none, and for STRATA_GUEST_PROBES_MAX more. */
u32 strata_event_table_bytes(void);

/*
 * Adds the table's pages to @grants and describes all events so far.  Returns 0, or a
 * negative error after a message; then only @grants keeps what it has.  May sleep.
 */
int strata_event_table_create(struct strata_grants *grants);

/* From now on nr_events of @root, the root page of a channel, follows the table; NULL: no more. */
void strata_event_table_publish(unsigned int channel, struct strata_guest_root *root);

/* Describes the last entered event. 0, or -ENOSPC. */
int strata_event_table_add(const struct strata_event *event);

/* The description of an event that the table has, with its fields in the order of the payload. It
 * stays until the table is destroyed. */
const struct strata_event_desc *strata_event_table_get(u32 id);

/* Undoes strata_event_table_create(), except for the pages. */
void strata_event_table_destroy(void);

#endif /* STRATA_KMOD_EVENT_TABLE_H */
