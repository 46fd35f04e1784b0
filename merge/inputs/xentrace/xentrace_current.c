// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xentrace_current.c - see xentrace_current.h.  The importer has one for each
 * physical CPU.
 *
 * Xen's order of records in a switch (common/sched/core.c): the scheduler's decision (infprev,
 * infnext, switch), the runstate of the vCPU that stops, that of the vCPU that starts, and only
 * then the switch itself, with no other record in between. So all of these records belong to the
 * vCPU that stops. If runstates were not recorded, the first record of another kind shows that the
 * switch is done.
 */
#include "inputs/xentrace/xentrace_current.h"

#include "xen/xen_events.h"

#define CONTINUE_RUNNING 0x00021002u /* u16 vCPU, u16 domain of the vCPU that continues */
#define SWITCH           0x0002800au /* domain, unit that stops; domain, unit that starts */
#define SWITCH_INFPREV   0x0002800eu /* domain, unit that stops; how long it ran */
#define SWITCH_INFCONT   0x00028011u /* domain, unit that continues ... */

/* A unit of the scheduler is a vCPU, and has its number, unless whole cores are scheduled. */

void strata_xentrace_current_forget(struct strata_xentrace_current *current)
{
	current->known = false;
	current->switches = false;
	current->runs.domain = STRATA_DOMID_UNKNOWN;
	current->runs.vcpu = STRATA_VCPU_UNKNOWN;
}

void strata_xentrace_current_init(struct strata_xentrace_current *current)
{
	current->contradictions = 0;
	strata_xentrace_current_forget(current);
}

static bool is_same(const struct strata_hv_context *a, const struct strata_hv_context *b)
{
	return a->domain == b->domain && a->vcpu == b->vcpu;
}

static void set(struct strata_xentrace_current *current, struct strata_hv_context runs)
{
	current->known = true;
	current->switches = false;
	current->runs = runs;
}

/* Handles a record that names the running vCPU. */
static void learn(struct strata_xentrace_current *current, struct strata_hv_context runs)
{
	if (current->known && !is_same(&current->runs, &runs))
		current->contradictions++;
	set(current, runs);
}

/* Reads two words, a domain and a vCPU; false: impossible numbers. */
static bool take_pair(const struct strata_xentrace_record *record, unsigned int first,
		      struct strata_hv_context *context)
{
	uint32_t domain = strata_xentrace_word(record, first);
	uint32_t vcpu = strata_xentrace_word(record, first + 1);

	if (domain > UINT16_MAX || vcpu > UINT16_MAX)
		return false;
	context->domain = (uint16_t)domain;
	context->vcpu = (uint16_t)vcpu;
	return true;
}

/* Reads a word with the vCPU in its low half and the domain in its high half. */
static struct strata_hv_context take_word(const struct strata_xentrace_record *record,
					  unsigned int index)
{
	uint32_t word = strata_xentrace_word(record, index);

	return (struct strata_hv_context){ .domain = (uint16_t)(word >> 16),
					   .vcpu = (uint16_t)word };
}

static bool is_runstate(const struct strata_xentrace_record *record,
			struct strata_runstate_change *change)
{
	return strata_xen_runstate_change(record->event | record->words << STRATA_HV_ID_WORDS_SHIFT,
					  change);
}

/* The record was written by the vCPU running when there was room again; here the domain comes
 * first. */
static void learn_from_loss(struct strata_xentrace_current *current,
			    const struct strata_xentrace_record *record)
{
	uint32_t word = strata_xentrace_word(record, 1);
	struct strata_hv_context runs = { .domain = (uint16_t)word,
					  .vcpu = (uint16_t)(word >> 16) };

	/* It may lie within a switch, or after lost records: this is no contradiction. */
	if (!current->known || !is_same(&current->runs, &runs))
		set(current, runs);
}

void strata_xentrace_current_at(struct strata_xentrace_current *current,
				const struct strata_xentrace_record *record)
{
	struct strata_runstate_change change;
	struct strata_hv_context runs;

	if (is_runstate(record, &change)) {
		runs = take_word(record, 0);
		if (change.before != STRATA_RUNSTATE_RUNNING)
			return;
		/* An announced switch is not over yet. */
		if (!current->known || !is_same(&current->runs, &runs))
			learn(current, runs);
		return;
	}
	if (record->event == STRATA_XENTRACE_LOST_RECORDS && record->words == 4) {
		learn_from_loss(current, record);
		return;
	}
	if (current->switches)
		set(current, current->next);
	if (record->event == CONTINUE_RUNNING && record->words == 1)
		learn(current, take_word(record, 0));
	else if ((record->event == SWITCH || record->event == SWITCH_INFCONT) &&
		 record->words == 4 && take_pair(record, 0, &runs))
		learn(current, runs);
	else if (record->event == SWITCH_INFPREV && record->words == 3 &&
		 take_pair(record, 0, &runs))
		learn(current, runs);
}

void strata_xentrace_current_after(struct strata_xentrace_current *current,
				   const struct strata_xentrace_record *record)
{
	struct strata_runstate_change change;

	if (is_runstate(record, &change)) {
		if (change.after == STRATA_RUNSTATE_RUNNING)
			set(current, take_word(record, 0));
		return;
	}
	if (record->event == SWITCH && record->words == 4)
		current->switches = take_pair(record, 2, &current->next);
}
