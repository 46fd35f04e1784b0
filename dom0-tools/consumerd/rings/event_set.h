/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event_set.h - a set of entries of a guest's event table, and the MASK of a command for it. */
#ifndef STRATA_CONSUMERD_EVENT_SET_H
#define STRATA_CONSUMERD_EVENT_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <strata/abi/guest.h>

/* Zero-initialised is empty. */
struct event_set {
	uint64_t words[STRATA_GUEST_EVENTS_MAX / 64];
};

#define EVENT_SET_HEX_BYTES (STRATA_GUEST_EVENTS_MAX / 4 + 1)

static inline void event_set_add(struct event_set *set, size_t entry)
{
	set->words[entry / 64] |= (uint64_t)1 << entry % 64;
}

static inline void event_set_remove(struct event_set *set, size_t entry)
{
	set->words[entry / 64] &= ~((uint64_t)1 << entry % 64);
}

static inline bool event_set_has(const struct event_set *set, size_t entry)
{
	return set->words[entry / 64] >> entry % 64 & 1;
}

static inline size_t event_set_count(const struct event_set *set)
{
	size_t nr = 0, i;

	for (i = 0; i < sizeof(set->words) / sizeof(set->words[0]); i++)
		nr += (size_t)__builtin_popcountll(set->words[i]);
	return nr;
}

/* The set as MASK, without leading zeros. */
static inline const char *event_set_hex(const struct event_set *set, char text[EVENT_SET_HEX_BYTES])
{
	size_t nibble = STRATA_GUEST_EVENTS_MAX / 4;
	char *out = text;

	while (nibble-- > 0) {
		unsigned int digit = (unsigned int)(set->words[nibble / 16] >> nibble % 16 * 4) &
				     15u;

		if (digit || out > text || nibble == 0)
			*out++ = "0123456789abcdef"[digit];
	}
	*out = '\0';
	return text;
}

#endif /* STRATA_CONSUMERD_EVENT_SET_H */
