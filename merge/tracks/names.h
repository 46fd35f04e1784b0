/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - texts by number, each once: names of slices, which come again and again.
 */
#ifndef STRATA_MERGE_TRACKS_NAMES_H
#define STRATA_MERGE_TRACKS_NAMES_H

#include <stdbool.h>

#include "base/id_map.h"

/* Names of a hostile trace may each be another: those beyond are STRATA_NAME_OTHER. */
#define STRATA_NAMES_MAX  65536u
#define STRATA_NAME_OTHER 0u

/* Zero-initialised is empty. */
struct strata_names {
	char **texts; /* by number; [0] is "(other)", once there is one */
	size_t nr, room;
	struct strata_id_map by_text; /* by their ids; things are numbers + 1 */
	bool no_memory;
};

/* The number of a text, which is copied; STRATA_NAME_OTHER: there are too many. */
uint32_t strata_names_get(struct strata_names *names, const char *text);

void strata_names_clear(struct strata_names *names);

#endif /* STRATA_MERGE_TRACKS_NAMES_H */
