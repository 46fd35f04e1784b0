/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ignored_events.h - what a slice's sink does with events that a test does not look at. */
#ifndef STRATA_TESTS_IGNORED_EVENTS_H
#define STRATA_TESTS_IGNORED_EVENTS_H

#include "timeline/trace_set.h"

static inline int ignore_events(struct strata_slice_sink *sink, size_t stream,
				struct strata_ctf_reader *reader,
				const struct strata_lane_event *events, size_t nr,
				struct strata_error *error)
{
	(void)sink;
	(void)stream;
	(void)reader;
	(void)events;
	(void)nr;
	(void)error;
	return 0;
}

#endif /* STRATA_TESTS_IGNORED_EVENTS_H */
