/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recall_names.h - names for what a recall remembers (recall.h); each is made once. */
#ifndef STRATA_MERGE_WHY_RECALL_NAMES_H
#define STRATA_MERGE_WHY_RECALL_NAMES_H

#include "why/recall.h"

/* What a span is: "hlt", "irq 16 timer0". */
uint32_t strata_why_name_span(struct strata_why_recall *recall, const struct strata_span *span);

/* A vCPU; its domain is to blame. @pcpu: where it ran; or STRATA_NO_PCPU */
uint32_t strata_why_name_vcpu(struct strata_why_recall *recall, size_t trace,
			      const struct strata_vcpu *vcpu, uint32_t pcpu);

uint32_t strata_why_name_task(struct strata_why_recall *recall, const struct strata_task *task);

/* What woke a task: a task, a handler, a timer; 0: nobody knows. */
uint32_t strata_why_name_waker(struct strata_why_recall *recall, const struct strata_link *link);

/* The vCPU that sent through an event channel, and its task if that is known. */
uint32_t strata_why_name_sender(struct strata_why_recall *recall, size_t trace,
				const struct strata_vcpu *vcpu, const struct strata_task *task);

#endif /* STRATA_MERGE_WHY_RECALL_NAMES_H */
