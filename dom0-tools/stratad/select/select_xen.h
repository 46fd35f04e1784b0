/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_xen.h - parses selections of the hypervisor's events and domains: `--xen
 * 'sched,evtchn_*,!credit2_*'`, `--xen-domain g1,g2/0`, as the rules that hypervisor_select() hands
 * over.
 */
#ifndef STRATA_STRATAD_SELECT_XEN_H
#define STRATA_STRATAD_SELECT_XEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <strata/abi/hypervisor.h>
#include <strata/event.h>

#include "base/error.h"

struct xen_selection {
	struct strata_hv_rule *rules;
	size_t nr; /* 0: nothing, the hypervisor is to be left out */
	uint32_t budget_per_s;
};

/* A running domain, by its name in xenstore; the name may contain anything. */
struct xen_domain {
	uint32_t domain;
	const char *name;
};

/*
 * Replaces the rules of @selection by those for a comma-separated list, read
 * from left to right, of
 *   classes (select_xen_each_class() visits them), `all`, `none`
 *   patterns that match names of events: grant_map, evtchn_*
 *   numbers: one of Xen's events; or a mask as xentrace takes it
 *   any of them after a `!`: not these; as the first word: all, but not these
 * Changes of runstates are added, because they prove the order of a timeline, unless a word
 * excludes them (!runstate...). 0, or -1 if a word matches nothing; then @selection is empty.
 */
int select_xen_events(struct xen_selection *selection, const char *events,
		      struct strata_error *error);

/* The name of one of Xen's events, or its number. */
void select_xen_event_name(uint32_t event, char name[STRATA_EVENT_NAME_BYTES]);

/*
 * Finds an event by its whole name, and adds it to the selection.
 * @event: OUT: what its ids have in common, and no other event has
 * 0, or -1: there is no such event, or its ids have not enough in common.
 */
int select_xen_event(struct xen_selection *selection, const char *name,
		     struct strata_aggregate_event *event, struct strata_error *error);

/*
 * Adds rules for domains.  A comma-separated list of domains, each a name, a pattern, a number,
 * `dom0` or `idle`, with /N or /N-M behind it for some of its vCPUs, or ! before it: not this one.
 * @domains:  those that run
 * @may_come: an unknown name is accepted, because the domain may start later; otherwise it is an
 * error.  Patterns never are 0, or -1 if a word names no domain.
 */
int select_xen_domains(struct xen_selection *selection, const char *words,
		       const struct xen_domain *domains, size_t nr, bool may_come,
		       struct strata_error *error);

/* A budget in records a second, or `none`.  0 or -1. */
int select_xen_budget(struct xen_selection *selection, const char *argument,
		      struct strata_error *error);

/* Frees the rules. */
void select_xen_clear(struct xen_selection *selection);

/* Called for a class of events, with a line about it. */
typedef void select_xen_visit_class(void *data, const char *name, const char *what);

/* Visits each class, and `all` and `none`. */
void select_xen_each_class(select_xen_visit_class *visit, void *data);

/* Called for an event. */
typedef void select_xen_visit(void *data, const char *class, const struct strata_event_desc *event);

/* Visits each event that one of the patterns matches; no pattern: all.  Returns how many. */
size_t select_xen_each_event(char *const *patterns, size_t nr_patterns, select_xen_visit *visit,
			     void *data);

#endif /* STRATA_STRATAD_SELECT_XEN_H */
