// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * order_check.c - see order_check.h.  The merger tells it each event as it
 * merges; memory is a few words for each vCPU.
 *
 * Of an interval only its start and its last event are kept: every event is
 * compared with the start when it comes, and the last one with the end when
 * that comes.
 *
 * The first record of a vCPU says what it was before, too.  So events between
 * the start of coverage (or the end of an uncertain stretch) and that record
 * are kept as a summary, and judged then.
 */
#include "order_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A host has fewer vCPUs; records of a hostile file could name 2^32. */
#define VCPUS_MAX 65536u

#define NEVER UINT64_MAX

struct strata_vcpu {
	uint32_t key; /* domain << 16 | vCPU */
	bool known;
	enum strata_runstate state;
	uint64_t running_since; /* NEVER: it runs, but since when is not known */
	uint64_t stopped_at;    /* NEVER: it has not run since it is known */
	uint64_t last_event;    /* in the running interval; NEVER: none */
	uint16_t pcpu;
	/* Events that wait for the first record to be judged. */
	uint64_t waiting;
	uint64_t waiting_first;
	uint64_t waiting_last;
	char waiting_name[40]; /* of the first */
	/* Index + 1 of a named violation whose early_ticks is still open, 0: none. */
	unsigned int open_violation;
};

struct strata_order_check {
	uint64_t covered_from;
	uint64_t covered_until;
	uint64_t uncertain_until; /* 0: certain */
	struct strata_vcpu **by_hash;
	uint32_t capacity;
	uint32_t nr;
	struct strata_order_result result;
};

struct strata_order_check *strata_order_check_new(uint64_t covered_from, uint64_t covered_until)
{
	struct strata_order_check *check = calloc(1, sizeof(*check));

	if (!check)
		return NULL;
	check->capacity = 64;
	check->by_hash = calloc(check->capacity, sizeof(check->by_hash[0]));
	if (!check->by_hash) {
		free(check);
		return NULL;
	}
	strata_order_check_cover(check, covered_from, covered_until);
	check->result.slack_before_ticks = STRATA_SLACK_NONE;
	check->result.slack_after_ticks = STRATA_SLACK_NONE;
	return check;
}

void strata_order_check_cover(struct strata_order_check *check, uint64_t covered_from,
			      uint64_t covered_until)
{
	check->covered_from = covered_from;
	check->covered_until = covered_until;
}

void strata_order_check_free(struct strata_order_check *check)
{
	uint32_t i;

	if (!check)
		return;
	for (i = 0; i < check->capacity; i++)
		free(check->by_hash[i]);
	free(check->by_hash);
	free(check);
}

static struct strata_vcpu **find_slot(struct strata_vcpu **by_hash, uint32_t capacity, uint32_t key)
{
	uint32_t slot = (key * 2654435761u >> 8) & (capacity - 1);

	while (by_hash[slot] && by_hash[slot]->key != key)
		slot = (slot + 1) & (capacity - 1);
	return &by_hash[slot];
}

/* Doubles the hash when it is half full; false: out of memory. */
static bool make_room(struct strata_order_check *check)
{
	uint32_t capacity = check->capacity * 2;
	struct strata_vcpu **by_hash;
	uint32_t i;

	if (check->nr < check->capacity / 2)
		return true;
	by_hash = calloc(capacity, sizeof(by_hash[0]));
	if (!by_hash)
		return false;
	for (i = 0; i < check->capacity; i++) {
		if (check->by_hash[i])
			*find_slot(by_hash, capacity, check->by_hash[i]->key) = check->by_hash[i];
	}
	free(check->by_hash);
	check->by_hash = by_hash;
	check->capacity = capacity;
	return true;
}

struct strata_vcpu *strata_order_check_vcpu(struct strata_order_check *check, uint16_t domain,
					    uint16_t vcpu)
{
	uint32_t key = (uint32_t)domain << 16 | vcpu;
	struct strata_vcpu **slot = find_slot(check->by_hash, check->capacity, key);

	if (*slot)
		return *slot;
	if (check->nr == VCPUS_MAX || !make_room(check))
		return NULL;
	slot = find_slot(check->by_hash, check->capacity, key);
	*slot = calloc(1, sizeof(**slot));
	if (!*slot)
		return NULL;
	(*slot)->key = key;
	(*slot)->pcpu = STRATA_PCPU_UNKNOWN;
	check->nr++;
	return *slot;
}

uint16_t strata_vcpu_pcpu(const struct strata_vcpu *vcpu)
{
	return vcpu ? vcpu->pcpu : STRATA_PCPU_UNKNOWN;
}

static void note_slack(uint64_t *smallest, uint64_t ticks)
{
	if (ticks < *smallest)
		*smallest = ticks;
}

/* Counts @count violations, and names the first of them if there is still room. */
static void note_violation(struct strata_order_check *check, struct strata_vcpu *vcpu,
			   uint64_t count, uint64_t ticks, const char *event_name,
			   enum strata_runstate state)
{
	struct strata_violation *violation;

	check->result.checks += count;
	check->result.violations += count;
	if (check->result.nr_named == STRATA_VIOLATIONS_NAMED)
		return;
	violation = &check->result.named[check->result.nr_named++];
	violation->domain = (uint16_t)(vcpu->key >> 16);
	violation->vcpu = (uint16_t)vcpu->key;
	violation->ticks = ticks;
	snprintf(violation->event, sizeof(violation->event), "%s", event_name);
	violation->state = strata_runstate_name(state);
	violation->late_ticks = vcpu->stopped_at == NEVER ? NEVER : ticks - vcpu->stopped_at;
	violation->early_ticks = NEVER;
	if (!vcpu->open_violation)
		vcpu->open_violation = check->result.nr_named;
}

/* The vCPU runs again: now the violations since it stopped know how early they were. */
static void close_violations(struct strata_order_check *check, struct strata_vcpu *vcpu,
			     uint64_t ticks)
{
	unsigned int i;

	if (!vcpu->open_violation)
		return;
	for (i = vcpu->open_violation - 1; i < check->result.nr_named; i++) {
		struct strata_violation *violation = &check->result.named[i];

		if (((uint32_t)violation->domain << 16 | violation->vcpu) == vcpu->key &&
		    violation->early_ticks == NEVER)
			violation->early_ticks = ticks - violation->ticks;
	}
	vcpu->open_violation = 0;
}

/* Forgets what is known; events that waited can no longer be judged. */
static void forget(struct strata_order_check *check, struct strata_vcpu *vcpu)
{
	check->result.unchecked += vcpu->waiting;
	vcpu->waiting = 0;
	vcpu->known = false;
	vcpu->open_violation = 0;
}

/*
 * The first record of a vCPU: it was in @state before, at least since coverage
 * began.  Judges the events that waited for that.
 */
static void learn(struct strata_order_check *check, struct strata_vcpu *vcpu,
		  enum strata_runstate state)
{
	vcpu->known = true;
	vcpu->state = state;
	vcpu->running_since = NEVER;
	vcpu->stopped_at = NEVER;
	vcpu->last_event = NEVER;
	vcpu->open_violation = 0;
	if (vcpu->waiting && state == STRATA_RUNSTATE_RUNNING) {
		check->result.checks += vcpu->waiting;
		vcpu->last_event = vcpu->waiting_last;
	} else if (vcpu->waiting) {
		note_violation(check, vcpu, vcpu->waiting, vcpu->waiting_first, vcpu->waiting_name,
			       state);
	}
	vcpu->waiting = 0;
}

static bool is_certain(struct strata_order_check *check, uint64_t ticks)
{
	if (check->uncertain_until && ticks > check->uncertain_until)
		check->uncertain_until = 0;
	return check->uncertain_until == 0;
}

void strata_order_check_uncertain(struct strata_order_check *check, uint64_t until_ticks)
{
	uint32_t i;

	if (until_ticks > check->uncertain_until)
		check->uncertain_until = until_ticks;
	for (i = 0; i < check->capacity; i++) {
		if (check->by_hash[i])
			forget(check, check->by_hash[i]);
	}
}

void strata_order_check_runstate(struct strata_order_check *check, uint64_t ticks, uint16_t pcpu,
				 uint16_t domain, uint16_t vcpu_id,
				 const struct strata_runstate_change *change)
{
	struct strata_vcpu *vcpu = strata_order_check_vcpu(check, domain, vcpu_id);

	if (!vcpu)
		return;
	if (change->after == STRATA_RUNSTATE_RUNNING)
		vcpu->pcpu = pcpu;
	if (!is_certain(check, ticks))
		return;
	/* A state that does not follow from the one before: a record is missing in between. */
	if (vcpu->known && vcpu->state != change->before)
		forget(check, vcpu);
	if (!vcpu->known)
		learn(check, vcpu, change->before);

	if (change->before == STRATA_RUNSTATE_RUNNING && change->after != STRATA_RUNSTATE_RUNNING) {
		if (vcpu->last_event != NEVER)
			note_slack(&check->result.slack_after_ticks, ticks - vcpu->last_event);
		vcpu->stopped_at = ticks;
	}
	if (change->after == STRATA_RUNSTATE_RUNNING) {
		close_violations(check, vcpu, ticks);
		vcpu->running_since = ticks;
		vcpu->last_event = NEVER;
	}
	vcpu->state = change->after;
}

void strata_order_check_state(struct strata_order_check *check, uint64_t ticks,
			      const struct strata_hv_vcpu_state *state)
{
	struct strata_vcpu *vcpu = strata_order_check_vcpu(check, state->domain, state->vcpu);

	/* A change that came before it is newer than what this record has seen. */
	if (!vcpu || vcpu->known || state->runstate > STRATA_RUNSTATE_OFFLINE ||
	    !is_certain(check, ticks))
		return;
	learn(check, vcpu, (enum strata_runstate)state->runstate);
	vcpu->pcpu = state->pcpu;
}

static void wait_for_record(struct strata_vcpu *vcpu, uint64_t ticks, const char *event_name)
{
	if (vcpu->waiting++ == 0) {
		vcpu->waiting_first = ticks;
		snprintf(vcpu->waiting_name, sizeof(vcpu->waiting_name), "%s", event_name);
	}
	vcpu->waiting_last = ticks;
}

void strata_order_check_event(struct strata_order_check *check, struct strata_vcpu *vcpu,
			      uint64_t ticks, const char *event_name)
{
	if (!vcpu || ticks < check->covered_from || ticks > check->covered_until ||
	    !is_certain(check, ticks)) {
		check->result.unchecked++;
		return;
	}
	if (!vcpu->known) {
		wait_for_record(vcpu, ticks, event_name);
		return;
	}
	if (vcpu->state == STRATA_RUNSTATE_RUNNING) {
		check->result.checks++;
		if (vcpu->running_since != NEVER)
			note_slack(&check->result.slack_before_ticks, ticks - vcpu->running_since);
		vcpu->last_event = ticks;
		return;
	}
	/* The border belongs to the interval. */
	if (vcpu->stopped_at == ticks) {
		check->result.checks++;
		note_slack(&check->result.slack_after_ticks, 0);
		return;
	}
	note_violation(check, vcpu, 1, ticks, event_name, vcpu->state);
}

const struct strata_order_result *strata_order_check_finish(struct strata_order_check *check)
{
	uint32_t i;

	for (i = 0; i < check->capacity; i++) {
		if (check->by_hash[i])
			forget(check, check->by_hash[i]);
	}
	return &check->result;
}
