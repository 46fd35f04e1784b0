/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xen_event_table.h - the rows of names for Xen's trace points; only
 * xen_events.c and its unit test read them.
 */
#ifndef STRATA_MERGE_XEN_EVENT_TABLE_H
#define STRATA_MERGE_XEN_EVENT_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct xen_event_row {
	uint32_t id;        /* Xen's 28-bit event; or a whole record id of Strata's own */
	uint32_t words;     /* 32-bit words of payload */
	const char *name;   /* a C identifier */
	const char *fields; /* "name:kind ..."; see xen_events.c */
};

extern const struct xen_event_row strata_xen_event_table[];
extern const size_t strata_xen_event_table_rows;

/* The row for an event with that many words, or NULL. */
const struct xen_event_row *strata_xen_event_row(uint32_t id, uint32_t words);

#endif /* STRATA_MERGE_XEN_EVENT_TABLE_H */
