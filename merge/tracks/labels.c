// SPDX-License-Identifier: GPL-2.0-or-later
/* labels.c - see labels.h. */
#include "tracks/labels.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyses/report.h"
#include "base/array.h"
#include "base/identity.h"
#include "xen/domain_numbers.h"

const char *const strata_hue_names[STRATA_NR_HUES] = {
	[STRATA_HUE_RUNNING] = "running", [STRATA_HUE_WAITING] = "waiting",
	[STRATA_HUE_BLOCKED] = "blocked", [STRATA_HUE_PAUSED] = "paused",
	[STRATA_HUE_UNKNOWN] = "unknown", [STRATA_HUE_IDLE] = "idle",
	[STRATA_HUE_EXIT] = "exit",       [STRATA_HUE_HYPERCALL] = "hypercall",
	[STRATA_HUE_SYSCALL] = "syscall", [STRATA_HUE_IRQ] = "irq",
	[STRATA_HUE_SOFTIRQ] = "softirq", [STRATA_HUE_REQUEST] = "request",
	[STRATA_HUE_DOMAIN] = "domain",   [STRATA_HUE_MESSAGE] = "message",
};

/* The owner of names that no trace chooses; others are of a trace (report.h). */
#define OWN UINT64_MAX

static uint32_t add_category(struct strata_labels *labels, enum strata_hue hue, const char *name)
{
	struct strata_tracks *tracks = labels->tracks;

	if (!STRATA_GROW(tracks->categories, tracks->nr_categories, labels->categories_room)) {
		labels->no_memory = true;
		return 0;
	}
	tracks->categories[tracks->nr_categories] = (struct strata_track_category){
		.hue = hue,
		.index = labels->nr_of_hue[hue]++,
		.name = strata_names_get(&tracks->names, name, OWN),
	};
	return (uint32_t)tracks->nr_categories++;
}

/* Hues with a single category are added first, so each hue's number is its category's. */
void strata_labels_init(struct strata_labels *labels, struct strata_tracks *tracks)
{
	static const char *const names[STRATA_HUE_REQUEST] = {
		[STRATA_HUE_RUNNING] = "runs",        [STRATA_HUE_WAITING] = "waits for a CPU",
		[STRATA_HUE_BLOCKED] = "blocked",     [STRATA_HUE_PAUSED] = "paused",
		[STRATA_HUE_UNKNOWN] = "unknown",     [STRATA_HUE_IDLE] = "idle",
		[STRATA_HUE_EXIT] = "VM exit",        [STRATA_HUE_HYPERCALL] = "hypercall",
		[STRATA_HUE_SYSCALL] = "system call", [STRATA_HUE_IRQ] = "interrupt",
		[STRATA_HUE_SOFTIRQ] = "softirq",     [STRATA_HUE_MESSAGE] = "message",
	};
	size_t i;

	labels->tracks = tracks;
	for (i = 0; i < STRATA_HUE_REQUEST; i++)
		add_category(labels, (enum strata_hue)i, names[i]);
}

/* Returns an object's category. @name: names a new category */
static uint32_t category_of(struct strata_labels *labels, struct strata_id_map *map, uint64_t id,
			    enum strata_hue hue, const char *name)
{
	const uintptr_t found = (uintptr_t)strata_id_map_find(map, id);
	uint32_t category;

	if (found)
		return (uint32_t)(found - 1);
	category = add_category(labels, hue, name);
	if (strata_id_map_add(map, id, (void *)((uintptr_t)category + 1)))
		labels->no_memory = true;
	return category;
}

static uint32_t category_of_domain(struct strata_labels *labels, const struct strata_span *span)
{
	const struct strata_vcpu *vcpu = span->vcpu;
	char name[STRATA_REPORT_NAME];

	if (vcpu->domain == STRATA_DOMID_IDLE)
		return STRATA_HUE_IDLE;
	return category_of(
		labels, &labels->domains, (uint64_t)vcpu->machine << 32 | vcpu->domain,
		STRATA_HUE_DOMAIN,
		strata_report_domain_name(name, labels->tracks->shown, span->trace, vcpu->domain));
}

static uint32_t name_state(struct strata_labels *labels, const struct strata_span *span)
{
	static const char *const vcpus[STRATA_NR_VCPU_STATES] = {
		[STRATA_VCPU_GUEST] = "running",    [STRATA_VCPU_XEN] = "running",
		[STRATA_VCPU_RUNNABLE] = "waiting", [STRATA_VCPU_BLOCKED] = "blocked",
		[STRATA_VCPU_OFFLINE] = "paused",   [STRATA_VCPU_UNKNOWN] = "unknown",
	};
	static const char *const tasks[STRATA_NR_TASK_STATES] = {
		[STRATA_TASK_RUNNING] = "running",
		[STRATA_TASK_RUNNABLE] = "waiting",
		[STRATA_TASK_BLOCKED] = "blocked",
		[STRATA_TASK_UNKNOWN] = "unknown",
	};

	return strata_names_get(
		&labels->tracks->names,
		span->kind == STRATA_SPAN_TASK ? tasks[span->number] : vcpus[span->number], OWN);
}

/* Returns the name of a span that is not a state, cached per object. */
static uint32_t name_thing(struct strata_labels *labels, const struct strata_span *span)
{
	uint64_t id = strata_identity_add(strata_identity_add(0, span->kind), span->trace);
	char name[STRATA_REPORT_NAME];
	uintptr_t found;
	uint32_t number;

	if (span->kind == STRATA_SPAN_PCPU)
		id = strata_identity_add(id, (uintptr_t)span->vcpu);
	else if (span->kind != STRATA_SPAN_REQUEST)
		id = strata_identity_add(id, span->number);
	if (span->name)
		id = strata_identity_add_text(id, span->name, span->name_bytes);
	found = (uintptr_t)strata_id_map_find(&labels->names, id);
	if (found)
		return (uint32_t)(found - 1);
	if (span->kind != STRATA_SPAN_PCPU)
		strata_report_span_name(name, labels->tracks->shown, span);
	else if (span->vcpu->domain == STRATA_DOMID_IDLE)
		snprintf(name, sizeof(name), "idle");
	else
		strata_report_vcpu_name(name, labels->tracks->shown, span->trace, span->vcpu);
	number = strata_names_get(&labels->tracks->names, name,
				  strata_report_span_owner(labels->tracks->shown, span));
	/* Beyond this number, names are not cached. */
	if (labels->names.nr < STRATA_NAMES_MAX &&
	    strata_id_map_add(&labels->names, id, (void *)((uintptr_t)number + 1)))
		labels->no_memory = true;
	return number;
}

uint32_t strata_labels_name(struct strata_labels *labels, const struct strata_span *span)
{
	return span->kind == STRATA_SPAN_VCPU || span->kind == STRATA_SPAN_TASK
		       ? name_state(labels, span)
		       : name_thing(labels, span);
}

uint32_t strata_labels_category(struct strata_labels *labels, const struct strata_span *span,
				uint32_t name)
{
	static const enum strata_hue vcpus[STRATA_NR_VCPU_STATES] = {
		[STRATA_VCPU_GUEST] = STRATA_HUE_RUNNING,
		[STRATA_VCPU_XEN] = STRATA_HUE_RUNNING,
		[STRATA_VCPU_RUNNABLE] = STRATA_HUE_WAITING,
		[STRATA_VCPU_BLOCKED] = STRATA_HUE_BLOCKED,
		[STRATA_VCPU_OFFLINE] = STRATA_HUE_PAUSED,
		[STRATA_VCPU_UNKNOWN] = STRATA_HUE_UNKNOWN,
	};
	static const enum strata_hue tasks[STRATA_NR_TASK_STATES] = {
		[STRATA_TASK_RUNNING] = STRATA_HUE_RUNNING,
		[STRATA_TASK_RUNNABLE] = STRATA_HUE_WAITING,
		[STRATA_TASK_BLOCKED] = STRATA_HUE_BLOCKED,
		[STRATA_TASK_UNKNOWN] = STRATA_HUE_UNKNOWN,
	};

	switch (span->kind) {
	case STRATA_SPAN_PCPU:
		return category_of_domain(labels, span);
	case STRATA_SPAN_VCPU:
		return vcpus[span->number];
	case STRATA_SPAN_TASK:
		return tasks[span->number];
	case STRATA_SPAN_EXIT:
		return STRATA_HUE_EXIT;
	case STRATA_SPAN_HYPERCALL:
		return STRATA_HUE_HYPERCALL;
	case STRATA_SPAN_SYSCALL:
		return STRATA_HUE_SYSCALL;
	case STRATA_SPAN_IRQ:
		return STRATA_HUE_IRQ;
	case STRATA_SPAN_SOFTIRQ:
		return STRATA_HUE_SOFTIRQ;
	default:
		return category_of(labels, &labels->requests, name, STRATA_HUE_REQUEST,
				   labels->tracks->names.texts[name]);
	}
}

void strata_labels_clear(struct strata_labels *labels)
{
	strata_id_map_clear(&labels->names);
	strata_id_map_clear(&labels->domains);
	strata_id_map_clear(&labels->requests);
}
