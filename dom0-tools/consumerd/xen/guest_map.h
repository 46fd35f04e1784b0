/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_map.h - maps the pages that a guest granted: event table and rings.
 *
 * The guest can write to all of them at any time.  Sizes and references are copied once, checked
 * against the contract's limits, and only then used; the mapping has the size that was checked,
 * whatever the guest writes later.
 */
#ifndef STRATA_CONSUMERD_GUEST_MAP_H
#define STRATA_CONSUMERD_GUEST_MAP_H

#include <xengnttab.h>

#include <strata/abi/aggregate.h>
#include <strata/event.h>

#include "recording/kernel_counter.h"

#include "consumerd/xen/guest.h"
#include "consumerd/rings/ring.h"

struct guest_map {
	/* A private copy, by id; event_table.h says what was checked and what must still be. */
	struct strata_event_desc *events;
	size_t nr_events;
	struct ring *rings;
	size_t nr_rings;
	/* By its root page, whether they are mapped or not. */
	uint32_t nr_granted_rings;
	struct strata_ring_geometry geometry;
	uint16_t header_forms; /* that it can write */
	/* The form that the guest is asked to write: the caller's choice, initially full. */
	enum strata_header_form form;
	/* The contexts (abi/guest_context.h) that the guest is asked to write: likewise, initially
	 * none.  Of counters, the names of their fields. */
	uint32_t contexts;
	struct strata_counter_fields counter_fields;
	/* A private copy of the channel's table of counters; hostile. */
	struct strata_guest_counter counters[STRATA_COUNTERS_MAX];
	/* of guest_map.c */
	xengnttab_handle *gnttab;
	struct guest_reading *reading; /* not NULL: it is being mapped */
	struct guest_ring_pages *pages;
};

/* Of a channel that counts, without its event table. */
struct guest_tables {
	uint32_t *refs; /* of the keys' pages, then of each CPU's table */
	uint32_t nr_refs;
	uint32_t nr_cpus;
	uint32_t nr_events; /* of the event table: no row is of another one */
	uint32_t tsc_khz;   /* of the guest's kernel: hostile, but not 0 */
};

/*
 * Reads the event table of a guest whose channel counts, and which pages its tables are in.
 * @tables: OUT; refs is the caller's to free()
 * 0, or -1 with nothing left.
 */
int guest_map_tables(struct guest_map *map, xengnttab_handle *gnttab, const struct guest *guest,
		     const struct strata_aggregate_spec *spec, struct guest_tables *tables,
		     struct strata_error *error);

/* Copies pages of a guest, at most GRANT_CALL_PAGES of them: of the last one, what @bytes lack.
 * @what: for the message.  0 or -1. */
int guest_copy_pages(xengnttab_handle *gnttab, uint32_t domain, const uint32_t *refs, uint32_t nr,
		     void *to, size_t bytes, const char *what, struct strata_error *error);

/*
 * Maps the event table of a guest, and its rings if @with_rings, in one step.
 * 0, or -1 with nothing mapped.
 */
int guest_map(struct guest_map *map, xengnttab_handle *gnttab, const struct guest *guest,
	      bool with_rings, struct strata_error *error);

/*
 * Returns the pages that guest_map() would map, by the guest's root page as it is now.
 * 0 with the reason: the guest cannot be mapped.
 */
uint32_t guest_map_pages(xengnttab_handle *gnttab, const struct guest *guest,
			 struct strata_error *error);

/*
 * Begins to do that, with the rings, in steps; the map can be used after the last.  guest_unmap()
 * ends it at any time.
 * 0, or -1 with nothing mapped: for example, it now claims more than @pages.
 */
int guest_map_begin(struct guest_map *map, xengnttab_handle *gnttab, const struct guest *guest,
		    uint32_t pages, struct strata_error *error);

/* Reads or maps up to 16 pages (grant_range.h says why).  1: there is more to do; 0: all is done;
 * or -1: nothing more can be done but guest_unmap(). */
int guest_map_step(struct guest_map *map, struct strata_error *error);

/* The form that the rings of a taken-over flight recorder claim to have. */
enum strata_header_form guest_map_form(const struct guest_map *map);

/* Copies the table of counters again.  0 or -1. */
int guest_map_counters(struct guest_map *map, const struct guest *guest,
		       struct strata_error *error);

/* The contexts that its records claim to have: those that this tool knows, and counters. */
uint32_t guest_map_contexts(const struct guest_map *map);

/*
 * Begins to read the event table again after the guest added to it; the last guest_map_step()
 * replaces @map's array.  @map: its rings are mapped, and stay so
 * 0, or -1: the old array stays; for example, the guest now claims more than @pages.
 */
int guest_map_events_begin(struct guest_map *map, const struct guest *guest, uint32_t pages,
			   struct strata_error *error);

/*
 * Stops writing to pages of the guest, but keeps its rings readable: replaces the writable pages by
 * a copy. For a guest that has stopped writing: another kernel may soon use its memory. Its pages
 * are unmapped by guest_unmap_readers_step(), piece by piece. 0, or -1: out of memory, and the
 * rings cannot be read any more.
 */
int guest_map_detach(struct guest_map *map, struct strata_error *error);
bool guest_unmap_readers_step(struct guest_map *map); /* true: none was left */

/* Unmaps a piece.  True: all is unmapped, and the map is empty. */
bool guest_unmap_step(struct guest_map *map);

/* Unmaps all; a zeroed map is fine. */
void guest_unmap(struct guest_map *map);

#endif /* STRATA_CONSUMERD_GUEST_MAP_H */
