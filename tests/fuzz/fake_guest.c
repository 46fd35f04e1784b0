// SPDX-License-Identifier: GPL-2.0-or-later
/* fake_guest.c - see fake_guest.h. */
#include "fake_guest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RING_WORDS 512u /* for a struct strata_ring of the largest geometry here */

const char *const fake_node_names[FAKE_NR_NODES] = {
	"version", "nonce", "root-ref", "event-channel", "nonce", "state", "ctl",
};

/* Events of all kinds and alignments, of fixed and of variable length; one has no field. */
const struct strata_event_desc fake_events[FAKE_NR_EVENTS] = {
	{ .id = 0,
	  .name = "tick",
	  .group = "time",
	  .nr_fields = 1,
	  .fields = { { "number", STRATA_FIELD_UNSIGNED, 4, 1 } } },
	{ .id = 1,
	  .name = "sched_switch", /* of the default events */
	  .group = "sched",
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
	{ .id = 5,
	  .name = "said",
	  .group = "text",
	  .nr_fields = 1,
	  .fields = { { "text", STRATA_FIELD_STRING, 1, 1 } } },
	{ .id = 6,
	  .name = "list",
	  .nr_fields = 1,
	  .fields = { { "numbers", STRATA_FIELD_UNSIGNED, 8, 0 } } },
	{ .id = 7,
	  .name = "mixed",
	  .nr_fields = 5,
	  .fields = { { "kind", STRATA_FIELD_UNSIGNED, 1, 1 },
		      { "path", STRATA_FIELD_STRING, 1, 1 },
		      { "flags", STRATA_FIELD_HEX, 2, 0 },
		      { "comm", STRATA_FIELD_TEXT, 1, 8 },
		      { "result", STRATA_FIELD_SIGNED, 4, 1 } } },
};

static void fill(unsigned char *to, uint32_t bytes, struct randomness *random, bool text)
{
	uint32_t i;

	for (i = 0; i < bytes; i++)
		to[i] = (unsigned char)(text ? 1u + random_below(random, 255)
					     : random_next(random));
}

/* Returns the bytes of all contexts. */
static uint32_t fill_contexts(unsigned char *payload, uint32_t contexts, struct randomness *random)
{
	uint32_t at = (uint32_t)sizeof(struct strata_guest_context) +
		      strata_guest_context_fixed_bytes(contexts);
	uint32_t stacks, frames;

	fill(payload, at, random, false);
	for (stacks = strata_guest_context_stacks(contexts); stacks > 0; stacks--) {
		/* As few as leave room for the records of a wait. */
		frames = random_below(random, 3);
		memcpy(payload + at, &frames, 4);
		fill(payload + at + 4, 8 * frames, random, false);
		at += 4 + 8 * frames;
	}
	return at;
}

uint32_t fake_event_payload(const struct strata_event_desc *event, uint32_t contexts, uint64_t seed,
			    unsigned char *payload)
{
	struct randomness random = { seed };
	uint32_t at = 0, count, from, i, before;
	unsigned char *fields;

	memset(payload, 0, STRATA_PAYLOAD_BYTES_MAX);
	before = fill_contexts(payload, contexts, &random);
	fields = payload + before;
	for (i = 0; i < event->nr_fields; i++) {
		const struct strata_field_desc *field = &event->fields[i];

		count = field->count;
		if (field->kind == STRATA_FIELD_STRING) {
			count = random_below(&random, 40);
			fill(fields + at, count, &random, true);
			at += count + 1;
			continue;
		}
		if (!count) {
			count = random_below(&random, 12);
			at = strata_field_align(at, 4);
			memcpy(fields + at, &count, 4);
			at += 4;
		}
		from = strata_field_align(at, field->bytes);
		at = from + count * field->bytes;
		fill(fields + from, at - from, &random, false);
	}
	return before + at;
}

unsigned char *fake_ring_subbuf(const struct fake_guest *guest, const struct fake_ring *ring,
				strata_count_t position)
{
	unsigned int index = strata_subbuf_index(guest->geo, position);

	return ring->data +
	       (size_t)ring->ring->subbuf[index].page * strata_subbuf_bytes(guest->geo);
}

void fake_guest_make(struct fake_guest *guest, uint32_t domain, const char *name)
{
	size_t bytes = (size_t)FAKE_PAGES_MAX * STRATA_PAGE_BYTES;
	uint32_t i;

	memset(guest, 0, sizeof(*guest));
	guest->domain = domain;
	guest->table_bytes = FAKE_TABLE_BYTES;
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

/* Adds an entry to the table, and then publishes it. */
static void add_event(struct fake_guest *guest, const struct strata_event_desc *event)
{
	uint32_t id = guest->nr_events, bytes = strata_event_desc_bytes(event->nr_fields);

	guest->event[id] = *event;
	guest->event[id].id = id;
	memcpy(guest->events + guest->event_at[id], &guest->event[id], bytes);
	guest->event_at[id + 1] = guest->event_at[id] + bytes;
	guest->nr_events++;
	if (guest->root)
		guest->root->nr_events = guest->nr_events;
}

static void make_table(struct fake_guest *guest)
{
	uint32_t i;

	guest->events = page_address(
		guest, add_pages(guest, strata_guest_table_pages(guest->table_bytes), false));
	guest->nr_events = 0;
	guest->root = NULL;
	for (i = 0; i < FAKE_NR_EVENTS; i++)
		add_event(guest, &fake_events[i]);
}

static void set_text(struct fake_guest *guest, enum fake_node_name name, const char *text)
{
	fake_guest_set_node(guest, name, text, strlen(text));
}

static void set_nonce(struct fake_guest *guest, enum fake_node_name name, uint64_t nonce)
{
	char text[32];

	snprintf(text, sizeof(text), "%016" PRIx64, nonce);
	set_text(guest, name, text);
}

static void publish_rings(struct fake_guest *guest, uint32_t root_page, uint64_t nonce)
{
	char text[32];

	snprintf(text, sizeof(text), "%u", guest->first_ref + root_page);
	set_text(guest, FAKE_ROOT_REF, text);
	snprintf(text, sizeof(text), "%u", guest->port);
	set_text(guest, FAKE_EVENT_CHANNEL, text);
	set_nonce(guest, FAKE_NONCE, nonce);
	set_text(guest, FAKE_STATE, "idle");
}

static void unpublish_rings(struct fake_guest *guest)
{
	fake_guest_remove_node(guest, FAKE_ROOT_REF);
	fake_guest_remove_node(guest, FAKE_EVENT_CHANNEL);
	fake_guest_remove_node(guest, FAKE_NONCE);
}

void fake_guest_reset(struct fake_guest *guest)
{
	guest->bound = guest->pending = guest->masked = guest->watched = false;
	guest->watch_events = 0;
}

/* Makes new memory: the event table, empty rings, and the pages that list them. */
static void make_rings(struct fake_guest *guest, uint64_t nonce)
{
	uint32_t directory_page, root_page, nr_refs, i;

	guest->nr_pages = 0;
	guest->recording = guest->of_another = false;
	make_table(guest);
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
	guest->root->header_forms = STRATA_HEADER_FORMS_ALL;
	guest->form = STRATA_HEADER_FULL;
	guest->contexts = 0;
	memset(guest->root->counters, 0xff, sizeof(guest->root->counters));
	guest->root->nr_events = guest->nr_events;
	guest->root->table_bytes = guest->table_bytes;
	guest->root->nr_rings = guest->nr_rings;
	guest->root->subbuf_bits = guest->geo.subbuf_bits;
	guest->root->nr_subbufs_bits = guest->geo.nr_subbufs_bits;
	guest->root->nr_refs = nr_refs;
	guest->root->directory_ref[0] = guest->first_ref + directory_page;
	publish_rings(guest, root_page, nonce);
}

void fake_guest_load(struct fake_guest *guest, struct randomness *random)
{
	uint64_t nonce = random_next(random);
	char text[32];

	guest->life = FAKE_RUNS;
	guest->first_ref = 8 + random_below(random, 1000);
	guest->port = 1 + random_below(random, 100);
	guest->deaf = false;
	guest->created = 0;
	guest->fresh = true;
	guest->geo.subbuf_bits = (uint8_t)(12 + random_one_in(random, 4));
	guest->geo.nr_subbufs_bits = (uint8_t)(2 + random_below(random, 2));
	guest->nr_rings = 1 + random_below(random, FAKE_RINGS_MAX);
	snprintf(text, sizeof(text), "%u", STRATA_GUEST_ABI_VERSION);
	set_text(guest, FAKE_VERSION, text);
	make_rings(guest, nonce);
	fake_guest_remove_node(guest, FAKE_CTL);
	if (!guest->channel)
		return;
	set_nonce(guest, FAKE_MODULE_NONCE, nonce);
	unpublish_rings(guest);
	fake_guest_remove_node(guest, FAKE_STATE);
}

/* The same command again changes nothing. */
static const char *create(struct fake_guest *guest, uint32_t sequence)
{
	if (!guest->channel)
		return NULL;
	if (guest->created != sequence && !guest->fresh)
		make_rings(guest, guest->root->nonce + 1);
	else if (guest->created != sequence)
		publish_rings(guest, guest->nr_pages - 1, guest->root->nonce);
	guest->created = sequence;
	guest->fresh = false;
	return "created";
}

static const char *destroy(struct fake_guest *guest)
{
	if (!guest->channel)
		return NULL;
	guest->recording = false;
	guest->created = 0;
	unpublish_rings(guest);
	return "destroyed";
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

static void flush(struct fake_guest *guest)
{
	uint32_t i;

	for (i = 0; i < guest->nr_rings; i++)
		strata_ring_flush(guest->rings[i].ring);
	notify(guest);
}

static void record(struct fake_guest *guest, bool overwrite, enum strata_header_form form,
		   uint32_t contexts, uint64_t events)
{
	uint32_t i;

	if (form != guest->form || contexts != guest->contexts)
		flush(guest);
	guest->form = form;
	guest->contexts = contexts;
	for (i = 0; i < guest->nr_rings; i++) {
		guest->rings[i].ring->overwrite = overwrite;
		strata_ring_set_form(guest->rings[i].ring, form);
		strata_ring_set_contexts(guest->rings[i].ring, contexts);
	}
	guest->enabled = events;
	guest->recording = true;
}

static bool start(struct fake_guest *guest, const char *mode, const char *period, const char *mask,
		  const char *rest)
{
	bool overwrite = !strncmp(mode, "overwrite", strlen("overwrite"));
	enum strata_header_form form = strstr(mode, "+compact") ? STRATA_HEADER_COMPACT
				       : strstr(mode, "+large") ? STRATA_HEADER_LARGE
								: STRATA_HEADER_FULL;
	unsigned int contexts = 0;
	uint64_t events;
	char *end;

	/* Its CPUs hand over when they flush; that there is a period is all that it asks. */
	strtoul(period, &end, 10);
	if (end == period || *end)
		return false;
	events = strtoull(mask, &end, 16);
	if (*end || events >> guest->nr_events)
		return false;
	if (*rest && (sscanf(rest, "contexts=%x", &contexts) != 1 ||
		      contexts & ~(STRATA_CONTEXTS_ALL | STRATA_COUNTERS_ALL)))
		return false;
	guest->of_another = false;
	record(guest, overwrite, form, contexts, events);
	return true;
}

/* An equal one is found again. */
static bool probe(struct fake_guest *guest, const char *name)
{
	struct strata_event_desc event = {
		.group = "kprobe",
		.nr_fields = 1,
		.fields = { { "ip", STRATA_FIELD_HEX, 8, 1 } },
	};
	uint32_t i;

	for (i = 0; i < guest->nr_events; i++)
		if (!strcmp(guest->event[i].name, name))
			return true;
	if (guest->nr_events == FAKE_EVENTS_MAX)
		return false;
	snprintf(event.name, sizeof(event.name), "%.63s", name);
	add_event(guest, &event);
	return true;
}

/* Likewise. */
static bool count(struct fake_guest *guest, const char *type, const char *config)
{
	const struct strata_guest_counter counter = { .type = (uint32_t)strtoul(type, NULL, 16),
						      .config = strtoull(config, NULL, 16) };
	uint32_t i;

	for (i = 0; i < STRATA_COUNTERS_MAX; i++) {
		struct strata_guest_counter *entry = &guest->root->counters[i];

		if (entry->type == STRATA_COUNTER_NO_TYPE)
			*entry = counter;
		if (entry->type == counter.type && entry->config == counter.config)
			return true;
	}
	return false;
}

void fake_guest_obey(struct fake_guest *guest)
{
	struct fake_node *ctl = &guest->nodes[FAKE_CTL];
	char text[2100] = "", word[16] = "", first[300] = "", second[300] = "", third[300] = "";
	char fourth[32] = "", answer[64];
	const char *said = NULL;
	unsigned int sequence = 0;

	memcpy(text, ctl->value, ctl->length < sizeof(text) ? ctl->length : sizeof(text) - 1);
	if (guest->deaf || guest->life != FAKE_RUNS)
		return;
	sscanf(text, "%15s %u %299s %299s %299s %31s", word, &sequence, first, second, third,
	       fourth);
	if (!strcmp(word, "start")) {
		said = start(guest, first, second, third, fourth) ? "started" : NULL;
	} else if (!strcmp(word, "stop")) {
		guest->recording = false;
		flush(guest);
		said = "stopped";
	} else if (!strcmp(word, "flush")) {
		flush(guest);
		said = "flushed";
	} else if (!strcmp(word, "create")) {
		said = create(guest, sequence);
	} else if (!strcmp(word, "destroy")) {
		said = destroy(guest);
	} else if (!strcmp(word, "kprobe")) {
		said = probe(guest, first) ? "probed" : NULL;
	} else if (!strcmp(word, "counter")) {
		said = count(guest, first, second) ? "prepared" : NULL;
	}
	snprintf(answer, sizeof(answer), "%s %u", said ? said : "refused", sequence);
	set_text(guest, FAKE_STATE, answer);
}

static void write_record(struct fake_guest *guest, uint32_t index, struct randomness *random)
{
	struct fake_ring *ring = &guest->rings[index];
	struct fake_record *record = &ring->records[ring->nr_records];
	uint32_t id = random_below(random, guest->nr_events), bytes;
	unsigned char payload[STRATA_PAYLOAD_BYTES_MAX];
	struct strata_slot slot;
	uint32_t header_bytes;
	uint64_t before;

	if (ring->nr_records == FAKE_RECORDS_MAX || !(guest->enabled >> id & 1))
		return;
	bytes = fake_event_payload(&guest->event[id], guest->contexts,
				   fake_record_seed(index, ring->nr_records), payload);
	if (!strata_ring_reserve(ring->ring, id, bytes, &slot))
		return;
	header_bytes = slot.bytes - strata_padded_bytes(bytes);
	before = ring->nr_records ? record[-1].ticks : 0;
	strata_header_read(guest->form, slot.payload - header_bytes, header_bytes, before,
			   &record->id, &record->ticks);
	memcpy(slot.payload, payload, bytes);
	record->sequence = slot.position >> guest->geo.subbuf_bits;
	record->contexts = guest->contexts;
	record->of_another = guest->of_another;
	record->taken = guest->of_another;
	ring->nr_records++;
	strata_ring_commit(ring->ring, &slot);
}

void fake_guest_write(struct fake_guest *guest, struct randomness *random, uint32_t nr)
{
	uint32_t i, j;

	if (!guest->recording || guest->life != FAKE_RUNS)
		return;
	for (i = 0; i < guest->nr_rings; i++)
		for (j = random_below(random, nr + 1); j > 0; j--)
			write_record(guest, i, random);
	notify(guest);
}

void fake_guest_leave(struct fake_guest *guest, bool overwrite, bool taken_over,
		      struct randomness *random, uint32_t nr)
{
	guest->of_another = !taken_over;
	record(guest, overwrite, random_below(random, STRATA_NR_HEADER_FORMS),
	       overwrite ? (uint16_t)random_below(random, STRATA_CONTEXTS_ALL + 1) : 0,
	       (1ull << guest->nr_events) - 1);
	fake_guest_write(guest, random, nr);
	guest->created = 1;
	guest->fresh = false;
	publish_rings(guest, guest->nr_pages - 1, guest->root->nonce);
	set_text(guest, FAKE_STATE, random_one_in(random, 2) ? "started 5" : "flushed 7");
}
