/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_names.h - gives names to the numbers in a trace's events: hypercalls, reasons of VM exits,
 * system calls, error numbers.
 *
 * The tables and the rules are data (xen/xen_names.h, linux/linux_names.h).  A rule makes a copy of
 * the type of each field that it fits, so that walks through fields find the names there, and
 * fields without names cost nothing.
 */
#ifndef STRATA_MERGE_EVENT_NAMES_H
#define STRATA_MERGE_EVENT_NAMES_H

#include "ctf/trace/ctf_trace.h"
#include "xen/exit_reasons.h"

/* To be called once for an open trace, before anybody reads its events.  0, or -1: out of memory.
 */
int strata_event_names_set(struct strata_ctf_trace *trace, struct strata_error *error);

/*
 * Names the addresses in a hypervisor's events that are of a domain's kernel; the symbols stay.
 * Before anybody reads its events, or binds a filter to them.  0, or -1: out of memory.
 */
int strata_event_names_add_symbols(struct strata_ctf_trace *trace, uint64_t domain,
				   const struct strata_symbols *symbols,
				   struct strata_error *error);

/* Whose numbers the reasons of VM exits are, in one kind of a trace's streams: the recording says
 * it, or the trace's environment, or what only one of the two processors records. */
enum strata_exits strata_event_exits(const struct strata_ctf_trace *trace, size_t kind);

#endif /* STRATA_MERGE_EVENT_NAMES_H */
