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
#define FAKE_RECORDS_MAX 2048u /* of one ring, in one run */

#define FAKE_NR_EVENTS  8u  /* that its table begins with */
#define FAKE_EVENTS_MAX 11u /* with the probes that can be added */
#define FAKE_TABLE_BYTES \
	(FAKE_EVENTS_MAX * (uint32_t)sizeof(struct strata_event_desc)) /* more than it fills */

enum fake_node_name {
	FAKE_VERSION,
	FAKE_MODULE_NONCE, /* of another channel than 0; that one's is the module's, too */
	/* of the recorder's channel */
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
	uint64_t sequence; /* of the packet that it is in */
	uint32_t contexts; /* that it has */
	bool of_another;   /* it belongs to an earlier recording */
	bool taken;        /* the recorder has it */
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

/* Of a domain; only one that runs writes and obeys. */
enum fake_life {
	FAKE_RUNS,
	FAKE_PAUSED,
	FAKE_SHUT_DOWN,
	FAKE_DYING, /* no nodes, no new mappings; those that there are stay */
	FAKE_GONE,  /* nor is it listed */
};

struct fake_guest {
	uint32_t domain;
	uint32_t channel; /* the only one that has rings, or will have */
	char name[32];
	enum fake_life life;
	uint8_t reason; /* SHUTDOWN_* of xen/sched.h, if it has shut down */

	/* memory */
	int memory;           /* all pages, a memfd */
	unsigned char *pages; /* the guest's own view */
	uint32_t nr_pages;
	uint32_t first_ref;   /* page n has reference first_ref + n */
	uint64_t page_ns;     /* that the host takes to map a page, and twice that to unmap it */
	uint32_t table_bytes; /* of the event table of the next load; FAKE_TABLE_BYTES or more */
	bool granted[FAKE_PAGES_MAX];
	bool writable[FAKE_PAGES_MAX];

	/* what lies in it */
	struct strata_guest_root *root;
	uint32_t *directory;
	unsigned char *events;                           /* the table, packed */
	uint32_t event_at[FAKE_EVENTS_MAX + 1];          /* where each begins, and the last ends */
	struct strata_event_desc event[FAKE_EVENTS_MAX]; /* its own, to write by */
	struct strata_ring_geometry geo;
	uint32_t nr_rings;
	uint32_t nr_events;
	struct fake_ring rings[FAKE_RINGS_MAX];

	struct fake_node nodes[FAKE_NR_NODES];
	bool watched;
	uint32_t watch_events; /* queued for the recorder */
	char watch_token[16];

	uint32_t port; /* as it publishes it */
	bool bound;    /* by the recorder */
	bool pending, masked;

	uint32_t created; /* its rings, by the command of that number; 0: by none */
	bool fresh;       /* nothing was ever written to them */
	bool recording;
	enum strata_header_form form;
	uint32_t contexts; /* of its records */
	uint64_t enabled;  /* a bit an event */
	bool deaf;         /* obeys no command */
	bool of_another;   /* its records belong to an earlier recording */
};

extern const char *const fake_node_names[FAKE_NR_NODES];
extern const struct strata_event_desc fake_events[FAKE_NR_EVENTS]; /* before any is added */

/* Packets met by fake_guest_compare() that come behind a part of a sub-buffer. */
extern uint64_t fake_parts;

/*
 * The payload of a record, contexts included, as a number decides it.
 * @contexts: the set that the guest's records have
 * @payload: OUT, STRATA_PAYLOAD_BYTES_MAX
 * Returns its bytes.
 */
uint32_t fake_event_payload(const struct strata_event_desc *event, uint32_t contexts, uint64_t seed,
			    unsigned char *payload);

/* The number that decides the payload of a ring's record, by which it is recognised. */
static inline uint64_t fake_record_seed(uint32_t ring, uint32_t index)
{
	return (uint64_t)ring << 32 | index;
}

/* The memory of the sub-buffer at a position, as the writer has it. */
unsigned char *fake_ring_subbuf(const struct fake_guest *guest, const struct fake_ring *ring,
				strata_count_t position);

static inline bool fake_guest_has_nodes(const struct fake_guest *guest)
{
	return guest->life != FAKE_DYING && guest->life != FAKE_GONE;
}

/* Once for each, before anything else; they are never freed. */
void fake_guest_make(struct fake_guest *guest, uint32_t domain, const char *name);

/* Before each run, while nothing reads the guests. */
void fake_guest_reset(struct fake_guest *guest);

/* Loads the module anew: another geometry, empty rings, published. */
void fake_guest_load(struct fake_guest *guest, struct randomness *random);

/*
 * As an earlier recorder left it that died: it goes on recording, all events, and
 * has written up to @nr records into each ring.
 * @taken_over: they belong to the recording that begins; else no record does that
 *              comes before its start
 */
void fake_guest_leave(struct fake_guest *guest, bool overwrite, bool taken_over,
		      struct randomness *random, uint32_t nr);

/* The page that a reference leads to, if it may be mapped so; -1: it may not. */
int fake_guest_page(const struct fake_guest *guest, uint32_t ref, bool writable);

/* Puts a value into a node, for the guest or the recorder, and notifies watchers. */
void fake_guest_set_node(struct fake_guest *guest, enum fake_node_name name, const void *value,
			 size_t length);
void fake_guest_remove_node(struct fake_guest *guest, enum fake_node_name name);

/* The recorder wrote its ctl node: the guest obeys and answers. */
void fake_guest_obey(struct fake_guest *guest);

/* Writes up to @nr records into each ring, if it is recording, and notifies. */
void fake_guest_write(struct fake_guest *guest, struct randomness *random, uint32_t nr);

/*
 * Whether each packet in the stream file of one ring is as it was written.
 * @dir:     of the source
 * @records: the records in it are added
 * NULL: yes; else what is wrong.
 */
const char *fake_guest_compare(struct fake_guest *guest, uint32_t ring, const char *dir,
			       uint64_t *records);

/* Whether all was taken that had to be; in overwrite mode: the last buffer's worth. */
const char *fake_guest_complete(const struct fake_guest *guest, uint32_t ring);

#endif /* STRATA_TESTS_FAKE_GUEST_H */
