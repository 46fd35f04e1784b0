// SPDX-License-Identifier: GPL-2.0-or-later
/* fake_guest.c - see fake_guest.h. */
#include "fake_guest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RING_WORDS 512u /* for a struct strata_ring of the largest geometry here */

const char *const fake_node_names[FAKE_NR_NODES] = {
	"version", "root-ref", "event-channel", "nonce", "state", "ctl",
};

/* Events of all kinds and alignments; the last has no field. */
static const struct strata_event_desc event_table[FAKE_NR_EVENTS] = {
	{ .id = 0,
	  .name = "tick",
	  .nr_fields = 1,
	  .fields = { { "number", STRATA_FIELD_UNSIGNED, 4, 1 } } },
	{ .id = 1,
	  .name = "task",
	  .nr_fields = 2,
	  .fields = { { "comm", STRATA_FIELD_TEXT, 1, 16 },
		      { "tid", STRATA_FIELD_SIGNED, 4, 1 } } },
	{ .id = 2,
	  .name = "words",
	  .nr_fields = 2,
	  .fields = { { "one", STRATA_FIELD_HEX, 2, 1 }, { "many", STRATA_FIELD_HEX, 8, 9 } } },
	{ .id = 3,
	  .name = "odd",
	  .nr_fields = 1,
	  .fields = { { "bytes", STRATA_FIELD_UNSIGNED, 1, 5 } } },
	{ .id = 4, .name = "bare" },
};

uint32_t fake_event_payload_bytes(uint32_t id)
{
	return (uint32_t)sizeof(struct strata_guest_context) +
	       strata_event_payload_bytes(&event_table[id]);
}

/* The payload that record @index of a ring has; what is written is known again by it. */
static void make_payload(unsigned char *payload, uint32_t bytes, uint32_t ring, uint32_t index)
{
	struct randomness random = { (uint64_t)ring << 32 | index };
	uint32_t i;

	for (i = 0; i < bytes; i++)
		payload[i] = (unsigned char)random_next(&random);
}

void fake_guest_make(struct fake_guest *guest, uint32_t domain, const char *name)
{
	size_t bytes = (size_t)FAKE_PAGES_MAX * STRATA_PAGE_BYTES;
	uint32_t i;

	memset(guest, 0, sizeof(*guest));
	guest->domain = domain;
	snprintf(guest->name, sizeof(guest->name), "%s", name);
	guest->memory = memfd_create("guest", MFD_CLOEXEC);
	if (guest->memory < 0 || ftruncate(guest->memory, (off_t)bytes))
		abort();
	guest->pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, guest->memory, 0);
	if (guest->pages == MAP_FAILED)
		abort();
	for (i = 0; i < FAKE_RINGS_MAX; i++) {
		guest->rings[i].ring = calloc(RING_WORDS, sizeof(uint64_t));
		if (!guest->rings[i].ring)
			abort();
	}
}

/* Takes the next @nr pages, empty and granted; returns the first. */
static uint32_t add_pages(struct fake_guest *guest, uint32_t nr, bool writable)
{
	uint32_t first = guest->nr_pages, i;

	if (nr > FAKE_PAGES_MAX - first)
		abort();
	for (i = first; i < first + nr; i++) {
		guest->granted[i] = true;
		guest->writable[i] = writable;
	}
	memset(guest->pages + (size_t)first * STRATA_PAGE_BYTES, 0, (size_t)nr * STRATA_PAGE_BYTES);
	guest->nr_pages += nr;
	return first;
}

static void *page_address(const struct fake_guest *guest, uint32_t page)
{
	return guest->pages + (size_t)page * STRATA_PAGE_BYTES;
}

static void make_ring(struct fake_guest *guest, uint32_t index)
{
	struct fake_ring *ring = &guest->rings[index];

	if (strata_ring_bytes(guest->geo) > RING_WORDS * sizeof(uint64_t))
		abort();
	ring->first_page = add_pages(guest, STRATA_WRITER_AREA_PAGES, false);
	ring->writer = page_address(guest, ring->first_page);
	ring->reader = page_address(guest, add_pages(guest, STRATA_READER_AREA_PAGES, true));
	ring->data = page_address(guest, add_pages(guest, strata_data_pages(guest->geo), false));
	ring->nr_records = 0;
	memset(ring->ring, 0, strata_ring_bytes(guest->geo));
	strata_ring_init(ring->ring, guest->geo, ring->data, ring->writer, ring->reader, index, 0);
}

static void set_text(struct fake_guest *guest, enum fake_node_name name, const char *text)
{
	fake_guest_set_node(guest, name, text, strlen(text));
}

static void publish(struct fake_guest *guest, uint32_t root_page, uint64_t nonce)
{
	char text[32];

	snprintf(text, sizeof(text), "%u", STRATA_GUEST_ABI_VERSION);
	set_text(guest, FAKE_VERSION, text);
	snprintf(text, sizeof(text), "%u", guest->first_ref + root_page);
	set_text(guest, FAKE_ROOT_REF, text);
	snprintf(text, sizeof(text), "%u", guest->port);
	set_text(guest, FAKE_EVENT_CHANNEL, text);
	snprintf(text, sizeof(text), "%016" PRIx64, nonce);
	set_text(guest, FAKE_NONCE, text);
	set_text(guest, FAKE_STATE, "idle");
	fake_guest_remove_node(guest, FAKE_CTL);
}

void fake_guest_reset(struct fake_guest *guest)
{
	guest->bound = guest->pending = guest->masked = guest->watched = false;
	guest->watch_events = 0;
}

void fake_guest_load(struct fake_guest *guest, struct randomness *random)
{
	uint32_t event_page, directory_page, root_page, nr_refs, i;
	uint64_t nonce = random_next(random);

	guest->alive = true;
	guest->nr_pages = 0;
	guest->first_ref = 8 + random_below(random, 1000);
	guest->port = 1 + random_below(random, 100);
	guest->recording = guest->deaf = false;
	guest->geo.subbuf_bits = (uint8_t)(12 + random_one_in(random, 4));
	guest->geo.nr_subbufs_bits = (uint8_t)(2 + random_below(random, 2));
	guest->nr_rings = 1 + random_below(random, FAKE_RINGS_MAX);
	guest->nr_events = FAKE_NR_EVENTS;

	event_page = add_pages(guest, 1, false);
	guest->table = page_address(guest, event_page);
	guest->table_bytes = 0;
	for (i = 0; i < FAKE_NR_EVENTS; i++) {
		memcpy(guest->table + guest->table_bytes, &event_table[i],
		       strata_event_desc_bytes(event_table[i].nr_fields));
		guest->table_bytes += strata_event_desc_bytes(event_table[i].nr_fields);
	}
	for (i = 0; i < guest->nr_rings; i++)
		make_ring(guest, i);
	nr_refs = guest->nr_pages;
	directory_page = add_pages(guest, 1, false);
	guest->directory = page_address(guest, directory_page);
	for (i = 0; i < nr_refs; i++)
		guest->directory[i] = guest->first_ref + i;
	root_page = add_pages(guest, 1, false);
	guest->root = page_address(guest, root_page);
	guest->root->magic = STRATA_GUEST_MAGIC;
	guest->root->version = STRATA_GUEST_ABI_VERSION;
	guest->root->nonce = nonce;
	guest->root->nr_events = FAKE_NR_EVENTS;
	guest->root->table_bytes = guest->table_bytes;
	guest->root->nr_rings = guest->nr_rings;
	guest->root->subbuf_bits = guest->geo.subbuf_bits;
	guest->root->nr_subbufs_bits = guest->geo.nr_subbufs_bits;
	guest->root->nr_refs = nr_refs;
	guest->root->directory_ref[0] = guest->first_ref + directory_page;
	publish(guest, root_page, nonce);
}

int fake_guest_page(const struct fake_guest *guest, uint32_t ref, bool writable)
{
	uint32_t page = ref - guest->first_ref;

	if (page >= guest->nr_pages || !guest->granted[page] ||
	    (writable && !guest->writable[page]))
		return -1;
	return (int)page;
}

void fake_guest_set_node(struct fake_guest *guest, enum fake_node_name name, const void *value,
			 size_t length)
{
	struct fake_node *node = &guest->nodes[name];

	node->exists = true;
	node->length = (unsigned int)(length < FAKE_NODE_BYTES ? length : FAKE_NODE_BYTES);
	memcpy(node->value, value, node->length);
	if (guest->watched && name == FAKE_STATE)
		guest->watch_events++;
}

void fake_guest_remove_node(struct fake_guest *guest, enum fake_node_name name)
{
	guest->nodes[name].exists = false;
	if (guest->watched && name == FAKE_STATE)
		guest->watch_events++;
}

static void notify(struct fake_guest *guest)
{
	uint32_t i;

	for (i = 0; i < guest->nr_rings; i++) {
		if (!guest->rings[i].ring->delivered)
			continue;
		guest->rings[i].ring->delivered = false;
		guest->pending |= guest->bound;
	}
}

void fake_guest_obey(struct fake_guest *guest)
{
	struct fake_node *ctl = &guest->nodes[FAKE_CTL];
	char text[64] = "", answer[64];
	unsigned int sequence;
	uint32_t i;

	memcpy(text, ctl->value, ctl->length < sizeof(text) ? ctl->length : sizeof(text) - 1);
	if (guest->deaf || !guest->alive)
		return;
	if (sscanf(text, "start %u", &sequence) == 1) {
		guest->recording = true;
		snprintf(answer, sizeof(answer), "started %u", sequence);
	} else if (sscanf(text, "flush %u", &sequence) == 1 ||
		   sscanf(text, "stop %u", &sequence) == 1) {
		guest->recording = guest->recording && text[0] == 'f';
		for (i = 0; i < guest->nr_rings; i++)
			strata_ring_flush(guest->rings[i].ring);
		notify(guest);
		snprintf(answer, sizeof(answer), "%s %u", text[0] == 'f' ? "flushed" : "stopped",
			 sequence);
	} else {
		snprintf(answer, sizeof(answer), "refused 0");
	}
	set_text(guest, FAKE_STATE, answer);
}

static void write_record(struct fake_guest *guest, uint32_t index, struct randomness *random)
{
	struct fake_ring *ring = &guest->rings[index];
	uint32_t id = random_below(random, FAKE_NR_EVENTS);
	struct strata_record_header header;
	struct strata_slot slot;

	if (ring->nr_records == FAKE_RECORDS_MAX ||
	    !strata_ring_reserve(ring->ring, id, fake_event_payload_bytes(id), &slot))
		return;
	memcpy(&header, slot.payload - STRATA_RECORD_HEADER_BYTES, sizeof(header));
	make_payload(slot.payload, fake_event_payload_bytes(id), index, ring->nr_records);
	ring->records[ring->nr_records].id = id;
	ring->records[ring->nr_records].ticks = header.ticks;
	ring->nr_records++;
	strata_ring_commit(ring->ring, &slot);
}

void fake_guest_write(struct fake_guest *guest, struct randomness *random, uint32_t nr)
{
	uint32_t i, j;

	if (!guest->recording)
		return;
	for (i = 0; i < guest->nr_rings; i++)
		for (j = random_below(random, nr + 1); j > 0; j--)
			write_record(guest, i, random);
	notify(guest);
}

/* Compares the records of one packet from @next on; returns the next, or -1. */
static int64_t compare_packet(const struct fake_guest *guest, uint32_t index,
			      const unsigned char *packet, uint32_t content, int64_t next)
{
	const struct fake_ring *ring = &guest->rings[index];
	uint32_t offset = STRATA_PACKET_HEADER_BYTES;

	while (offset < content) {
		struct strata_record_header header;
		unsigned char payload[STRATA_PAYLOAD_BYTES_MAX];
		uint32_t bytes;

		if (next == ring->nr_records || content - offset < sizeof(header))
			return -1;
		memcpy(&header, packet + offset, sizeof(header));
		if (header.id != ring->records[next].id ||
		    header.ticks != ring->records[next].ticks)
			return -1;
		bytes = fake_event_payload_bytes(header.id);
		make_payload(payload, bytes, index, (uint32_t)next);
		if (content - offset < sizeof(header) + bytes ||
		    memcmp(packet + offset + sizeof(header), payload, bytes))
			return -1;
		offset += strata_record_bytes(bytes);
		next++;
	}
	return next;
}

const char *fake_guest_compare(const struct fake_guest *guest, uint32_t index, const char *dir)
{
	static unsigned char packet[1u << STRATA_SUBBUF_BITS_MAX];
	const struct fake_ring *ring = &guest->rings[index];
	size_t bytes = strata_subbuf_bytes(guest->geo);
	struct strata_packet_header header;
	int64_t next = 0;
	char path[600];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cpu_%u", dir, index);
	file = fopen(path, "re");
	if (!file)
		return ring->nr_records ? "its file is missing" : NULL;
	while (next >= 0 && fread(packet, 1, bytes, file) == bytes) {
		memcpy(&header, packet, sizeof(header));
		if (header.packet_size != bytes * 8 || header.content_size > header.packet_size ||
		    header.events_discarded)
			next = -1;
		else
			next = compare_packet(guest, index, packet,
					      (uint32_t)(header.content_size / 8), next);
	}
	fclose(file);
	if (next < 0)
		return "a packet is not as it was written";
	return next == ring->nr_records ? NULL : "records are missing at its end";
}
