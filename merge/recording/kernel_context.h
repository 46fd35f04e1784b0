/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_context.h - the contexts that kernels write on request (strata/abi/guest_context.h): their
 * names for people, and their description as fields.
 */
#ifndef STRATA_MERGE_KERNEL_CONTEXT_H
#define STRATA_MERGE_KERNEL_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <strata/abi/guest_context.h>
#include <strata/event.h>

#include "recording/kernel_counter.h"

/* LTTng's name of a context, for options and lists: "callstack-kernel". */
const char *strata_kernel_context_name(enum strata_guest_context_bit context);

/* One line that says what the context is. */
const char *strata_kernel_context_help(enum strata_guest_context_bit context);

/* Adds the context of that name to a set.  False: the name is unknown. */
bool strata_kernel_context_find(const char *name, size_t length, uint32_t *contexts);

/* Appends the fields of a set of contexts, in the order of a record.  A call stack has two: the
 * last is its frames, and before all stacks is one that says whether frames are missing.
 * @context: has room for them
 * @counters: names of the counters in the set; NULL: it has none */
void strata_kernel_context_describe(struct strata_event_desc *context, uint32_t contexts,
				    const struct strata_counter_fields *counters);

#endif /* STRATA_MERGE_KERNEL_CONTEXT_H */
