/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcp_join.h - completes an event about a segment by another event about the same one, which
 * shares a number with it: the address of the kernel's buffer (skb).
 *
 * The two follow each other on one CPU, so both are searched for in one stream, within a
 * millisecond: later the address is used for other segments.  The table is small; halves without
 * room are dropped, and prove nothing.
 */
#ifndef STRATA_MERGE_INPUTS_TCP_JOIN_H
#define STRATA_MERGE_INPUTS_TCP_JOIN_H

#include "inputs/tcp/tcp_segment.h"

#define STRATA_TCP_JOIN_NS    1000000u
#define STRATA_TCP_JOIN_SLOTS 256u

/* One event, which may lack some fields of the segment. */
struct strata_tcp_half {
	const struct strata_tcp_rule *rule; /* NULL: the slot is free */
	uint64_t join;
	uint64_t ns;
	struct strata_tcp_segment segment;
};

struct strata_tcp_join {
	struct strata_tcp_half slots[STRATA_TCP_JOIN_SLOTS];
};

/*
 * Takes a half.  If it completes an earlier one, fills @complete with the role, the rule and the
 * time of the half that has a role, and with the fields of both.  False: it waits.
 */
bool strata_tcp_join_take(struct strata_tcp_join *join, const struct strata_tcp_half *half,
			  struct strata_tcp_half *complete);

#endif /* STRATA_MERGE_INPUTS_TCP_JOIN_H */
