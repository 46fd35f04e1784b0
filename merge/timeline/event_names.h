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

/* To be called once for an open trace, before anybody reads its events.  0, or -1: out of memory.
 */
int strata_event_names_set(struct strata_ctf_trace *trace, struct strata_error *error);

#endif /* STRATA_MERGE_EVENT_NAMES_H */
