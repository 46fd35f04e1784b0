// SPDX-License-Identifier: GPL-2.0-or-later
/* allowance.c - see allowance.h.  An entry stays for the whole recording: dom0 assigns UUIDs, and a
 * guest has one. */
#include "consumerd/shares/allowance.h"

#include <stdlib.h>
#include <string.h>

#include "consumerd/shares/token_bucket.h"

struct allowance_entry {
	uint8_t uuid[ALLOWANCE_UUID_BYTES];
	struct token_bucket loads;
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
	entries->loads.burst = ALLOWANCE_BURST;
	entries->loads.per_1000_s = ALLOWANCE_PER_1000_S;
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

	*news = false;
	if (!entry)
		return ALLOWANCE_LATER;
	return answer(token_bucket_take(&entry->loads, now_ms) ? ALLOWANCE_GRANTED
							       : ALLOWANCE_LATER,
		      &entry->come_said, news);
}

enum allowance_answer allowance_moments(struct allowances *all,
					const uint8_t uuid[ALLOWANCE_UUID_BYTES], bool *news)
{
	struct allowance_entry *entry = find(all, uuid);

	*news = false;
	if (!entry)
		return ALLOWANCE_LATER;
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
