/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.h - writers of JSON. */
#ifndef STRATA_MERGE_OUTPUTS_JSON_H
#define STRATA_MERGE_OUTPUTS_JSON_H

#include "outputs/event_writer.h"

/* An object for each event, a line each.  NULL: out of memory. */
struct strata_event_writer *strata_json_lines_new(void);

#endif /* STRATA_MERGE_OUTPUTS_JSON_H */
