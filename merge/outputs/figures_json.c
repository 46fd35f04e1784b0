// SPDX-License-Identifier: GPL-2.0-or-later
/* figures_json.c - see figures_json.h; for summary.json and `strata stat --json`. */
#include "outputs/figures_json.h"

void strata_json_add_u64(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

void strata_json_add_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, json_object_new_string(text));
}

void strata_json_add_events(struct json_object *object, uint64_t events, uint64_t first_ns,
			    uint64_t last_ns)
{
	strata_json_add_u64(object, "events", events);
	strata_json_add_u64(object, "first_ns", first_ns);
	strata_json_add_u64(object, "last_ns", last_ns);
}

void strata_json_add_tally(struct json_object *object, const struct strata_ctf_tally *tally)
{
	strata_json_add_u64(object, "lost", tally->discarded);
	strata_json_add_u64(object, "packets", tally->packets);
	strata_json_add_u64(object, "missing_packets", tally->missing_packets);
	strata_json_add_u64(object, "bad_packets", tally->bad_packets);
	strata_json_add_u64(object, "left_out_bytes", tally->skipped_bytes);
	strata_json_add_u64(object, "clamped_times", tally->clamped_times);
	strata_json_add_u64(object, "wild_times", tally->wild_times);
}
