/* SPDX-License-Identifier: GPL-2.0-or-later */
/* traces_draw.h - traces as slices on tracks, in the forms of Perfetto and Chrome. */
#ifndef STRATA_STRATA_TRACES_DRAW_H
#define STRATA_STRATA_TRACES_DRAW_H

#include "outputs/shown.h"
#include "strata/read/traces.h"
#include "strata/read/traces_options.h"

/* Whether what the options ask for is drawn as slices: not if events are. */
bool write_is_drawn(const struct write_options *options);

/*
 * Writes it, in one pass with what the observers take in.
 * @slices: threads, times and observers
 * @events: OUT, how many there were; 0: there was nothing to draw
 * 0 or -1.
 */
int write_drawn(struct traces *traces, const struct write_options *options,
		const struct strata_shown *shown, const struct strata_slice_options *slices,
		uint64_t first_ns, uint64_t *events, struct strata_error *error);

#endif /* STRATA_STRATA_TRACES_DRAW_H */
