// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * explore.c - the search: which step comes next, in every way (depth first, each
 * interleaving replayed from its start), less those whose swapped twin is run.
 *
 * A step of a context may be moved before a step that was made, if it meets none of
 * those in between; nested contexts move only whole.  If it may go before one of a
 * greater letter, the word that has it there is less, and means the same: this one
 * is left off.  The least word of all that mean the same is never left off.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steps.h"

#define LOG_MAX     4096u
#define CHOICES_MAX 4096u
/* Only a context that waits for another takes this many steps. */
#define STEPS_MAX 1200u

struct context {
	bool started, done;
	bool pending; /* @next is known */
	bool asleep;  /* @next would be left off */
	struct step next;
	unsigned int steps;
	bool stepped;
	unsigned int first_at; /* its first step's place in the log */
};

struct choice {
	uint16_t of, taken;
};

/* The possible next steps: a context's step, or the landing of an agent's store. */
struct candidate {
	int context; /* -1: the store */
	unsigned int agent, store;
};

const struct explore_plan *explore_plan;
bool explore_running;

static struct context contexts[EXPLORE_CONTEXTS_MAX];
static int running_on[EXPLORE_AGENTS_MAX]; /* the context, -1: none */
static bool first_step; /* of a context that was chosen before its step was known */
static struct step log_of[LOG_MAX];
static unsigned int log_length;
static struct step *said_by;   /* whose value explore_says() says; NULL: a step of no note */
static struct step *stored_by; /* a plain store: its value is known at the next step */
static struct choice choices[CHOICES_MAX];
static unsigned int nr_choices, nr_made;
static int chosen_context;
static unsigned int nr_switches; /* away from an agent that could go on */
static bool learnt;
static struct explore_result *result;

unsigned int explore_log_length(void)
{
	return log_length;
}

const struct step *explore_log(unsigned int i)
{
	return &log_of[i];
}

int explore_chosen(void)
{
	return chosen_context;
}

int explore_context(void)
{
	return explore_running ? running_on[agent_running] : -1;
}

void explore_share(void *memory, size_t bytes)
{
	memory_share(memory, bytes);
}

void explore_complain(const char *format, ...)
{
	va_list args;

	if (!result->violation[0]) {
		va_start(args, format);
		vsnprintf(result->violation, sizeof(result->violation), format, args);
		va_end(args);
	}
	if (explore_running)
		agents_leave(AGENT_VIOLATION);
}

static unsigned int level_of(int context)
{
	return explore_plan->contexts[context].level;
}

static bool overlap(const struct step *a, const struct step *b)
{
	return a->from < b->to && b->from < a->to;
}

/* May @later, of another letter, not be moved before @earlier? */
static bool depends(const struct step *earlier, const struct step *later)
{
	if (explore_plan->all || explore_plan->switches)
		return true;
	if (earlier->agent != later->agent)
		return overlap(earlier, later) &&
		       ((earlier->lands && (later->loads || later->lands)) ||
			(later->lands && earlier->loads));
	if (earlier->context < 0 && later->context < 0)
		return explore_plan->memory == EXPLORE_TSO || overlap(earlier, later);
	if (earlier->context < 0 || later->context < 0)
		return earlier->waits || later->waits || overlap(earlier, later);
	return level_of(later->context) >= level_of(earlier->context) ||
	       (overlap(earlier, later) && (earlier->stores || later->stores));
}

/* Did a store have to land first because too many wait? */
static bool makes_room(const struct step *landing, const struct step *later)
{
	return landing->context < 0 && landing->agent == later->agent && later->stores &&
	       memory_nr_waiting(later->agent) == EXPLORE_STORES_MAX;
}

static bool is_above(int context, int other)
{
	return explore_plan->contexts[context].agent == explore_plan->contexts[other].agent &&
	       level_of(context) > level_of(other);
}

/* Is a context under way that came in above @context, other than @but? */
static bool nested_above(int context, int but)
{
	unsigned int i;

	for (i = 0; i < explore_plan->nr_contexts; i++)
		if ((int)i != but && contexts[i].started && !contexts[i].done &&
		    is_above((int)i, context))
			return true;
	return false;
}

/* Enters a step that is made; those that could have come before it, and are less, sleep. */
static void enter(const struct step *step)
{
	bool begins = step->context >= 0 && !contexts[step->context].stepped;
	unsigned int i, agent;

	if (log_length == LOG_MAX) {
		fprintf(stderr, "explore: an interleaving of more than %u steps\n", LOG_MAX);
		abort();
	}
	for (i = 0; i < explore_plan->nr_contexts; i++) {
		struct context *other = &contexts[i];

		if (!other->pending || (int)i == step->context)
			continue;
		/* In the middle of somebody nested there is no place to be moved to, but before
		 * its first step there is. */
		if (depends(step, &other->next) || makes_room(step, &other->next))
			other->asleep = false;
		else if (step->letter > other->next.letter &&
			 !nested_above((int)i, begins ? step->context : -1))
			other->asleep = true;
	}
	for (agent = 0; agent < EXPLORE_AGENTS_MAX; agent++) {
		for (i = 0; i < memory_nr_waiting(agent); i++) {
			struct waiting_store *store = memory_waiting(agent, i);

			if (step->context >= 0 && step->agent == agent)
				store->meets = true;
			if (step->letter == store->landing.letter)
				continue;
			if (depends(step, &store->landing))
				store->asleep = false;
			else if (step->letter > store->landing.letter)
				store->asleep = true;
		}
	}
	if (begins) {
		contexts[step->context].stepped = true;
		contexts[step->context].first_at = log_length;
	}
	said_by = &log_of[log_length];
	log_of[log_length++] = *step;
	if (step->kind == STRATA_CHECK_PLAIN_STORE && step->context >= 0)
		stored_by = said_by;
}

/* Is the place before the log's @at within a context that came in above @context? */
static bool amid(int context, unsigned int at)
{
	unsigned int i;

	/* Who came in above is done, and came after the last step of @context. */
	for (i = 0; i < explore_plan->nr_contexts; i++)
		if (contexts[i].stepped && is_above((int)i, context) && contexts[i].first_at < at)
			return true;
	return false;
}

/* Whether the first step of a context, known only now, should have come earlier. */
static bool comes_too_late(const struct step *step)
{
	unsigned int i;

	for (i = log_length; i--;) {
		if (depends(&log_of[i], step))
			return false;
		if (log_of[i].letter > step->letter && !amid(step->context, i))
			return true;
	}
	return false;
}

unsigned int explore_choose(unsigned int nr)
{
	struct choice *choice = &choices[nr_made];

	if (nr < 2)
		return 0;
	if (nr_made == CHOICES_MAX) {
		fprintf(stderr, "explore: more than %u choices\n", CHOICES_MAX);
		abort();
	}
	if (nr_made++ == nr_choices) {
		nr_choices++;
		choice->of = (uint16_t)nr;
		choice->taken = 0;
	} else if (choice->of != nr) {
		fprintf(stderr, "explore: %s: run again, there are %u choices instead of %u\n",
			explore_plan->name, nr, choice->of);
		abort();
	}
	return choice->taken;
}

/* Is the next step of a context possible now? */
static bool possible(const struct context *context)
{
	unsigned int waiting = memory_nr_waiting(context->next.agent), i;

	if (context->next.waits)
		return waiting == 0;
	if (!context->next.stores)
		return true;
	if (explore_plan->memory == EXPLORE_TSO)
		return waiting < EXPLORE_STORES_MAX;
	for (i = 0; i < waiting; i++)
		if (overlap(&memory_waiting(context->next.agent, i)->landing, &context->next))
			return false;
	return true;
}

static bool may_begin(unsigned int i)
{
	int running = running_on[explore_plan->contexts[i].agent];

	return !contexts[i].started && (running < 0 || level_of(running) < level_of((int)i));
}

/* May a context make a step: its next, or its first? */
static bool may_step(unsigned int i, bool *slept)
{
	bool on_top = running_on[explore_plan->contexts[i].agent] == (int)i;

	if (!on_top)
		return may_begin(i);
	if (!possible(&contexts[i]))
		return false;
	*slept |= contexts[i].asleep;
	return !contexts[i].asleep;
}

static unsigned int find_contexts(struct candidate *found, bool *slept)
{
	const unsigned int nr_contexts = explore_plan->nr_contexts;
	int now = running_on[agent_running];
	unsigned int nr = 0, i;

	/* The one that runs comes first. */
	for (i = 0; i < nr_contexts; i++) {
		unsigned int c = now < 0 ? i : ((unsigned int)now + i) % nr_contexts;

		if (nr && explore_plan->switches && nr_switches == explore_plan->switches &&
		    now >= 0 && found[0].context == now &&
		    explore_plan->contexts[c].agent != agent_running)
			continue;
		if (may_step(c, slept))
			found[nr++].context = (int)c;
	}
	return nr;
}

/* Everything that may come next. */
static unsigned int find_candidates(struct candidate *found, bool *slept)
{
	unsigned int nr = find_contexts(found, slept), i, agent;

	for (agent = 0; agent < EXPLORE_AGENTS_MAX; agent++) {
		/* In order, of x86's only the oldest. */
		for (i = 0; i < memory_nr_waiting(agent); i++) {
			struct waiting_store *store = memory_waiting(agent, i);

			if (i > 0 && explore_plan->memory == EXPLORE_TSO)
				break;
			/* To land at once is not to have been held back. */
			if (store->asleep || (explore_plan->memory == EXPLORE_WEAK &&
					      !store->meets && running_on[agent] >= 0)) {
				*slept = true;
				continue;
			}
			found[nr++] = (struct candidate){ -1, agent, i };
		}
	}
	return nr;
}

/* Does a context sleep that no further step can wake? */
static bool sleeps_for_ever(void)
{
	unsigned int coming = 0, i;

	for (i = 0; i < explore_plan->nr_contexts; i++)
		if (!contexts[i].done || memory_nr_waiting(explore_plan->contexts[i].agent))
			coming |= 1u << i;
	for (i = 0; i < explore_plan->nr_contexts; i++) {
		const struct context *context = &contexts[i];

		if (context->pending && context->asleep && !context->next.waits &&
		    !memory_nr_waiting(context->next.agent) &&
		    !memory_meets_some(&context->next, coming & ~(1u << i)))
			return true;
	}
	return false;
}

static bool all_done(void)
{
	unsigned int i;

	for (i = 0; i < explore_plan->nr_contexts; i++)
		if (!contexts[i].done)
			return false;
	return true;
}

/* The last stored value is known now. */
static void settle(void)
{
	size_t bytes;

	memory_settle(agent_running);
	if (!stored_by)
		return;
	bytes = stored_by->to - stored_by->from;
	memcpy(&stored_by->value, (const void *)stored_by->from, bytes < 8 ? bytes : 8);
	stored_by = NULL;
}

/* Chooses; landings happen here, until the choice is a context's. */
static void choose_context(void)
{
	struct candidate found[EXPLORE_CONTEXTS_MAX + EXPLORE_AGENTS_MAX * EXPLORE_STORES_MAX];
	struct candidate *one;
	bool slept;
	unsigned int nr;

	for (;;) {
		settle();
		if (sleeps_for_ever())
			agents_leave(AGENT_LEFT_OFF);
		slept = false;
		nr = find_candidates(found, &slept);
		if (nr == 0) {
			if (!slept && !all_done())
				explore_complain("nobody can go on");
			agents_leave(slept ? AGENT_LEFT_OFF : AGENT_ALL_DONE);
		}
		one = &found[explore_choose(nr)];
		chosen_context = one->context;
		if (chosen_context >= 0) {
			nr_switches += running_on[agent_running] >= 0 &&
				       found[0].context == running_on[agent_running] &&
				       explore_plan->contexts[chosen_context].agent !=
					       agent_running;
			return;
		}
		enter(&memory_waiting(one->agent, one->store)->landing);
		memory_land(one->agent, one->store);
	}
}

void explore_await(int context)
{
	unsigned int agent;

	for (;;) {
		choose_context();
		agent = explore_plan->contexts[chosen_context].agent;
		if (agent != agent_running)
			agents_switch(agent);
		/* Back again, or never gone: the choice is one of ours. */
		if (chosen_context == context)
			return;
		explore_run_context((unsigned int)chosen_context);
	}
}

void explore_run_context(unsigned int number)
{
	const struct explore_context *plan = &explore_plan->contexts[number];
	struct context *context = &contexts[number];
	int below = running_on[plan->agent];

	running_on[plan->agent] = (int)number;
	context->started = true;
	first_step = true;
	plan->run();
	first_step = false;
	settle();
	context->done = true;
	running_on[plan->agent] = below;
	if (context->steps > result->most_steps)
		result->most_steps = context->steps;
}

/* How a step goes about the stores that wait. */
static void fit_to_memory(struct step *step)
{
	const enum explore_memory memory = explore_plan->memory;

	step->lands = step->stores;
	if (memory == EXPLORE_SEQUENTIAL) {
		step->waits = false;
		return;
	}
	if (memory == EXPLORE_WEAK && step->kind == STRATA_CHECK_STORE_RELEASE)
		step->waits = true;
	if (memory == EXPLORE_TSO && step->stores && !step->waits &&
	    step->kind != STRATA_CHECK_CLOCK && memory_meets_agents(step))
		step->lands = false;
}

/* Does the store that is next go the slow way? */
static bool is_held_back(const struct step *step)
{
	if (!step->stores || explore_plan->memory == EXPLORE_SEQUENTIAL)
		return false;
	if (explore_plan->memory == EXPLORE_TSO)
		return !step->lands;
	if (explore_plan->slow && !explore_plan->slow((const void *)step->from))
		return false;
	return !step->loads && step->to - step->from <= 16 && memory_nr_waiting(step->agent) == 0 &&
	       memory_meets_agents(step) && explore_choose(2) == 1;
}

void explore_step(struct step *step)
{
	int number = running_on[agent_running];
	struct context *context = &contexts[number];
	bool begins = first_step;

	settle();
	step->context = (int8_t)number;
	step->letter = (uint16_t)number;
	step->agent = (uint8_t)agent_running;
	learnt |= memory_learn(step);
	if (++context->steps > STEPS_MAX)
		explore_complain("%s does not end in %u steps", explore_plan->contexts[number].name,
				 STEPS_MAX);
	fit_to_memory(step);
	if (!memory_meets(step) && !(step->waits && explore_plan->memory != EXPLORE_SEQUENTIAL)) {
		said_by = NULL;
		return;
	}
	context->next = *step;
	if (begins && possible(context)) {
		first_step = false;
		if (comes_too_late(step))
			agents_leave(AGENT_LEFT_OFF);
	} else {
		first_step = false;
		context->pending = true;
		context->asleep = false;
		explore_await(number);
		context->pending = false;
	}
	if (is_held_back(step)) {
		step->lands = false;
		enter(step);
		memory_store(step);
	} else {
		enter(step);
	}
}

void explore_says(uint64_t value)
{
	if (said_by)
		said_by->value = value;
}

/* Finds the next interleaving that has not run yet.  False: all have run. */
static bool next_choices(void)
{
	nr_choices = nr_made;
	while (nr_choices) {
		struct choice *last = &choices[nr_choices - 1];

		if (++last->taken < last->of)
			return true;
		nr_choices--;
	}
	return false;
}

static enum agent_end run_once(void)
{
	unsigned int i;

	memset(contexts, 0, sizeof(contexts));
	for (i = 0; i < EXPLORE_AGENTS_MAX; i++)
		running_on[i] = -1;
	memory_begin();
	log_length = 0;
	said_by = stored_by = NULL;
	nr_made = 0;
	nr_switches = 0;
	learnt = false;
	explore_plan->begin();
	explore_running = true;
	chosen_context = (int)explore_choose(explore_plan->nr_contexts);
	return agents_run(explore_plan->contexts[chosen_context].agent);
}

void explore(const struct explore_plan *plan, struct explore_result *found)
{
	enum agent_end end;

	memset(found, 0, sizeof(*found));
	explore_plan = plan;
	result = found;
	nr_choices = 0;
	memory_forget_meetings();
	for (;;) {
		end = run_once();
		explore_running = false;
		if (end == AGENT_ALL_DONE)
			plan->end();
		if (found->violation[0])
			return;
		if (learnt) {
			nr_choices = 0;
			found->complete = found->left_off = 0;
			continue;
		}
		found->complete += end == AGENT_ALL_DONE;
		found->left_off += end == AGENT_LEFT_OFF;
		if (!next_choices()) {
			found->exhaustive = true;
			return;
		}
		if (plan->limit && found->complete + found->left_off >= plan->limit)
			return;
	}
}
