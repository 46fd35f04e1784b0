/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_context.h - contexts that kernels write into each record, `--kernel-context
 * DOMAIN:NAME,NAME,...` (recording/kernel_context.h and kernel_counter.h have the names).
 */
#ifndef STRATA_STRATAD_SELECT_CONTEXT_H
#define STRATA_STRATAD_SELECT_CONTEXT_H

#include "recording/kernel_counter.h"
#include "stratad/select/select_kernel.h"

/* Checks the text of a selection, "NAME,NAME,...".  0, or -1 with the unknown name. */
int select_context_check(const struct kernel_selection *selection, struct strata_error *error);

struct select_contexts {
	uint32_t contexts;                                          /* STRATA_CONTEXT_BIT()s */
	struct strata_kernel_counter counters[STRATA_COUNTERS_MAX]; /* in order, none twice */
	unsigned int nr_counters;
};

/*
 * Chooses all contexts of the selections that match a domain.  They were checked.
 * @name: of the domain, as xenstore has it
 * 0, or -1: these are too many counters.
 */
int select_contexts_choose(const struct kernel_selection *selections, size_t nr, uint32_t domain,
			   const char *name, struct select_contexts *chosen,
			   struct strata_error *error);

#endif /* STRATA_STRATAD_SELECT_CONTEXT_H */
