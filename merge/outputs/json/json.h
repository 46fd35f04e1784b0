/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.h - writers of JSON. */
#ifndef STRATA_MERGE_OUTPUTS_JSON_H
#define STRATA_MERGE_OUTPUTS_JSON_H

#include "outputs/event_writer.h"

/* An object for each event, a line each.  NULL: out of memory. */
struct strata_event_writer *strata_json_lines_new(void);

/* Chrome's viewers hold all of a trace in memory, and give up on larger ones. */
#define STRATA_CHROME_EVENTS_MAX 1000000u

/*
 * Chrome's JSON.
 * @origin_ns: what times count from: that of the first event or shortly before
 * NULL: out of memory.
 */
struct strata_event_writer *strata_chrome_json_new(uint64_t origin_ns);

#endif /* STRATA_MERGE_OUTPUTS_JSON_H */
