/* SPDX-License-Identifier: GPL-2.0-or-later */
/* figures_json.h - figures as members of JSON objects: the same figure has the same key
 * everywhere. */
#ifndef STRATA_MERGE_OUTPUTS_FIGURES_JSON_H
#define STRATA_MERGE_OUTPUTS_FIGURES_JSON_H

#include <json-c/json.h>

#include "ctf/reader/ctf_reader.h"

void strata_json_add_u64(struct json_object *object, const char *key, uint64_t value);

/* @text: UTF-8 */
void strata_json_add_text(struct json_object *object, const char *key, const char *text);

/* Adds `events`, `first_ns` and `last_ns`. */
void strata_json_add_events(struct json_object *object, uint64_t events, uint64_t first_ns,
			    uint64_t last_ns);

/* Adds what was lost, damaged or clamped: `lost`, `packets`, `missing_packets`, `bad_packets`,
 * `left_out_bytes`, `clamped_times`, `wild_times`. */
void strata_json_add_tally(struct json_object *object, const struct strata_ctf_tally *tally);

#endif /* STRATA_MERGE_OUTPUTS_FIGURES_JSON_H */
