/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_guest.h - a guest for the recorder to record: pages that it grants, its
 * nodes in xenstore, its event channel, and the core's own writer on its rings.
 *
 * Left alone it does what strata.ko does, and remembers what it wrote.  All that
 * the fuzzer has to know of the contract (abi/guest.h, event.h) is in
 * fake_guest.c and in the mutators.
 */
#ifndef STRATA_TESTS_FAKE_GUEST_H
#define STRATA_TESTS_FAKE_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <strata/abi/guest.h>
#include <strata/ring_writer.h>

#include "random.h"

#define FAKE_PAGES_MAX   128u
#define FAKE_RINGS_MAX   3u
#define FAKE_NODE_BYTES  4096u /* as much as xenstore takes */
#define FAKE_RECORDS_MAX 1024u /* of one ring, in one run */

#define FAKE_NR_EVENTS 5u

enum fake_node_name {
	FAKE_VERSION,
	FAKE_ROOT_REF,
	FAKE_EVENT_CHANNEL,
	FAKE_NONCE,
	FAKE_STATE,
	FAKE_CTL, /* the recorder writes it */
	FAKE_NR_NODES
};

struct fake_node {
	bool exists;
	unsigned int length;
	char value[FAKE_NODE_BYTES];
};

struct fake_record {
	uint32_t id;
	uint64_t ticks;
};

struct fake_ring {
	struct strata_ring *ring;
	struct strata_ring_writer_area *writer;
	struct strata_ring_reader_area *reader;
	unsigned char *data;
	uint32_t first_page; /* of the writer area; the others follow */
	struct fake_record records[FAKE_RECORDS_MAX];
	uint32_t nr_records;
};

struct fake_guest {
	uint32_t domain;
	char name[32];
	bool alive; /* false: its domain is gone, its mapped memory is not */

	/* memory */
	int memory;           /* all pages, a memfd */
	unsigned char *pages; /* the guest's own view */
	uint32_t nr_pages;
	uint32_t first_ref; /* page n has reference first_ref + n */
	bool granted[FAKE_PAGES_MAX];
	bool writable[FAKE_PAGES_MAX];

	/* what lies in it */
	struct strata_guest_root *root;
	uint32_t *directory;
	unsigned char *table; /* of events */
	uint32_t table_bytes;
	struct strata_ring_geometry geo;
	uint32_t nr_rings;
	uint32_t nr_events;
	struct fake_ring rings[FAKE_RINGS_MAX];

	struct fake_node nodes[FAKE_NR_NODES];
	bool watched;
	char token[32];        /* of the watch */
	uint32_t watch_events; /* queued for the recorder */

	uint32_t port; /* as it publishes it */
	bool bound;    /* by the recorder */
	bool pending, masked;

	bool recording;
	bool deaf; /* obeys no command */
};

extern const char *const fake_node_names[FAKE_NR_NODES];

/* Of a record of event @id, context included. */
uint32_t fake_event_payload_bytes(uint32_t id);

/* Once for each, before anything else; they are never freed. */
void fake_guest_make(struct fake_guest *guest, uint32_t domain, const char *name);

/* Before each run: nobody listens. */
void fake_guest_reset(struct fake_guest *guest);

/* Loads the module anew: another geometry, empty rings, published. */
void fake_guest_load(struct fake_guest *guest, struct randomness *random);

/* The page that a reference leads to, if it may be mapped so; -1: it may not. */
int fake_guest_page(const struct fake_guest *guest, uint32_t ref, bool writable);

/* Puts a value into a node, whoever does it; watchers are told. */
void fake_guest_set_node(struct fake_guest *guest, enum fake_node_name name, const void *value,
			 size_t length);
void fake_guest_remove_node(struct fake_guest *guest, enum fake_node_name name);

/* The recorder wrote its ctl node: start or stop, and say so. */
void fake_guest_obey(struct fake_guest *guest);

/* Writes up to @nr records into each ring, if it is recording, and notifies. */
void fake_guest_write(struct fake_guest *guest, struct randomness *random, uint32_t nr);

/*
 * Whether the stream file of one ring holds exactly what was written to it.
 * @dir: of the source.  NULL: yes; else what is wrong.
 */
const char *fake_guest_compare(const struct fake_guest *guest, uint32_t ring, const char *dir);

#endif /* STRATA_TESTS_FAKE_GUEST_H */
