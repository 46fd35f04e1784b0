// SPDX-License-Identifier: GPL-2.0-or-later
/* made_of.c - see made_of.h. */
#include "inputs/made_of.h"

#include <string.h>

#include "base/value_hash.h"

/* Largest number of traces with one UUID in a conversion, as parts of one trace: set_uuid() of
 * outputs/ctf_traces.c numbers them. */
#define SAME_UUID_MAX 64u

static bool is_made_of_uuid(const struct strata_ctf_trace *trace, const uint8_t uuid[16])
{
	uint8_t made[16];
	unsigned int same;

	for (same = 0; same < SAME_UUID_MAX; same++) {
		strata_hash_uuid(made, same, uuid, 16);
		if (memcmp(made, trace->metadata.uuid, 16) == 0)
			return true;
	}
	return false;
}

bool strata_is_made_of_recording(const struct strata_ctf_trace *trace,
				 const struct strata_recording *recording)
{
	size_t i;

	if (!trace->metadata.has_uuid || recording->nr_sources == 0)
		return false;
	for (i = 0; i < recording->nr_sources; i++) {
		if (is_made_of_uuid(trace, recording->sources[i].uuid))
			return true;
	}
	return false;
}

bool strata_is_made_of_trace(const struct strata_ctf_trace *trace,
			     const struct strata_ctf_trace *other)
{
	return trace != other && trace->metadata.has_uuid && other->metadata.has_uuid &&
	       is_made_of_uuid(trace, other->metadata.uuid);
}
