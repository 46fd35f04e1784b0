/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_names.h - gives names to the numbers in a trace's events: hypercalls, reasons of VM exits,
 * system calls, error numbers.
 *
 * The tables and the rules are data (xen/xen_names.h, linux/linux_names.h).  A rule copies the type
 * of each field that it matches, so that walks through fields find the names there, and fields
 * without names cost nothing.
 */
#ifndef STRATA_MERGE_EVENT_NAMES_H
#define STRATA_MERGE_EVENT_NAMES_H

#include "ctf/trace/ctf_trace.h"
#include "xen/exit_reasons.h"

/* Call it once for an open trace, before any thread reads its events. 0, or -1: out of
 * memory. */
int strata_event_names_set(struct strata_ctf_trace *trace, struct strata_error *error);

/*
 * Names addresses of a domain's kernel in a hypervisor's events; the symbols must outlive the
 * trace. To be called before any thread reads the events, or binds a filter to them. Returns 0, or
 * -1: out of memory.
 */
int strata_event_names_add_symbols(struct strata_ctf_trace *trace, uint64_t domain,
				   const struct strata_symbols *symbols,
				   struct strata_error *error);

/* The numbering of VM exit reasons in one kind of a trace's streams: from the recording, the
 * trace's environment, or events that only one of the two processors records. */
enum strata_exits strata_event_exits(const struct strata_ctf_trace *trace, size_t kind);

#endif /* STRATA_MERGE_EVENT_NAMES_H */
