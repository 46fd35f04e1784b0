/* SPDX-License-Identifier: MIT */
/*
 * guest.h - the contract between strata.ko in a guest (dom0's own kernel is one
 * too) and the recorder in dom0.
 *
 * The guest grants its pages to domain 0 and publishes them under its own
 * `data/strata` in xenstore.  The recorder writes one node, `ctl`; all else is
 * the guest's.  Each side takes the other's memory and nodes as hostile.
 *
 *   data/strata/version        STRATA_GUEST_ABI_VERSION, decimal
 *   data/strata/root-ref       grant reference of the root page, decimal
 *   data/strata/event-channel  unbound port for domain 0, decimal: "a sub-buffer became ready"
 *   data/strata/nonce          16 hexadecimal digits, new at each load and each restore; also in
 *                              the root page
 *   data/strata/state          "idle", "started SEQ", "stopped SEQ" or "refused SEQ"
 *   data/strata/ctl            by domain 0: "start SEQ MASK" or "stop SEQ"
 *
 * SEQ is a decimal number that the recorder chooses and the guest gives back in
 * `state` when it has done what was asked: after "started" every probe records,
 * after "stopped" no probe writes and every ring has been flushed by its own
 * CPU.  It begins at 1; "refused 0" answers a ctl whose SEQ cannot be read.  MASK
 * is hexadecimal, 64 bits: bit n enables entry n of the event table; a bit beyond
 * the table is refused, and a start while started replaces the mask.
 */
#ifndef STRATA_ABI_GUEST_H
#define STRATA_ABI_GUEST_H

#include <strata/event.h>
#include <strata/ring_layout.h>

#define STRATA_GUEST_ABI_VERSION 1u
#define STRATA_GUEST_MAGIC       0x54525453u /* "STRT" */

#define STRATA_GUEST_XENSTORE_DIR "data/strata"

#define STRATA_GUEST_EVENTS_MAX          64u /* one bit of MASK each */
#define STRATA_GUEST_RINGS_MAX           256u
#define STRATA_GUEST_REFS_MAX            131072u /* 512 MiB a guest */
#define STRATA_GUEST_REFS_PER_PAGE       (STRATA_PAGE_BYTES / 4u)
#define STRATA_GUEST_DIRECTORY_PAGES_MAX (STRATA_GUEST_REFS_MAX / STRATA_GUEST_REFS_PER_PAGE)

/* Each payload begins with the context, which the event table's fields leave out: which task the
 * CPU was in (an interrupt's: the one that
 * it interrupted).  Record ids are indices into the event table. */
struct strata_guest_context {
	int32_t tid;
};

/*
 * The root page leads to directory pages, each an array of 1,024 grant
 * references, 32 bits each.  Together they list, in this order: the pages of
 * the event table; then for each ring its writer area, its reader area and its
 * data.  Only the reader areas are granted writable.
 */
struct strata_guest_root {
	uint32_t magic;
	uint16_t version;
	uint16_t reserved0;
	uint64_t nonce;
	uint32_t nr_events;
	uint32_t nr_rings;
	uint8_t subbuf_bits;
	uint8_t nr_subbufs_bits;
	uint16_t reserved1;
	uint32_t nr_refs;
	uint32_t directory_ref[STRATA_GUEST_DIRECTORY_PAGES_MAX];
};

/* Pages of a table of @nr_events; at most STRATA_GUEST_EVENTS_MAX. */
static inline uint32_t strata_guest_event_pages(uint32_t nr_events)
{
	return (nr_events * (uint32_t)sizeof(struct strata_event_desc) + STRATA_PAGE_BYTES - 1u) /
	       STRATA_PAGE_BYTES;
}

static inline uint32_t strata_guest_ring_pages(struct strata_ring_geometry geo)
{
	return STRATA_WRITER_AREA_PAGES + STRATA_READER_AREA_PAGES + strata_data_pages(geo);
}

/* References that the directory must list.  64 bits: hostile numbers cannot overflow it. */
static inline uint64_t strata_guest_refs(uint32_t nr_events, uint32_t nr_rings,
					 struct strata_ring_geometry geo)
{
	return (uint64_t)strata_guest_event_pages(nr_events) +
	       (uint64_t)nr_rings * strata_guest_ring_pages(geo);
}

#endif /* STRATA_ABI_GUEST_H */
