// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * agents.c - a stack for each agent of an interleaving, and the switch from one to
 * another: made with ucontext once, switched by setjmp, which calls no kernel.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "steps.h"

#define STACK_BYTES (256u << 10)

struct agent {
	ucontext_t made;
	jmp_buf base, resume;
};

static struct agent agents[EXPLORE_AGENTS_MAX];
static ucontext_t maker;
static jmp_buf leave;
static bool made;
unsigned int agent_running;

/* Each interleaving comes in at the base; the stack above it is forgotten. */
static void agent_main(int number)
{
	if (!_setjmp(agents[number].base))
		swapcontext(&agents[number].made, &maker);
	explore_run_context((unsigned int)explore_chosen());
	explore_await(-1);
}

static void make_agents(void)
{
	static unsigned int i; /* a register would not outlive the jumps */

	for (i = 0; i < EXPLORE_AGENTS_MAX; i++) {
		void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (stack == MAP_FAILED || getcontext(&agents[i].made)) {
			perror("a stack for an agent");
			abort();
		}
		agents[i].made.uc_stack.ss_sp = stack;
		agents[i].made.uc_stack.ss_size = STACK_BYTES;
		makecontext(&agents[i].made, (void (*)(void))agent_main, 1, (int)i);
		swapcontext(&maker, &agents[i].made);
	}
	made = true;
}

enum agent_end agents_run(unsigned int first)
{
	unsigned int i;
	int end;

	if (!made)
		make_agents();
	for (i = 0; i < EXPLORE_AGENTS_MAX; i++)
		memcpy(&agents[i].resume, &agents[i].base, sizeof(jmp_buf));
	agent_running = first;
	end = _setjmp(leave);
	if (!end)
		_longjmp(agents[agent_running].resume, 1);
	return (enum agent_end)end;
}

void agents_switch(unsigned int agent)
{
	unsigned int from = agent_running;

	memory_hide(from);
	agent_running = agent;
	memory_show(agent);
	if (!_setjmp(agents[from].resume))
		_longjmp(agents[agent_running].resume, 1);
}

void agents_leave(enum agent_end end)
{
	_longjmp(leave, (int)end);
}
