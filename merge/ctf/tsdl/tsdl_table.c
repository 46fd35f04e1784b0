// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_table.c - see tsdl_table.h. Open addressing, at most half full. The hash has a random seed
 * per process, so that a hostile text cannot cause collisions.
 */
#include "ctf/tsdl/tsdl_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define FIRST_CAPACITY 256u

struct strata_tsdl_entry {
	uint64_t hash; /* 0: free */
	uint64_t place;
	const char *name;
	void *value;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product =
		(unsigned __int128)(a ^ 0x9e3779b97f4a7c15ull) * (b ^ 0xd1b54a32d192ed03ull);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Never 0. */
static uint64_t hash_pair(const struct strata_tsdl_table *table, uint64_t place, const char *name)
{
	return mix(mix(table->seed ^ place, table->seed), (uint64_t)(uintptr_t)name) | 1;
}

static uint64_t hash_text(const struct strata_tsdl_table *table, const char *text, size_t length)
{
	uint64_t hash = mix(table->seed, length), part;

	for (; length; text += sizeof(part)) {
		size_t bytes = length < sizeof(part) ? length : sizeof(part);

		part = 0;
		memcpy(&part, text, bytes);
		hash = mix(hash ^ part, table->seed);
		length -= bytes;
	}
	return hash | 1;
}

/* The lowest bit of the hash is always set, so the others choose the slot. */
static size_t first_slot(const struct strata_tsdl_table *table, uint64_t hash)
{
	return (size_t)(hash >> 1) & (table->capacity - 1);
}

static void put(struct strata_tsdl_table *table, const struct strata_tsdl_entry *entry)
{
	size_t i = first_slot(table, entry->hash);

	while (table->entries[i].hash)
		i = (i + 1) & (table->capacity - 1);
	table->entries[i] = *entry;
}

/* Makes room for one more. */
static int grow(struct strata_tsdl_table *table)
{
	struct strata_tsdl_table larger = *table;
	size_t i;

	if (table->nr_entries < table->capacity / 2)
		return 0;
	larger.capacity = table->capacity ? table->capacity * 2 : FIRST_CAPACITY;
	/* Uses an address if the kernel has no random numbers yet. */
	if (!table->capacity &&
	    getrandom(&larger.seed, sizeof(larger.seed), GRND_NONBLOCK) != sizeof(larger.seed))
		larger.seed = (uint64_t)(uintptr_t)&larger;
	larger.entries = calloc(larger.capacity, sizeof(*larger.entries));
	if (!larger.entries)
		return -1;
	for (i = 0; i < table->capacity; i++)
		if (table->entries[i].hash)
			put(&larger, &table->entries[i]);
	free(table->entries);
	*table = larger;
	return 0;
}

void *strata_tsdl_find(const struct strata_tsdl_table *table, uint64_t place, const char *name)
{
	const struct strata_tsdl_entry *entry;
	uint64_t hash;
	size_t i;

	if (!table->capacity)
		return NULL;
	hash = hash_pair(table, place, name);
	for (i = first_slot(table, hash);; i = (i + 1) & (table->capacity - 1)) {
		entry = &table->entries[i];
		if (!entry->hash)
			return NULL;
		if (entry->hash == hash && entry->place == place && entry->name == name)
			return entry->value;
	}
}

int strata_tsdl_add(struct strata_tsdl_table *table, uint64_t place, const char *name, void *value)
{
	struct strata_tsdl_entry entry = { .place = place, .name = name, .value = value };

	if (grow(table))
		return -1;
	entry.hash = hash_pair(table, place, name);
	put(table, &entry);
	table->nr_entries++;
	return 0;
}

const char *strata_tsdl_intern(struct strata_tsdl_table *table, struct strata_ctf_arena *arena,
			       const char *text, size_t length)
{
	struct strata_tsdl_entry entry = { 0 };
	char *copy;
	size_t i;

	if (grow(table))
		return NULL;
	entry.hash = hash_text(table, text, length);
	entry.place = length;
	for (i = first_slot(table, entry.hash); table->entries[i].hash;
	     i = (i + 1) & (table->capacity - 1)) {
		const struct strata_tsdl_entry *known = &table->entries[i];

		if (known->hash == entry.hash && known->place == length &&
		    memcmp(known->name, text, length) == 0)
			return known->name;
	}

	copy = strata_ctf_arena_get(arena, length + 1, 1);
	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	entry.name = copy;
	put(table, &entry);
	table->nr_entries++;
	return copy;
}

void strata_tsdl_table_clear(struct strata_tsdl_table *table)
{
	free(table->entries);
	*table = (struct strata_tsdl_table){ 0 };
}
