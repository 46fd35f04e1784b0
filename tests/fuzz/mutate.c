// SPDX-License-Identifier: GPL-2.0-or-later
/* mutate.c - see mutate.h. */
#include "mutate.h"

#include <stdio.h>
#include <string.h>

const char *const mutation_names[NR_MUTATIONS] = {
	"node",   "root",   "reference", "grant", "event",  "ring",   "state",
	"commit", "losses", "reader",    "table", "place",  "header", "record",
	"packet", "replay", "byte",      "page",  "glance",
};

bool mutate_number(void *where, size_t bytes, struct randomness *random)
{
	uint64_t was = 0, now;

	memcpy(&was, where, bytes);
	now = random_awkward(random, was);
	memcpy(where, &now, bytes);
	return memcmp(&was, &now, bytes) != 0;
}

/* Returns how many bytes of the record at @offset of a packet may be anything; 0: it is not a
 * record. */
static uint32_t record_bytes(const unsigned char *packet, size_t bytes, uint32_t offset)
{
	uint32_t head = STRATA_RECORD_HEADER_BYTES + (uint32_t)sizeof(struct strata_guest_context);
	uint32_t at = 0, id, i;
	struct strata_field_place place;

	if (bytes - offset < head)
		return 0;
	memcpy(&id, packet + offset, sizeof(id));
	if (id >= FAKE_NR_EVENTS)
		return 0;
	for (i = 0; i < fake_events[id].nr_fields; i++)
		if (!strata_field_find(&fake_events[id].fields[i], packet + offset + head,
				       (uint32_t)bytes - offset - head, &at, &place))
			return 0;
	return (head + at + 3u) & ~3u;
}

uint32_t mutate_place_in_packet(const void *packet, size_t bytes, struct randomness *random)
{
	uint32_t offset = STRATA_PACKET_HEADER_BYTES, steps = random_below(random, 48), length;

	if (random_one_in(random, 3))
		return random_below(random, STRATA_PACKET_HEADER_BYTES) & ~3u;
	while (steps--) {
		length = record_bytes(packet, bytes, offset);
		if (!length || offset + length + 64u > bytes)
			break;
		offset += length;
	}
	/* Its header, its context, or how long it is. */
	return offset + random_below(random, 5) * 4u;
}

static bool mutate_text(struct fake_guest *guest, enum fake_node_name name,
			struct randomness *random)
{
	static const char *const texts[] = {
		"",
		" ",
		"-1",
		"+1",
		" -7",
		"0",
		"1",
		"2",
		"7 7",
		"0x10",
		"1e3",
		"nan",
		"\n",
		"01",
		"4294967295",
		"4294967296",
		"18446744073709551615",
		"18446744073709551616",
		"99999999999999999999999999999999999999999999999999999999999999999999999999999",
		"ffffffffffffffff",
		"started",
		"stopped 1",
		"started 4294967295",
		"refused 0",
		"idle",
		"\x1b[2J\x1b]0;x\a",
		"%s%n%s%n",
		"../../..",
	};
	char value[FAKE_NODE_BYTES];
	const char *text = texts[random_below(random, sizeof(texts) / sizeof(texts[0]))];
	size_t length = strlen(text), i;

	memcpy(value, text, length);
	switch (random_below(random, 6)) {
	case 0: /* as much as there can be */
		length = sizeof(value) - random_below(random, 2);
		memset(value, random_one_in(random, 2) ? '1' : 'A', length);
		break;
	case 1: /* anything */
		length = random_below(random, 100);
		for (i = 0; i < length; i++)
			value[i] = (char)random_next(random);
		break;
	case 2: /* a number of its own kind */
		length = (size_t)snprintf(value, sizeof(value), "%llu",
					  (unsigned long long)random_awkward(random, 1));
		break;
	default:
		break;
	}
	fake_guest_set_node(guest, name, value, length);
	return true;
}

static bool mutate_node(struct fake_guest *guest, struct randomness *random)
{
	enum fake_node_name name = random_below(random, FAKE_CTL);
	struct fake_node *node = &guest->nodes[name];

	if (random_one_in(random, 6) && node->exists) {
		fake_guest_remove_node(guest, name);
		return true;
	}
	if (random_one_in(random, 6)) {
		/* What another node has, or a page that is no root. */
		const struct fake_node *other = &guest->nodes[random_below(random, FAKE_NR_NODES)];
		char page[16];

		if (other->exists && other != node && random_one_in(random, 2)) {
			fake_guest_set_node(guest, name, other->value, other->length);
			return true;
		}
		snprintf(page, sizeof(page), "%u",
			 guest->first_ref + random_below(random, guest->nr_pages));
		fake_guest_set_node(guest, FAKE_ROOT_REF, page, strlen(page));
		return true;
	}
	if (random_one_in(random, 4) && node->exists && node->length) {
		node->value[random_below(random, node->length)] ^=
			(char)(1u << random_below(random, 8));
		return true;
	}
	return mutate_text(guest, name, random);
}

static bool mutate_state(struct fake_guest *guest, struct randomness *random)
{
	static const char *const words[] = { "started", "stopped", "refused", "idle", "x" };
	const struct fake_node *ctl = &guest->nodes[FAKE_CTL];
	char text[64], command[64] = "";
	unsigned int number = 0;
	int length;

	if (random_one_in(random, 4))
		return mutate_text(guest, FAKE_STATE, random);
	/* The number of the last command that it received, or another. */
	memcpy(command, ctl->value, ctl->length < sizeof(command) ? ctl->length : 63);
	sscanf(command, "%*15s %u", &number);
	if (!random_one_in(random, 3))
		number = (unsigned int)random_awkward(random, number);
	length = snprintf(text, sizeof(text), "%s %u", words[random_below(random, 5)], number);
	fake_guest_set_node(guest, FAKE_STATE, text, (size_t)length);
	return true;
}

/* The numbers of the root page; now and then several that agree with one another. */
static bool mutate_root(struct fake_guest *guest, struct randomness *random)
{
	struct strata_guest_root *root = guest->root;
	struct strata_ring_geometry geo;

	switch (random_below(random, 18)) {
	case 0:
		return mutate_number(&root->magic, sizeof(root->magic), random);
	case 1:
		return mutate_number(&root->version, sizeof(root->version), random);
	case 2:
		return mutate_number(&root->nonce, sizeof(root->nonce), random);
	case 3:
		return mutate_number(&root->nr_events, sizeof(root->nr_events), random);
	case 4:
		return mutate_number(&root->nr_rings, sizeof(root->nr_rings), random);
	case 5:
		return mutate_number(&root->subbuf_bits, sizeof(root->subbuf_bits), random);
	case 6:
		return mutate_number(&root->nr_subbufs_bits, sizeof(root->nr_subbufs_bits), random);
	case 7:
		return mutate_number(&root->nr_refs, sizeof(root->nr_refs), random);
	case 8:
		return mutate_number(&root->directory_ref[random_below(random, 2)],
				     sizeof(root->directory_ref[0]), random);
	case 9:
		return mutate_number(&root->table_bytes, sizeof(root->table_bytes), random);
	case 10:
		root->nr_events++;
		return true;
	case 11:
		return mutate_number(&root->header_forms, sizeof(root->header_forms), random);
	case 12:
		return mutate_number(&root->tsc_khz, sizeof(root->tsc_khz), random);
	case 13:
		return mutate_number(&root->counters[random_below(random, STRATA_COUNTERS_MAX)],
				     sizeof(uint64_t), random);
	case 14:
		/* Its pages list each other: the root as a directory, or the directory as data. */
		root->directory_ref[random_below(random, 2)] =
			guest->first_ref + guest->nr_pages - 1 - random_below(random, 3);
		return true;
	default:
		root->nr_rings = 1 + random_below(random, random_one_in(random, 4) ? 256 : 8);
		root->nr_events = 1 + random_below(random, 12);
		root->table_bytes = 1 + random_below(random, 65536);
		root->subbuf_bits = (uint8_t)(12 + random_below(random, 4));
		root->nr_subbufs_bits = (uint8_t)(1 + random_below(random, 3));
		geo.subbuf_bits = root->subbuf_bits;
		geo.nr_subbufs_bits = root->nr_subbufs_bits;
		root->nr_refs = (uint32_t)strata_guest_refs(root->table_bytes, root->nr_rings, geo);
		return true;
	}
}

static bool mutate_reference(struct fake_guest *guest, struct randomness *random)
{
	uint32_t *ref = &guest->directory[random_below(random, guest->nr_pages)];
	uint32_t *other = &guest->directory[random_below(random, guest->nr_pages)], was = *ref;

	if (random_one_in(random, 3))
		return mutate_number(ref, sizeof(*ref), random);
	if (random_one_in(random, 3)) {
		/* Another page of its own, mostly one that is listed elsewhere. */
		*ref = guest->first_ref + random_below(random, guest->nr_pages);
		return *ref != was;
	}
	/* Areas in one another's place, each page listed once. */
	*ref = *other;
	*other = was;
	return *ref != was;
}

static bool mutate_grant(struct fake_guest *guest, struct randomness *random)
{
	uint32_t page = random_below(random, guest->nr_pages);

	if (random_one_in(random, 2))
		guest->granted[page] = !guest->granted[page];
	else
		guest->writable[page] = !guest->writable[page];
	return true;
}

/* A place in the table: mostly near an event's begin, where there is something. */
static bool mutate_event(struct fake_guest *guest, struct randomness *random)
{
	static const char *const texts[] = { "struct", "uint32_t", "a\"b", "\x1b[2J", "task",
					     "tick",   "_",        "0x",   "}; env {" };
	uint32_t begin = guest->event_at[random_below(random, guest->nr_events)];
	/* Fields of variable length mostly come last. */
	uint32_t span = random_one_in(random, 3) ? FAKE_TABLE_BYTES - begin : 216u;
	unsigned char *where = guest->events + begin + random_below(random, span - 8u);
	uint32_t width = random_below(random, 5);
	const char *text;

	if (width < 4)
		return mutate_number(where, 1u << width, random);
	text = texts[random_below(random, sizeof(texts) / sizeof(texts[0]))];
	memcpy(where, text, strnlen(text, 8));
	return true;
}

static struct fake_ring *any_ring(struct fake_guest *guest, struct randomness *random)
{
	return &guest->rings[random_below(random, guest->nr_rings)];
}

static bool mutate_ring(struct fake_guest *guest, struct randomness *random)
{
	struct strata_ring_writer_area *writer = any_ring(guest, random)->writer;

	switch (random_below(random, 8)) {
	case 0: /* contexts that its records do not have */
		return mutate_number(&writer->contexts, sizeof(writer->contexts), random);
	case 1: /* two rings of one CPU, or of one that another guest has */
		writer->cpu = random_below(random, 4);
		return true;
	default: /* magic, version, geometry, CPU, width, form */
		return mutate_number((unsigned char *)writer + random_below(random, 16),
				     1u << random_below(random, 3), random);
	}
}

/* Mostly: that the sub-buffer which the reader looks at is ready, or was never, or laps later. */
static bool mutate_commit(struct fake_guest *guest, struct randomness *random)
{
	struct fake_ring *ring = any_ring(guest, random);
	strata_count_t subbuf = strata_subbuf_bytes(guest->geo);
	strata_count_t position = ring->reader->read_count + random_below(random, 4) * subbuf;
	strata_count_t *seq = &ring->writer->commit_seq[strata_subbuf_index(guest->geo, position)];
	strata_count_t was = *seq;

	if (random_one_in(random, 4))
		return mutate_number(seq, sizeof(*seq), random);
	if (random_one_in(random, 4))
		position += (random_below(random, 5) - 2ul) * strata_buffer_bytes(guest->geo);
	if (random_one_in(random, 16))
		position += (strata_count_t)1 << (48 + random_below(random, 16));
	*seq = strata_commit_at_turn(guest->geo, position) +
	       (random_one_in(random, 3) ? random_below(random, (uint32_t)subbuf) : subbuf);
	return *seq != was;
}

static bool mutate_lost(struct fake_guest *guest, struct randomness *random)
{
	uint64_t *lost = any_ring(guest, random)->writer->lost;

	return mutate_number(&lost[random_below(random, STRATA_NR_LOST)], sizeof(*lost), random);
}

/* Mostly the read count; now and then so that it wraps soon. */
static bool mutate_reader(struct fake_guest *guest, struct randomness *random)
{
	uint64_t *words = (uint64_t *)any_ring(guest, random)->reader;

	if (random_one_in(random, 4)) {
		words[0] = (random_below(random, 4) + 1u) * -strata_subbuf_bytes(guest->geo);
		return true;
	}
	return mutate_number(&words[random_one_in(random, 3) ? random_below(random, 8) : 0],
			     sizeof(*words), random);
}

static bool mutate_table(struct fake_guest *guest, struct randomness *random)
{
	struct fake_ring *ring = any_ring(guest, random);
	uint32_t nr = (uint32_t)strata_nr_subbufs(guest->geo);
	strata_count_t *word = &ring->reader->table[random_below(random, nr)], was = *word;

	if (random_one_in(random, 4))
		return mutate_number(word, sizeof(*word), random);
	if (random_one_in(random, 2))
		*word = (was & ~STRATA_TABLE_PAGE_MASK) | random_below(random, nr + 2);
	else
		*word = strata_table_word(guest->geo,
					  ring->reader->read_count +
						  (random_below(random, 3) - 1ul) *
							  strata_buffer_bytes(guest->geo),
					  random_below(random, nr + 2));
	return *word != was;
}

static bool mutate_place(struct fake_guest *guest, struct randomness *random)
{
	uint16_t *page =
		&any_ring(guest, random)
			 ->writer
			 ->page[random_below(random, (uint32_t)strata_nr_subbufs(guest->geo))];

	if (random_one_in(random, 2))
		return mutate_number(page, sizeof(*page), random);
	*page = (uint16_t)random_below(random, (uint32_t)strata_nr_subbufs(guest->geo) + 2);
	return true;
}

/* A sub-buffer: mostly the one that is read next. */
static unsigned char *any_subbuf(struct fake_guest *guest, struct randomness *random)
{
	struct fake_ring *ring = any_ring(guest, random);
	strata_count_t position = ring->reader->read_count;

	if (random_one_in(random, 3))
		position += random_below(random, 8) * strata_subbuf_bytes(guest->geo);
	return fake_ring_subbuf(guest, ring, position);
}

static bool mutate_header(struct fake_guest *guest, struct randomness *random)
{
	uint32_t at = random_below(random, STRATA_PACKET_HEADER_BYTES - 4u) & ~3u;

	return mutate_number(any_subbuf(guest, random) + at, random_one_in(random, 2) ? 4 : 8,
			     random);
}

static bool mutate_record(struct fake_guest *guest, struct randomness *random)
{
	uint32_t span = random_one_in(random, 2) ? 64
						 : (uint32_t)strata_subbuf_bytes(guest->geo) -
							   STRATA_PACKET_HEADER_BYTES - 8;
	uint32_t at = STRATA_PACKET_HEADER_BYTES + (random_below(random, span) & ~3u);

	return mutate_number(any_subbuf(guest, random) + at, random_one_in(random, 2) ? 4 : 8,
			     random);
}

static bool mutate_packet(struct fake_guest *guest, struct randomness *random)
{
	return forge_packet(guest, any_ring(guest, random), random);
}

/* Publishes the content of an earlier sub-buffer in the one that is read next. */
static bool mutate_replay(struct fake_guest *guest, struct randomness *random)
{
	struct fake_ring *ring = any_ring(guest, random);
	strata_count_t bytes = strata_subbuf_bytes(guest->geo);
	strata_count_t position = ring->reader->read_count;
	unsigned char *to = fake_ring_subbuf(guest, ring, position);
	const unsigned char *from =
		random_one_in(random, 3)
			? any_subbuf(guest, random)
			: fake_ring_subbuf(guest, ring,
					   position - (1 + random_below(random, 3)) * bytes);

	memmove(to, from, bytes);
	ring->writer->commit_seq[strata_subbuf_index(guest->geo, position)] =
		strata_commit_at_turn(guest->geo, position) + bytes;
	return true;
}

static bool mutate_byte(struct fake_guest *guest, struct randomness *random)
{
	guest->pages[random_below(random, guest->nr_pages * STRATA_PAGE_BYTES)] ^=
		(unsigned char)(1u << random_below(random, 8));
	return true;
}

static bool mutate_page(struct fake_guest *guest, struct randomness *random)
{
	uint64_t *words =
		(uint64_t *)(guest->pages +
			     (size_t)random_below(random, guest->nr_pages) * STRATA_PAGE_BYTES);
	unsigned char *other =
		guest->pages + (size_t)random_below(random, guest->nr_pages) * STRATA_PAGE_BYTES;
	size_t i;

	switch (random_below(random, 4)) {
	case 0:
		memset(words, 0, STRATA_PAGE_BYTES);
		break;
	case 1:
		memset(words, 0xff, STRATA_PAGE_BYTES);
		break;
	case 2:
		memmove(words, other, STRATA_PAGE_BYTES);
		break;
	default:
		for (i = 0; i < STRATA_PAGE_BYTES / sizeof(*words); i++)
			words[i] = random_next(random);
		break;
	}
	return true;
}

bool mutate(struct fake_guest *guest, enum mutation kind, struct randomness *random)
{
	static bool (*const mutators[NR_MUTATIONS])(struct fake_guest *, struct randomness *) = {
		[MUTATE_NODE] = mutate_node,           [MUTATE_ROOT] = mutate_root,
		[MUTATE_REFERENCE] = mutate_reference, [MUTATE_GRANT] = mutate_grant,
		[MUTATE_EVENT] = mutate_event,         [MUTATE_RING] = mutate_ring,
		[MUTATE_STATE] = mutate_state,         [MUTATE_COMMIT] = mutate_commit,
		[MUTATE_LOST] = mutate_lost,           [MUTATE_READER] = mutate_reader,
		[MUTATE_TABLE] = mutate_table,         [MUTATE_PLACE] = mutate_place,
		[MUTATE_HEADER] = mutate_header,       [MUTATE_RECORD] = mutate_record,
		[MUTATE_PACKET] = mutate_packet,       [MUTATE_REPLAY] = mutate_replay,
		[MUTATE_BYTE] = mutate_byte,           [MUTATE_PAGE] = mutate_page,
	};

	return mutators[kind](guest, random);
}
