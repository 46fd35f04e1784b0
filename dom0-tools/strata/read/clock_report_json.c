// SPDX-License-Identifier: GPL-2.0-or-later
/* clock_report_json.c - the results of `strata merge --check` for programs; see merge_report.h. */
#include "base/escape.h"
#include "strata/read/merge_report.h"
#include "outputs/figures_json.h"
#include "outputs/outputs.h"

static void add_text(struct json_object *object, const char *name, const char *text)
{
	char shown[STRATA_ESCAPED_BYTES(128) + 1];

	json_object_object_add(
		object, name,
		json_object_new_string(strata_escape_name(shown, sizeof(shown), text)));
}

static struct json_object *clock_to_json(const struct strata_proven_clock *clock,
					 const struct strata_host_figures *figures)
{
	const char *name = strata_recorded_domain_name(figures->host, clock->domain);
	struct json_object *object = json_object_new_object();

	strata_json_add_u64(object, "domain", clock->domain);
	if (name)
		add_text(object, "domain_name", name);
	strata_json_add_u64(object, "vcpu", clock->vcpu);
	strata_json_add_u64(object, "pairs", clock->pairs);
	strata_json_add_u64(object, "events", clock->events);
	strata_json_add_u64(object, "outside", clock->outside);
	strata_json_add_u64(object, "unproven", clock->unproven);
	if (clock->events == 0)
		return object;
	strata_json_add_u64(object, "least_bound_ns", clock->least_bound_ns);
	strata_json_add_u64(object, "mean_bound_ns",
			    (uint64_t)(clock->sum_of_bounds_ns / clock->events));
	strata_json_add_u64(object, "greatest_bound_ns", clock->greatest_bound_ns);
	return object;
}

static struct json_object *breach_to_json(const struct strata_clock_sync_report *report,
					  const struct strata_clock_breach *breach)
{
	static const char *const kinds[] = {
		[STRATA_BREACH_STEP] = "step",
		[STRATA_BREACH_FALSE_PAIR] = "false_pair",
		[STRATA_BREACH_DRIFT] = "drift",
		[STRATA_BREACH_WANDER] = "wander",
		[STRATA_BREACH_UNEXPLAINED] = "unexplained",
	};
	struct json_object *object = json_object_new_object();

	add_text(object, "clock", report->clocks[breach->clock].name);
	add_text(object, "against", report->clocks[breach->other].name);
	add_text(object, "kind", kinds[breach->kind]);
	json_object_object_add(object, "size", json_object_new_int64(breach->size));
	json_object_object_add(object, "from", json_object_new_int64(breach->from));
	json_object_object_add(object, "to", json_object_new_int64(breach->to));
	return object;
}

int merge_report_json(struct strata_clock_proof *proof, const struct strata_host_figures *figures,
		      FILE *out, struct strata_error *error)
{
	const struct strata_clock_sync_report *report = strata_clock_proof_report(proof, error);
	struct json_object *root = strata_summary_to_json(figures);
	struct json_object *by_causes = json_object_new_object();
	struct json_object *clocks = json_object_new_array();
	struct json_object *breaches = json_object_new_array();
	const struct strata_proven_clock *clock;
	const char *text = NULL;
	size_t i;

	for (i = 0; (clock = strata_clock_proof_of(proof, i)); i++)
		json_object_array_add(clocks, clock_to_json(clock, figures));
	for (i = 0; report && i < report->nr_breaches; i++)
		json_object_array_add(breaches, breach_to_json(report, &report->breaches[i]));
	json_object_object_add(by_causes, "clocks", clocks);
	json_object_object_add(by_causes, "breaches", breaches);
	json_object_object_add(root, "by_causes", by_causes);
	if (report) {
		text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY);
		if (!text)
			strata_fail(error, "out of memory");
	}
	if (text)
		fprintf(out, "%s\n", text);
	json_object_put(root);
	return text ? 0 : -1;
}
