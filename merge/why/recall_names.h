/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recall_names.h - names for the objects of a recall (recall.h), cached per object. */
#ifndef STRATA_MERGE_WHY_RECALL_NAMES_H
#define STRATA_MERGE_WHY_RECALL_NAMES_H

#include "why/recall.h"

/* The name of a span: "hlt", "irq 16 timer0". */
uint32_t strata_why_name_span(struct strata_why_recall *recall, const struct strata_span *span);

/* The name of a vCPU, with its domain as the culprit. @pcpu: where it ran; or STRATA_NO_PCPU */
uint32_t strata_why_name_vcpu(struct strata_why_recall *recall, size_t trace,
			      const struct strata_vcpu *vcpu, uint32_t pcpu);

uint32_t strata_why_name_task(struct strata_why_recall *recall, const struct strata_task *task);

/* The name of what woke a task: a task, a handler, a timer; 0: unknown. */
uint32_t strata_why_name_waker(struct strata_why_recall *recall, const struct strata_link *link);

/* The name of the vCPU that sent through an event channel, with its task if known. */
uint32_t strata_why_name_sender(struct strata_why_recall *recall, size_t trace,
				const struct strata_vcpu *vcpu, const struct strata_task *task);

#endif /* STRATA_MERGE_WHY_RECALL_NAMES_H */
