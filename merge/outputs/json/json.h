/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.h - writers of JSON. */
#ifndef STRATA_MERGE_OUTPUTS_JSON_H
#define STRATA_MERGE_OUTPUTS_JSON_H

#include "outputs/event_writer.h"

/* Writes an object for each event, one per line. NULL: out of memory. */
struct strata_event_writer *strata_json_lines_new(void);

/* Chrome's viewers load the whole trace into memory, and fail on larger ones. */
#define STRATA_CHROME_EVENTS_MAX 1000000u

/*
 * Writes Chrome's JSON.
 * @origin_ns: origin of times: that of the first event, or shortly before
 * Returns NULL if out of memory.
 */
struct strata_event_writer *strata_chrome_json_new(uint64_t origin_ns);

#endif /* STRATA_MERGE_OUTPUTS_JSON_H */
