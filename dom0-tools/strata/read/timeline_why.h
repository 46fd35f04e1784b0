/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline_why.h - explains the slowest requests of a timeline (merge/why/). They are found in the
 * timeline's pass and explained in a second pass, which is made only if there are requests.
 */
#ifndef STRATA_STRATA_TIMELINE_WHY_H
#define STRATA_STRATA_TIMELINE_WHY_H

#include "outputs/timeline/timeline.h"
#include "strata/read/state_pass.h"
#include "why/instances.h"

struct timeline_why {
	struct strata_why_question question;
	struct strata_why_names names;
	struct strata_why_instances *instances; /* its listener must receive all spans */
};

/* Considers only requests between two times. Returns 0, or -1; the caller must clear it in either
 * case. */
int timeline_why_begin(struct timeline_why *why, const struct strata_shown *shown, uint64_t from_ns,
		       uint64_t to_ns, struct strata_error *error);

/* To be called after the timeline's pass, before the timeline is finished. Returns 0 or -1. */
int timeline_why_explain(struct timeline_why *why, struct traces *traces,
			 const struct state_requests *requests, struct strata_timeline *timeline,
			 struct strata_error *error);

void timeline_why_clear(struct timeline_why *why);

#endif /* STRATA_STRATA_TIMELINE_WHY_H */
