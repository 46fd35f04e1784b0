// SPDX-License-Identifier: GPL-2.0-or-later
/* allowance.c - see allowance.h.  An entry stays for as long as the recording: UUIDs are given by
 * dom0, and a guest has one. */
#include "allowance.h"

#include <stdlib.h>
#include <string.h>

struct allowance_entry {
	uint8_t uuid[ALLOWANCE_UUID_BYTES];
	unsigned int left; /* of ALLOWANCE_BURST */
	uint64_t back_ms;  /* since when the next one is on its way back */
	unsigned int came;
	unsigned int moments;
	enum allowance_answer come_said, moments_said;
};

/* NULL: out of memory. */
static struct allowance_entry *find(struct allowances *all, const uint8_t *uuid)
{
	struct allowance_entry *entries;
	size_t i;

	for (i = 0; i < all->nr; i++)
		if (!memcmp(all->entries[i].uuid, uuid, ALLOWANCE_UUID_BYTES))
			return &all->entries[i];
	entries = reallocarray(all->entries, all->nr + 1, sizeof(*entries));
	if (!entries)
		return NULL;
	all->entries = entries;
	entries += all->nr++;
	memset(entries, 0, sizeof(*entries));
	memcpy(entries->uuid, uuid, ALLOWANCE_UUID_BYTES);
	entries->left = ALLOWANCE_BURST;
	return entries;
}

static enum allowance_answer answer(enum allowance_answer now, enum allowance_answer *said,
				    bool *news)
{
	*news = now != *said;
	*said = now;
	return now;
}

enum allowance_answer allowance_come(struct allowances *all,
				     const uint8_t uuid[ALLOWANCE_UUID_BYTES], uint64_t now_ms,
				     bool *news)
{
	struct allowance_entry *entry = find(all, uuid);
	uint64_t back;

	*news = false;
	if (!entry)
		return ALLOWANCE_NO_MEMORY;
	if (entry->came >= ALLOWANCE_MAX)
		return answer(ALLOWANCE_USED_UP, &entry->come_said, news);
	if (entry->left == ALLOWANCE_BURST)
		entry->back_ms = now_ms;
	back = (now_ms - entry->back_ms) / ALLOWANCE_BACK_MS;
	if (back > ALLOWANCE_BURST - entry->left)
		back = ALLOWANCE_BURST - entry->left;
	entry->left += (unsigned int)back;
	entry->back_ms += back * ALLOWANCE_BACK_MS;
	if (!entry->left)
		return answer(ALLOWANCE_LATER, &entry->come_said, news);
	entry->left--;
	entry->came++;
	return answer(ALLOWANCE_GRANTED, &entry->come_said, news);
}

enum allowance_answer allowance_moments(struct allowances *all,
					const uint8_t uuid[ALLOWANCE_UUID_BYTES], bool *news)
{
	struct allowance_entry *entry = find(all, uuid);

	*news = false;
	if (!entry)
		return ALLOWANCE_NO_MEMORY;
	if (entry->moments >= ALLOWANCE_MOMENTS)
		return answer(ALLOWANCE_USED_UP, &entry->moments_said, news);
	entry->moments++;
	return ALLOWANCE_GRANTED;
}

void allowances_clear(struct allowances *all)
{
	free(all->entries);
	memset(all, 0, sizeof(*all));
}
