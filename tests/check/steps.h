/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steps.h - what the parts of the explorer know of each other: explore.c searches,
 * print.c prints what it ran, agents.c switches stacks, memory.c has the stores on their way, and
 * operations.c makes steps of what the code does.
 */
#ifndef STRATA_TESTS_STEPS_H
#define STRATA_TESTS_STEPS_H

#include "check_platform.h"

#include "explore.h"

/* One access of a context to shared memory, or the landing of a store. */
struct step {
	enum strata_check_kind kind;
	uint16_t letter; /* its place in the order of the dictionary */
	int8_t context;  /* -1: a store lands */
	uint8_t agent;
	uintptr_t from, to;
	bool loads;
	bool stores; /* as its own agent sees it */
	bool lands;  /* as the others do, at once */
	bool waits;  /* until all stores of its agent have landed */
	uint64_t value;
};

/* A store that its agent alone sees. */
struct waiting_store {
	struct step landing;
	unsigned char value[16], under[16];
	unsigned int made_at; /* length of the log then */
	bool meets;           /* a step of the agent came since */
	bool asleep;
};

/* explore.c: the way of an operation into the search.  When it returns, the operation is next. */
void explore_step(struct step *step);
/* The value that a step has loaded or stored, for the print. */
void explore_says(uint64_t value);
extern const struct explore_plan *explore_plan;
extern bool explore_running;
unsigned int explore_log_length(void);
const struct step *explore_log(unsigned int i);
/* Runs a context to its end, nested in whatever runs on this agent. */
void explore_run_context(unsigned int context);
/* Makes choices until one falls on the next step of @context; -1: never. */
void explore_await(int context);
int explore_chosen(void);

/* agents.c */
extern unsigned int agent_running;
enum agent_end { AGENT_ALL_DONE = 1, AGENT_LEFT_OFF, AGENT_VIOLATION };
/* Runs from the first choice to the end of an interleaving. */
enum agent_end agents_run(unsigned int first);
void agents_switch(unsigned int agent);
/* Leaves the interleaving, wherever it is. */
_Noreturn void agents_leave(enum agent_end end);

/* memory.c */
void memory_share(void *memory, size_t bytes);
bool memory_is_shared(const volatile void *at);
uintptr_t memory_clock(void); /* an address that stands for the clock */
void memory_forget_meetings(void);
/* Enters an access of a context to a word; true: for the first time. */
bool memory_learn(const struct step *step);
/* Whether a step meets any other context, and whether one of another agent. */
bool memory_meets(const struct step *step);
bool memory_meets_some(const struct step *step, unsigned int contexts); /* bits */
bool memory_meets_agents(const struct step *step);
void memory_begin(void);
/* Between runs of agents: their own stores go out of sight, and come back. */
void memory_hide(unsigned int agent);
void memory_show(unsigned int agent);
/* The value of an agent's last store is known from here on. */
void memory_settle(unsigned int agent);
/* A store begins that others shall see later. */
void memory_store(const struct step *step);
unsigned int memory_nr_waiting(unsigned int agent);
struct waiting_store *memory_waiting(unsigned int agent, unsigned int i);
void memory_land(unsigned int agent, unsigned int i);

#endif /* STRATA_TESTS_STEPS_H */
