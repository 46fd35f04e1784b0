/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * derived_uuid.h - derives a UUID from other identities: equal input gives equal UUIDs, on each
 * machine and in each run.
 *
 * Whoever writes a trace chooses its UUID and its name. So the UUID is the beginning of a SHA-256
 * digest: nobody can find an identity from which another trace's UUID would be derived.
 */
#ifndef STRATA_MERGE_DERIVED_UUID_H
#define STRATA_MERGE_DERIVED_UUID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a UUID is derived from, and for. UUIDs of different kinds are never equal, whatever the
 * bytes are. The numbers are part of the digest: they must not change. */
enum strata_derived {
	STRATA_DERIVED_COPY = 1,     /* a copy of a trace, from the trace's UUID */
	STRATA_DERIVED_NAMED = 2,    /* a trace without a UUID, from its name */
	STRATA_DERIVED_CLOCK = 3,    /* a clock, from its trace's UUID */
	STRATA_DERIVED_MERGE = 4,    /* a merge, from its traces' UUIDs */
	STRATA_DERIVED_TIMELINE = 5, /* a common clock, from a trace's UUID */
};

/* @number: distinguishes several UUIDs from the same bytes */
void strata_derive_uuid(uint8_t uuid[16], enum strata_derived kind, uint64_t number,
			const void *from, size_t bytes);

/* Whether a UUID has the form of derived ones; others may have it, too. */
static inline bool strata_uuid_looks_derived(const uint8_t uuid[16])
{
	return (uuid[6] & 0xf0) == 0x80 && (uuid[8] & 0xc0) == 0x80;
}

#endif /* STRATA_MERGE_DERIVED_UUID_H */
