/* SPDX-License-Identifier: GPL-2.0-or-later */
/* traces_draw.h - writes traces as slices on tracks, in the formats of Perfetto and Chrome. */
#ifndef STRATA_STRATA_TRACES_DRAW_H
#define STRATA_STRATA_TRACES_DRAW_H

#include "outputs/shown.h"
#include "strata/read/traces.h"
#include "strata/read/traces_options.h"

/* Whether the options ask for slices; false if for single events. */
bool write_is_drawn(const struct write_options *options);

/*
 * Writes the output, and passes the events to the observers, in one pass.
 * @slices: threads, times and observers
 * @events: OUT, number of events; 0: there was nothing to draw
 * Returns 0 or -1.
 */
int write_drawn(struct traces *traces, const struct write_options *options,
		const struct strata_shown *shown, const struct strata_slice_options *slices,
		uint64_t first_ns, uint64_t *events, struct strata_error *error);

#endif /* STRATA_STRATA_TRACES_DRAW_H */
