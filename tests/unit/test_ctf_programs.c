// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ctf_programs.c - random types and values: programs of ctf_program.h come to the
 * same bit and the same hash as a walk through the types, and as what was written; and on bytes
 * that nobody wrote, both refuse the same.
 *
 * STRATA_TEST_SEED repeats a run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "ctf/trace/ctf_metadata_read.h"
#include "ctf/values/ctf_program.h"
#include "base/value_hash.h"
#include "ctf_random.h"

#define ROUNDS     1500u
#define TEXT_BYTES (1u << 20)
#define SCOPES     3u

static uint64_t first_seed;

/* One event: its contexts and its payload. */
struct event {
	struct random_type *types[SCOPES];
	struct strata_ctf_metadata metadata;
	const struct strata_ctf_type *scopes[SCOPES];
	struct strata_ctf_program program;
};

static void refuse(void *data, const char *message)
{
	(void)data;
	fail_msg("%s", message);
}

static void make_event(struct event *event, uint64_t *seed)
{
	static char text[TEXT_BYTES];
	const bool big_endian = maker_random(seed) >> 40 & 1;
	const char *const names[SCOPES] = { "event.context", "context", "fields" };
	struct strata_error error;
	unsigned int i;

	memset(event, 0, sizeof(*event));
	for (i = 0; i < SCOPES; i++)
		event->types[i] = random_type_make(seed, big_endian);
	snprintf(text, sizeof(text),
		 "/* CTF 1.8 */\ntrace { major = 1; minor = 8; byte_order = %s; };\nstream { ",
		 big_endian ? "be" : "le");
	for (i = 0; i < SCOPES; i++) {
		sprintf(text + strlen(text), "%s := ", names[i]);
		random_type_tell(event->types[i], text, sizeof(text));
		strcat(text, i == 0 ? "; };\nevent { name = e; " : "; ");
	}
	strcat(text, "};\n");
	if (strata_ctf_metadata_parse(&event->metadata, "metadata", text, strlen(text), refuse,
				      NULL, &error))
		fail_msg("seed %llu: %s\n%s", (unsigned long long)first_seed, error.text, text);
	event->scopes[0] = event->metadata.streams[0].event_context;
	event->scopes[1] = event->metadata.streams[0].events[0].context;
	event->scopes[2] = event->metadata.streams[0].events[0].payload;
	assert_int_equal(strata_ctf_program_make(&event->program, event->scopes, SCOPES), 0);
}

static void clear_event(struct event *event)
{
	unsigned int i;

	strata_ctf_program_clear(&event->program);
	strata_ctf_metadata_clear(&event->metadata);
	for (i = 0; i < SCOPES; i++)
		random_type_free(event->types[i]);
}

/* A walk that folds ------------------------------------------------------------------------- */

static bool walk(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
		 uint64_t *hash)
{
	const struct strata_ctf_field *chosen;
	uint64_t value, i;
	const char *text;

	switch (type->kind) {
	case STRATA_CTF_INTEGER:
	case STRATA_CTF_ENUM:
	case STRATA_CTF_FLOAT:
		if (!strata_ctf_read_number(cursor, type, &value))
			return false;
		*hash = strata_hash_number(*hash, value);
		return true;
	case STRATA_CTF_STRING:
		if (!strata_ctf_read_string(cursor, type, &text, &value))
			return false;
		*hash = strata_hash_bytes(*hash, text, value);
		return true;
	case STRATA_CTF_STRUCT:
		if (!strata_ctf_align(cursor, type->align))
			return false;
		for (i = 0; i < type->nr_fields; i++) {
			if (!walk(cursor, type->fields[i].type, hash))
				return false;
		}
		return true;
	case STRATA_CTF_VARIANT:
		chosen = strata_ctf_chosen(cursor, type);
		return chosen && walk(cursor, chosen->type, hash);
	case STRATA_CTF_OPTIONAL:
		chosen = strata_ctf_chosen(cursor, type);
		return !chosen || walk(cursor, chosen->type, hash);
	case STRATA_CTF_VARINT:
		if (!strata_ctf_read_varint(cursor, type, &value))
			return false;
		*hash = strata_hash_number(*hash, value);
		return true;
	case STRATA_CTF_ARRAY:
	case STRATA_CTF_SEQUENCE:
		break;
	}
	if (!strata_ctf_read_length(cursor, type, &value))
		return false;
	if (type->element->is_text) {
		text = (const char *)cursor->bytes + cursor->at / 8;
		*hash = strata_hash_bytes(*hash, text, strnlen(text, value));
		cursor->at += value * 8;
		return true;
	}
	if (type->kind == STRATA_CTF_SEQUENCE)
		*hash = strata_hash_number(*hash, value);
	for (i = 0; i < value; i++) {
		const uint64_t from = cursor->at;

		if (!walk(cursor, type->element, hash))
			return false;
		if (cursor->at == from)
			break;
	}
	return true;
}

struct outcome {
	bool fits;
	uint64_t at;
	uint64_t hash;
};

enum way { SKIP_BY_PROGRAM, SKIP_BY_TYPES, FOLD_BY_PROGRAM, FOLD_BY_WALK, NR_WAYS };

static struct outcome go(const struct event *event, enum way way, const uint8_t *bytes, uint64_t at,
			 uint64_t end)
{
	uint64_t slots[STRATA_CTF_SLOTS_MAX] = { 0 };
	struct strata_ctf_cursor cursor = { bytes, at, end, slots };
	struct outcome outcome = { true, 0, 0 };
	unsigned int i;

	if (way == SKIP_BY_PROGRAM)
		outcome.fits = strata_ctf_program_skip(&event->program, &cursor);
	else if (way == FOLD_BY_PROGRAM)
		outcome.fits = strata_ctf_program_fold(&event->program, &cursor, &outcome.hash);
	for (i = 0; i < SCOPES && outcome.fits; i++) {
		if (way == SKIP_BY_TYPES)
			outcome.fits = strata_ctf_skip(&cursor, event->scopes[i]);
		else if (way == FOLD_BY_WALK)
			outcome.fits = walk(&cursor, event->scopes[i], &outcome.hash);
	}
	outcome.at = cursor.at;
	assert_true(cursor.at <= end);
	return outcome;
}

static void compare(const struct event *event, const uint8_t *bytes, uint64_t at, uint64_t end,
		    const struct outcome *wanted, unsigned int round)
{
	static const char *const names[NR_WAYS] = { "skip by program", "skip by types",
						    "fold by program", "fold by a walk" };
	const struct outcome walked = go(event, FOLD_BY_WALK, bytes, at, end);
	enum way way;

	if (!wanted)
		wanted = &walked;
	for (way = 0; way < NR_WAYS; way++) {
		const struct outcome got = go(event, way, bytes, at, end);
		const bool folds = way >= FOLD_BY_PROGRAM;

		if (got.fits != wanted->fits || (got.fits && got.at != wanted->at) ||
		    (got.fits && folds && got.hash != wanted->hash))
			fail_msg(
				"STRATA_TEST_SEED=%llu, round %u: %s: fits %d, bit %llu, hash %llx; "
				"not %d, %llu, %llx",
				(unsigned long long)first_seed, round, names[way], got.fits,
				(unsigned long long)got.at, (unsigned long long)got.hash,
				wanted->fits, (unsigned long long)wanted->at,
				(unsigned long long)wanted->hash);
	}
}

/* Events that begin at any bit, as behind a header of odd size, and end exactly where they end. */
static void what_was_written_is_read(void **state)
{
	uint64_t seed = first_seed;
	unsigned int round, i;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		struct outcome wanted = { true, 0, 0 };
		struct event event;
		struct bits bits = { 0 };
		uint64_t from;

		make_event(&event, &seed);
		bits.big_endian = event.metadata.big_endian;
		bits_put(&bits, maker_random(&seed), (unsigned int)(maker_random(&seed) % 64));
		from = bits.at;
		for (i = 0; i < SCOPES; i++)
			wanted.hash = random_type_put(event.types[i], &bits, &seed, wanted.hash);
		wanted.at = bits.at;
		bits_put_bytes(&bits, "what is behind it", STRATA_CTF_PADDING);
		compare(&event, bits.bytes, from, wanted.at, &wanted, round);
		/* One bit less is too short; unless there is nothing at all. */
		if (wanted.at > from)
			assert_false(
				go(&event, SKIP_BY_PROGRAM, bits.bytes, from, wanted.at - 1).fits);
		bits_clear(&bits);
		clear_event(&event);
	}
}

/* The bytes are on the heap, and no more of them than ctf_cursor.h asks for: who reads beyond is
 * caught by a sanitizer. */
static void any_bytes_are_read_alike(void **state)
{
	uint64_t seed = first_seed ^ 0x5555555555555555ull;
	unsigned int round, turn;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		struct event event;

		make_event(&event, &seed);
		for (turn = 0; turn < 8; turn++) {
			const uint64_t end = maker_random(&seed) % 4000;
			const uint64_t from = end ? maker_random(&seed) % end : 0;
			const size_t size = (end + 7) / 8 + STRATA_CTF_PADDING;
			/* Few bits are set, so that lengths are small. */
			const unsigned int shift = turn % 2 ? 0 : 5;
			uint8_t *bytes = malloc(size);
			size_t i;

			assert_non_null(bytes);
			for (i = 0; i < size; i++)
				bytes[i] = (uint8_t)((maker_random(&seed) >> 30 & 0xff) >> shift);
			compare(&event, bytes, from, end, NULL, round);
			free(bytes);
		}
		clear_event(&event);
	}
}

/* As many elements as bits are left in the packet, or more: none of them takes room, and the event
 * can be read again up to its own end. */
static void elements_without_room_are_read_again(void **state)
{
	static const char text[] =
		"/* CTF 1.8 */\ntrace { major = 1; minor = 8; byte_order = le; };\n"
		"event { name = e; fields := struct { integer { size = 32; align = 8; } n;"
		" struct { } nothing[n]; integer { size = 8; align = 8; } last; }; };\n";
	static const uint8_t lengths[][4] = { { 0 }, { 9 }, { 200 }, { 255, 255, 255, 255 } };
	struct event event = { 0 };
	struct strata_error error;
	size_t i;

	(void)state;
	assert_int_equal(strata_ctf_metadata_parse(&event.metadata, "metadata", text, strlen(text),
						   refuse, NULL, &error),
			 0);
	event.scopes[0] = event.metadata.streams[0].events[0].payload;
	assert_int_equal(strata_ctf_program_make(&event.program, event.scopes, 1), 0);
	for (i = 0; i < 4; i++) {
		uint64_t slots[STRATA_CTF_SLOTS_MAX], hash = 0;
		uint8_t bytes[100] = { 0 };
		struct strata_ctf_cursor cursor = { bytes, 0, 80 * 8, slots };

		memcpy(bytes, lengths[i], 4);
		assert_true(strata_ctf_program_skip(&event.program, &cursor));
		assert_int_equal(cursor.at, 40);
		cursor.at = 0;
		cursor.end = 40;
		assert_true(strata_ctf_program_fold(&event.program, &cursor, &hash));
		assert_int_equal(cursor.at, 40);
	}
	strata_ctf_program_clear(&event.program);
	strata_ctf_metadata_clear(&event.metadata);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(any_bytes_are_read_alike),
		cmocka_unit_test(elements_without_room_are_read_again),
	};
	const char *seed = getenv("STRATA_TEST_SEED");

	first_seed = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL) * 2654435761u | 1;
	return cmocka_run_group_tests_name("ctf_programs", tests, NULL, NULL);
}
