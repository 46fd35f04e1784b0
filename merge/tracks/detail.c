// SPDX-License-Identifier: GPL-2.0-or-later
/* detail.c - see detail.h. */
#include "tracks/detail.h"

#include <stdio.h>
#include <string.h>

#include "analyses/report.h"
#include "base/put_text.h"
#include "outputs/table.h"
#include "state/parts.h"

/* A part is listed if it is at least this long, and at least a twentieth of the whole: otherwise
 * most of a page would be details. */
#define PART_LEAST_NS    1000u
#define PART_LEAST_SHARE 20u

/* A text being written; what does not fit is left out. */
struct detail {
	char *text;
	size_t used;
};

static void put_line(struct detail *detail, const char *key, const char *value)
{
	char *out = detail->text + detail->used;

	/* Plus the separators and the terminator. */
	if (detail->used + strlen(key) + strlen(value) + 3 > STRATA_DETAIL_BYTES)
		return;
	if (detail->used)
		*out++ = '\n';
	out = strata_put_text(out, key);
	*out++ = '=';
	out = strata_put_text(out, value);
	*out = '\0';
	detail->used = (size_t)(out - detail->text);
}

static void put_number(struct detail *detail, const char *key, uint64_t number)
{
	char value[STRATA_PUT_BYTES + 1];

	*strata_put_decimal(value, number) = '\0';
	put_line(detail, key, value);
}

static void put_ns(struct detail *detail, const char *key, uint64_t ns)
{
	char value[STRATA_NS_TEXT_BYTES];

	put_line(detail, key, strata_ns_text(value, ns));
}

/* Lists where the time went, if there is more than one part, or one that the name does not
 * imply. */
static void put_parts(struct detail *detail, const struct strata_span *span)
{
	static const char *const names[STRATA_NR_PARTS] = {
		[STRATA_PART_RUNS] = "runs",       [STRATA_PART_QUEUED] = "queued",
		[STRATA_PART_XEN] = "in Xen",      [STRATA_PART_STOLEN] = "stolen",
		[STRATA_PART_ASLEEP] = "asleep",   [STRATA_PART_PAUSED] = "paused",
		[STRATA_PART_BLOCKED] = "blocked", [STRATA_PART_UNKNOWN] = "unknown",
	};
	static const enum strata_part plain[STRATA_NR_TASK_STATES] = {
		[STRATA_TASK_RUNNING] = STRATA_PART_RUNS,
		[STRATA_TASK_RUNNABLE] = STRATA_PART_QUEUED,
		[STRATA_TASK_BLOCKED] = STRATA_PART_BLOCKED,
		[STRATA_TASK_UNKNOWN] = STRATA_PART_UNKNOWN,
	};
	const uint64_t whole = span->to_ns - span->from_ns;
	const bool is_state = span->kind == STRATA_SPAN_TASK;
	uint64_t parts[STRATA_NR_PARTS] = { 0 };
	size_t i;

	strata_parts_add(parts, span->split);
	for (i = 0; i < STRATA_NR_PARTS; i++) {
		const bool says_more = parts[i] != whole ||
				       i != (is_state ? plain[span->number] : STRATA_PART_RUNS);

		if (says_more && parts[i] >= PART_LEAST_NS && parts[i] >= whole / PART_LEAST_SHARE)
			put_ns(detail, names[i], parts[i]);
	}
}

void strata_detail_add_behind(struct strata_detail_behind *behind, const struct strata_span *span)
{
	const uint64_t ns = span->to_ns - span->from_ns;
	size_t i;

	if (behind->waiter != span->vcpu)
		*behind = (struct strata_detail_behind){ .waiter = span->vcpu };
	for (i = 0; i < behind->nr && behind->of[i].ran != span->other; i++)
		;
	if (i == STRATA_DETAIL_BEHIND) {
		behind->others_ns += ns;
		return;
	}
	behind->nr += i == behind->nr;
	behind->of[i].ran = span->other;
	behind->of[i].ns += ns;
}

static void put_behind(struct detail *detail, const struct strata_shown *shown,
		       const struct strata_span *span, const struct strata_detail_behind *behind)
{
	char name[STRATA_REPORT_NAME], ns[STRATA_NS_TEXT_BYTES];
	char value[STRATA_REPORT_NAME + STRATA_NS_TEXT_BYTES];
	size_t i;

	for (i = 0; i < behind->nr; i++) {
		snprintf(value, sizeof(value), "%s %s",
			 strata_report_vcpu_name(name, shown, span->trace, behind->of[i].ran),
			 strata_ns_text(ns, behind->of[i].ns));
		put_line(detail, "behind", value);
	}
	if (behind->others_ns)
		put_ns(detail, "behind others", behind->others_ns);
}

void strata_detail_text(char *text, const struct strata_shown *shown,
			const struct strata_span *span, const struct strata_detail_behind *behind)
{
	struct detail detail = { text, 0 };

	text[0] = '\0';
	switch (span->kind) {
	case STRATA_SPAN_EXIT:
	case STRATA_SPAN_HYPERCALL:
		return; /* the name says everything */
	case STRATA_SPAN_VCPU:
		if (behind)
			put_behind(&detail, shown, span, behind);
		return;
	case STRATA_SPAN_REQUEST:
		put_number(&detail, "key", span->number);
		break;
	default:
		break;
	}
	if (span->split)
		put_parts(&detail, span);
}
