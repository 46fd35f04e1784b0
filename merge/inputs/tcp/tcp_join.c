// SPDX-License-Identifier: GPL-2.0-or-later
/* tcp_join.c - see tcp_join.h. */
#include "inputs/tcp/tcp_join.h"

#include <string.h>

#include "base/value_hash.h"

/* Adds the fields that the other event knows. */
static void complete_by(struct strata_tcp_segment *segment, const struct strata_tcp_segment *other)
{
	const uint32_t has = segment->form;
	const uint32_t form = has | other->form;
	struct strata_tcp_segment both = *other;

	if (has & STRATA_TCP_HAS_SOURCE)
		memcpy(both.source, segment->source, 16);
	if (has & STRATA_TCP_HAS_DESTINATION)
		memcpy(both.destination, segment->destination, 16);
	if (has & STRATA_TCP_HAS_SOURCE_PORT)
		both.source_port = segment->source_port;
	if (has & STRATA_TCP_HAS_DESTINATION_PORT)
		both.destination_port = segment->destination_port;
	if (has & STRATA_TCP_HAS_SEQUENCE)
		both.sequence = segment->sequence;
	if (has & STRATA_TCP_HAS_ACKNOWLEDGED)
		both.acknowledged = segment->acknowledged;
	if (has & STRATA_TCP_HAS_FLAGS)
		both.flags = segment->flags;
	if (has & STRATA_TCP_HAS_RAW_FLAGS)
		both.raw_flags = segment->raw_flags;
	if (has & STRATA_TCP_HAS_ID)
		both.id = segment->id;
	if (has & STRATA_TCP_HAS_TAG)
		both.tag = segment->tag;
	both.form = form;
	*segment = both;
}

bool strata_tcp_join_take(struct strata_tcp_join *join, const struct strata_tcp_half *half,
			  struct strata_tcp_half *complete)
{
	const uint64_t hash = strata_hash_bytes(0, &half->join, sizeof(half->join));
	struct strata_tcp_half *slot = &join->slots[(hash ^ hash >> 32) % STRATA_TCP_JOIN_SLOTS];
	const bool has_role = half->rule->role != STRATA_TCP_NONE;
	const bool is_other = slot->rule && slot->join == half->join &&
			      half->ns - slot->ns <= STRATA_TCP_JOIN_NS &&
			      (slot->rule->role != STRATA_TCP_NONE) != has_role;

	if (!is_other) {
		*slot = *half;
		return false;
	}
	*complete = has_role ? *half : *slot;
	complete_by(&complete->segment, has_role ? &slot->segment : &half->segment);
	slot->rule = NULL;
	return true;
}
