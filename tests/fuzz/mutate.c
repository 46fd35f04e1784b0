// SPDX-License-Identifier: GPL-2.0-or-later
/* mutate.c - see mutate.h. */
#include "mutate.h"

#include <stdio.h>
#include <string.h>

const char *const mutation_names[NR_MUTATIONS] = {
	"node",   "root",   "reference", "grant",  "event",  "ring", "state", "commit",
	"losses", "reader", "header",    "record", "packet", "byte", "page",  "glance",
};

bool mutate_number(void *where, size_t bytes, struct randomness *random)
{
	uint64_t was = 0, now;

	memcpy(&was, where, bytes);
	now = random_awkward(random, was);
	memcpy(where, &now, bytes);
	return memcmp(&was, &now, bytes) != 0;
}

uint32_t mutate_place_in_packet(const void *packet, size_t bytes, struct randomness *random)
{
	uint32_t offset = STRATA_PACKET_HEADER_BYTES, steps = random_below(random, 48), id;

	if (random_one_in(random, 3))
		return random_below(random, STRATA_PACKET_HEADER_BYTES) & ~3u;
	while (steps--) {
		memcpy(&id, (const char *)packet + offset, sizeof(id));
		if (id >= FAKE_NR_EVENTS || offset + 512u > bytes)
			break;
		offset += strata_record_bytes(fake_event_payload_bytes(id));
	}
	return offset + random_below(random, 3) * 4u;
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
	char text[64];
	int length;

	if (random_one_in(random, 4))
		return mutate_text(guest, FAKE_STATE, random);
	length = snprintf(text, sizeof(text), "%s %u", words[random_below(random, 5)],
			  (unsigned int)random_awkward(random, 1790001000));
	fake_guest_set_node(guest, FAKE_STATE, text, (size_t)length);
	return true;
}

/* The numbers of the root page; now and then several that agree with one another. */
static bool mutate_root(struct fake_guest *guest, struct randomness *random)
{
	struct strata_guest_root *root = guest->root;
	struct strata_ring_geometry geo;

	switch (random_below(random, 13)) {
	case 12:
		return mutate_number(&root->table_bytes, sizeof(root->table_bytes), random);
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
	default:
		root->nr_rings = 1 + random_below(random, random_one_in(random, 4) ? 256 : 8);
		root->nr_events = 1 + random_below(random, 64);
		root->table_bytes =
			guest->table_bytes + random_below(random, 2 * STRATA_PAGE_BYTES);
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

	if (random_one_in(random, 2))
		return mutate_number(ref, sizeof(*ref), random);
	/* Another page of its own: areas in one another's place. */
	*ref = guest->first_ref + random_below(random, guest->nr_pages);
	return true;
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

static bool mutate_event(struct fake_guest *guest, struct randomness *random)
{
	static const char *const texts[] = { "struct", "uint32_t", "a\"b", "\x1b[2J", "task",
					     "tick",   "_",        "0x",   "}; env {" };
	uint32_t at = random_below(random, guest->table_bytes - 8u);
	unsigned char *where = guest->table + at;
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
	unsigned char *writer = (unsigned char *)any_ring(guest, random)->writer;

	/* magic, version, geometry, CPU, width */
	return mutate_number(writer + random_below(random, 16), 1u << random_below(random, 3),
			     random);
}

/* Mostly: that the sub-buffer which the reader looks at is ready, or was never. */
static bool mutate_commit(struct fake_guest *guest, struct randomness *random)
{
	struct fake_ring *ring = any_ring(guest, random);
	strata_count_t position = ring->reader->read_count +
				  random_below(random, 4) * strata_subbuf_bytes(guest->geo);
	strata_count_t *seq = &ring->writer->commit_seq[strata_subbuf_index(guest->geo, position)];
	strata_count_t was = *seq;

	if (random_one_in(random, 4))
		return mutate_number(seq, sizeof(*seq), random);
	*seq = strata_commit_at_turn(guest->geo, position) + strata_subbuf_bytes(guest->geo);
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

/* A sub-buffer: mostly the one that is read next. */
static unsigned char *any_subbuf(struct fake_guest *guest, struct randomness *random)
{
	struct fake_ring *ring = any_ring(guest, random);
	strata_count_t position = ring->reader->read_count;

	if (random_one_in(random, 3))
		position += random_below(random, 8) * strata_subbuf_bytes(guest->geo);
	return ring->data +
	       strata_subbuf_index(guest->geo, position) * strata_subbuf_bytes(guest->geo);
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
		[MUTATE_HEADER] = mutate_header,       [MUTATE_RECORD] = mutate_record,
		[MUTATE_PACKET] = mutate_packet,       [MUTATE_BYTE] = mutate_byte,
		[MUTATE_PAGE] = mutate_page,
	};

	return mutators[kind](guest, random);
}
