/* SPDX-License-Identifier: GPL-2.0-or-later */
/* detail.h - details of a slice besides its name, as lines of KEY=VALUE. Internal to tracks. */
#ifndef STRATA_MERGE_TRACKS_DETAIL_H
#define STRATA_MERGE_TRACKS_DETAIL_H

#include "outputs/shown.h"
#include "state/span.h"

#define STRATA_DETAIL_BYTES  1024u
#define STRATA_DETAIL_BEHIND 8u /* vCPUs listed by name */

/* The vCPUs that ran during the current wait of a vCPU. */
struct strata_detail_behind {
	const struct strata_vcpu *waiter;
	struct {
		const struct strata_vcpu *ran;
		uint64_t ns;
	} of[STRATA_DETAIL_BEHIND];
	size_t nr;
	uint64_t others_ns; /* time of those not listed */
};

/* Adds a span of kind BEHIND. */
void strata_detail_add_behind(struct strata_detail_behind *behind, const struct strata_span *span);

/* Writes the details of a span into @text, of STRATA_DETAIL_BYTES; "": nothing to add.
 * @behind: that of the span's vCPU, if it waited; else NULL */
void strata_detail_text(char *text, const struct strata_shown *shown,
			const struct strata_span *span, const struct strata_detail_behind *behind);

#endif /* STRATA_MERGE_TRACKS_DETAIL_H */
