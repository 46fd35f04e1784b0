/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - reports: each listens to the spans of the state of hosts (state/span.h), and makes
 * tables of them.
 *
 *     strata_report_new      by its name; strata_report_kinds[] lists them
 *     report->listener       must receive all spans
 *     strata_report_tables   to be called after the last span
 *     strata_report_free
 */
#ifndef STRATA_MERGE_ANALYSES_REPORT_H
#define STRATA_MERGE_ANALYSES_REPORT_H

#include "outputs/shown.h"
#include "outputs/table.h"
#include "xen/domain_numbers.h"
#include "state/host_state.h"

#define STRATA_REPORT_TABLES 3u

struct strata_report {
	struct strata_span_listener listener;
	/* Only spans within this range count; of a span that lies partly within, only that part
	 * counts. */
	uint64_t from_ns, to_ns;
	const struct strata_shown *shown;
	/* Fills in the tables. Returns 0, or -1: out of memory. */
	int (*make)(struct strata_report *report, struct strata_table *tables, size_t *nr);
	void (*free)(struct strata_report *report);
};

struct strata_report_kind {
	const char *name;
	const char *what; /* one line */
	/* The meaning of events that it needs, and what to record for them: without any such event
	 * there is nothing to report. */
	enum strata_meaning_of needs;
	const char *record;
	struct strata_report *(*make)(void);
};

extern const struct strata_report_kind strata_report_kinds[];
extern const size_t strata_nr_report_kinds;

/* @shown: of the set; must outlive the report. Returns NULL if out of memory. */
struct strata_report *strata_report_new(const struct strata_report_kind *kind,
					const struct strata_shown *shown, uint64_t from_ns,
					uint64_t to_ns);

/*
 * Makes the tables from the spans received.
 * @tables: room for STRATA_REPORT_TABLES; the caller must clear them
 * Returns 0, or -1: out of memory.
 */
int strata_report_tables(struct strata_report *report, struct strata_table *tables, size_t *nr);

void strata_report_free(struct strata_report *report);

/* Names of what spans belong to; each writes into @text, of STRATA_REPORT_NAME bytes. */
#define STRATA_REPORT_NAME 128u
const char *strata_report_domain_name(char *text, const struct strata_shown *shown, size_t trace,
				      uint32_t domain);
const char *strata_report_vcpu_name(char *text, const struct strata_shown *shown, size_t trace,
				    const struct strata_vcpu *vcpu);
const char *strata_report_task_name(char *text, const struct strata_task *task);
/* Owners of shares (fair_share.h): whose trace this is, or which domain's doings the hypervisor
 * tells there (@vcpu: NULL: none's). */
uint64_t strata_report_owner(const struct strata_shown *shown, size_t trace,
			     const struct strata_vcpu *vcpu);
/* The owner of spans like this one. */
uint64_t strata_report_span_owner(const struct strata_shown *shown, const struct strata_span *span);
/* The name of a VM exit, hypercall, system call, interrupt, wake-up or request. */
void strata_report_span_name(char *text, const struct strata_shown *shown,
			     const struct strata_span *span);

/* Returns the length of the part of a span that counts; 0: none. */
static inline uint64_t strata_report_length(const struct strata_report *report, uint64_t from_ns,
					    uint64_t to_ns)
{
	const uint64_t from = from_ns > report->from_ns ? from_ns : report->from_ns;
	const uint64_t to = to_ns < report->to_ns ? to_ns : report->to_ns;

	return to > from ? to - from : 0;
}

/* Returns the share in millionths; 0 if the whole is 0. */
static inline uint64_t strata_share(uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t)((unsigned __int128)part * 1000000u / whole) : 0;
}

/* The reports: each divides the spans of some kinds by name and by owner. */
struct strata_report *strata_report_exits(void);
struct strata_report *strata_report_hypercalls(void);
struct strata_report *strata_report_syscalls(void);
struct strata_report *strata_report_irqs(void);
struct strata_report *strata_report_wakeups(void);
struct strata_report *strata_report_requests(void);
/* Which vCPUs and tasks ran, and which waited behind which. */
struct strata_report *strata_report_schedule(void);
struct strata_report *strata_report_steal(void);
struct strata_report *strata_report_evtchn(void);
struct strata_report *strata_report_grants(void);
struct strata_report *strata_report_locks(void);
struct strata_report *strata_report_runqueues(void);

#endif /* STRATA_MERGE_ANALYSES_REPORT_H */
