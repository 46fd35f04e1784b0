/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explore.h - runs a small piece of concurrent C in every order that its operations
 * can come in (stateless model checking: each interleaving is run from its start).
 *
 * An agent is a CPU, a domain or a thread: agents are truly concurrent.  A context
 * is what runs on an agent: of an agent's contexts one of a higher level may come
 * in at any operation of a lower one, once, and runs to its end: interrupts.
 *
 * The code's operations come in through check_platform.h, and its plain loads and
 * stores because the compiler announces them (-fsanitize=thread, without that
 * library).  Those on memory that explore_share() named are steps; a step that
 * meets nobody else's is made at once.
 *
 * Of interleavings that differ only in the order of steps that do not meet, one is
 * run: the least by context, in the order of the dictionary.  A prefix that some
 * swap makes less is left off (what sleep sets do, also with interrupts).
 */
#ifndef STRATA_TESTS_EXPLORE_H
#define STRATA_TESTS_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPLORE_CONTEXTS_MAX 6u
#define EXPLORE_AGENTS_MAX   4u

/* When a store is seen by other agents. */
enum explore_memory {
	/* At once. */
	EXPLORE_SEQUENTIAL,
	/* x86: later, in order; what an agent loads it has from its own stores first.  At most
	 * EXPLORE_STORES_MAX wait. */
	EXPLORE_TSO,
	/* Weaker: one store at a time is held back while later ones are seen; not behind a
	 * release of the same agent. */
	EXPLORE_WEAK,
};

#define EXPLORE_STORES_MAX 4u

struct explore_context {
	const char *name;
	unsigned int agent;
	unsigned int level;
	void (*run)(void);
};

struct explore_plan {
	const char *name;
	enum explore_memory memory;
	unsigned int nr_contexts;
	struct explore_context contexts[EXPLORE_CONTEXTS_MAX]; /* of an agent: levels ascend */
	/* Before each interleaving: brings memory to where it starts. */
	void (*begin)(void);
	/* After each that came to its end. */
	void (*end)(void);
	/* Names the word at a shared address, for the print of an interleaving. */
	void (*name_of)(uintptr_t at, char *name, size_t bytes);
	/* EXPLORE_WEAK: which stores may be held back; NULL: all. */
	bool (*slow)(const volatile void *at);
	/* How often an agent may be left that could go on; 0: as often as it can be.  With a limit
	 * no interleaving within it is left off. */
	unsigned int switches;
	bool all;            /* run all interleavings, to see what leaving some off would miss */
	unsigned long limit; /* runs, those included that were left off; 0: all there are */
};

struct explore_result {
	unsigned long complete; /* interleavings that came to their end */
	unsigned long left_off; /* prefixes of which another order was run */
	bool exhaustive;
	unsigned int most_steps; /* that any context took */
	char violation[256];     /* empty: none */
};

/* The memory whose accesses are steps; one piece. */
void explore_share(void *memory, size_t bytes);

/* Runs @plan until it has been searched, the first violation, or its limit. */
void explore(const struct explore_plan *plan, struct explore_result *result);

/* The interleaving that was run last, as comments of TAP. */
void explore_print(void);

/* Explores, prints a line on the result, and the interleaving that violates anything. */
void explore_aloud(const struct explore_plan *plan, struct explore_result *result);

/* Reports an error; called by a context, ends the interleaving. */
__attribute__((format(printf, 1, 2))) void explore_complain(const char *format, ...);

/* The context that runs, by its place in the plan; -1: none, the search is not on. */
int explore_context(void);

/* Sets the clock; each reading of it returns one tick more. */
void explore_set_clock(uint64_t ticks);

/* Any number below @choices: all are tried. */
unsigned int explore_choose(unsigned int choices);

#endif /* STRATA_TESTS_EXPLORE_H */
