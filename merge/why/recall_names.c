// SPDX-License-Identifier: GPL-2.0-or-later
/* recall_names.c - see recall_names.h. */
#include "why/recall_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyses/report.h"
#include "base/identity.h"

/* Maps a number to a map value: plus 1, because a value must not be NULL. */
static uint32_t known_name(struct strata_why_recall *recall, uint64_t id)
{
	const uintptr_t thing = (uintptr_t)strata_id_map_find(&recall->span_names, id);

	return thing ? (uint32_t)(thing - 1) : UINT32_MAX;
}

static uint32_t know_name(struct strata_why_recall *recall, uint64_t id, const char *text,
			  const char *by, uint64_t owner)
{
	const uint32_t name = strata_why_names_add(recall->names, text, by, owner);

	/* Beyond this number, names are not cached. */
	if (recall->span_names.nr < STRATA_WHY_NAMES_MAX &&
	    strata_id_map_add(&recall->span_names, id, (void *)((uintptr_t)name + 1)))
		recall->no_memory = true;
	return name;
}

/* The name of a span's class, cached per class. */
uint32_t strata_why_name_span(struct strata_why_recall *recall, const struct strata_span *span)
{
	uint64_t id = strata_identity_add(strata_identity_add(1, span->kind), span->trace);
	char text[STRATA_REPORT_NAME];
	uint32_t name;

	id = strata_identity_add(id, span->number);
	if (span->name)
		id = strata_identity_add_text(id, span->name, span->name_bytes);
	name = known_name(recall, id);
	if (name != UINT32_MAX)
		return name;
	strata_report_span_name(text, recall->shown, span);
	return know_name(recall, id, text, NULL, strata_report_span_owner(recall->shown, span));
}

/* The culprit is the vCPU's domain. @pcpu: where it ran; or STRATA_NO_PCPU */
uint32_t strata_why_name_vcpu(struct strata_why_recall *recall, size_t trace,
			      const struct strata_vcpu *vcpu, uint32_t pcpu)
{
	uint64_t id = strata_identity_add(strata_identity_add(2, trace),
					  strata_why_vcpu_number(vcpu->domain, vcpu->number));
	char text[STRATA_REPORT_NAME], whole[2 * STRATA_REPORT_NAME], *slash;
	uint32_t name;

	id = strata_identity_add(strata_identity_add(id, vcpu->machine), pcpu);
	name = known_name(recall, id);
	if (name != UINT32_MAX)
		return name;
	strata_report_vcpu_name(text, recall->shown, trace, vcpu);
	if (pcpu == STRATA_NO_PCPU)
		snprintf(whole, sizeof(whole), "%s", text);
	else
		snprintf(whole, sizeof(whole), "%s on pCPU %" PRIu32, text, pcpu);
	slash = strrchr(text, '/');
	if (slash)
		*slash = 0;
	return know_name(recall, id, whole, text, strata_report_owner(recall->shown, trace, vcpu));
}

uint32_t strata_why_name_task(struct strata_why_recall *recall, const struct strata_task *task)
{
	uint64_t id = strata_identity_add(strata_identity_add(3, task->kernel->trace), task->tid);
	char text[STRATA_REPORT_NAME];
	uint32_t name;

	id = strata_identity_add_text(id, task->comm, sizeof(task->comm));
	name = known_name(recall, id);
	if (name != UINT32_MAX)
		return name;
	strata_report_task_name(text, task);
	return know_name(recall, id, text, NULL,
			 strata_report_owner(recall->shown, task->kernel->trace, NULL));
}

uint32_t strata_why_name_waker(struct strata_why_recall *recall, const struct strata_link *link)
{
	const struct strata_span span = {
		.kind = link->via == STRATA_VIA_SOFTIRQ ? STRATA_SPAN_SOFTIRQ : STRATA_SPAN_IRQ,
		.trace = link->from.trace,
		.number = link->number,
		.name = link->name,
		.name_bytes = link->name_bytes,
	};

	switch (link->via) {
	case STRATA_VIA_TASK:
	case STRATA_VIA_UNKNOWN:
		return link->from.task && link->from.task->tid
			       ? strata_why_name_task(recall, link->from.task)
			       : 0;
	case STRATA_VIA_IRQ:
	case STRATA_VIA_SOFTIRQ:
		return strata_why_name_span(recall, &span);
	case STRATA_VIA_TIMER:
		return strata_why_names_add(recall->names, "a timer", NULL, STRATA_WHY_OWN);
	default:
		return 0;
	}
}

uint32_t strata_why_name_sender(struct strata_why_recall *recall, size_t trace,
				const struct strata_vcpu *of, const struct strata_task *by)
{
	const uint32_t vcpu = strata_why_name_vcpu(recall, trace, of, STRATA_NO_PCPU);
	char task[STRATA_REPORT_NAME], whole[3 * STRATA_REPORT_NAME];

	if (!by || !by->tid)
		return vcpu;
	strata_report_task_name(task, by);
	snprintf(whole, sizeof(whole), "%s on %s", task, strata_why_name(recall->names, vcpu));
	return strata_why_names_add(recall->names, whole, strata_why_by(recall->names, vcpu),
				    strata_report_owner(recall->shown, by->kernel->trace, NULL));
}
