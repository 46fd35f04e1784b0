// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * memory.c - the shared memory of an interleaving: which contexts meet where, and
 * the stores of an agent that others do not see yet.
 *
 * While an agent runs, its waiting stores lie in memory, so that it loads what it
 * stored; when another comes they are taken out again, newest first.
 *
 * Who meets where is learnt: a step on memory that one context alone has ever
 * touched, or that all only load, is nobody's business.  When a run finds that out
 * to be wrong, the search begins anew.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steps.h"

#define GRAIN_BYTES 8u
#define GRAINS_MAX  8192u

struct buffer {
	struct waiting_store stores[EXPLORE_STORES_MAX];
	unsigned int nr, nr_ever;
	bool open; /* the newest has not stored yet, or has and we do not know what */
};

static uintptr_t shared_from, shared_to;
static uint8_t loaded_by[GRAINS_MAX + 1], stored_by[GRAINS_MAX + 1]; /* bits of contexts */
static struct buffer buffers[EXPLORE_AGENTS_MAX];

void memory_share(void *memory, size_t bytes)
{
	if (bytes > GRAINS_MAX * GRAIN_BYTES || (uintptr_t)memory % GRAIN_BYTES) {
		fprintf(stderr, "explore_share: %zu bytes at %p; at most %u, aligned to %u\n",
			bytes, memory, GRAINS_MAX * GRAIN_BYTES, GRAIN_BYTES);
		abort();
	}
	shared_from = (uintptr_t)memory;
	shared_to = shared_from + bytes;
}

bool memory_is_shared(const volatile void *at)
{
	return (uintptr_t)at >= shared_from && (uintptr_t)at < shared_to;
}

uintptr_t memory_clock(void)
{
	return shared_to;
}

void memory_forget_meetings(void)
{
	memset(loaded_by, 0, sizeof(loaded_by));
	memset(stored_by, 0, sizeof(stored_by));
}

static size_t grain(uintptr_t at)
{
	return (at - shared_from) / GRAIN_BYTES;
}

bool memory_learn(const struct step *step)
{
	uint8_t loads = step->loads ? (uint8_t)(1u << step->context) : 0;
	uint8_t stores = step->stores ? (uint8_t)(1u << step->context) : 0;
	bool learnt = false;
	size_t i;

	for (i = grain(step->from); i <= grain(step->to - 1); i++) {
		learnt |= (loads & ~loaded_by[i]) || (stores & ~stored_by[i]);
		loaded_by[i] |= loads;
		stored_by[i] |= stores;
	}
	return learnt;
}

/* Whether a context of @others does something that makes the order of the two matter. */
static bool meets(const struct step *step, uint8_t others)
{
	size_t i;

	for (i = grain(step->from); i <= grain(step->to - 1); i++)
		if ((stored_by[i] | (step->stores ? loaded_by[i] : 0)) & others)
			return true;
	return false;
}

bool memory_meets(const struct step *step)
{
	return meets(step, (uint8_t) ~(1u << step->context));
}

bool memory_meets_some(const struct step *step, unsigned int contexts)
{
	return meets(step, (uint8_t)contexts);
}

bool memory_meets_agents(const struct step *step)
{
	uint8_t others = 0;
	unsigned int i;

	for (i = 0; i < explore_plan->nr_contexts; i++)
		if (explore_plan->contexts[i].agent != step->agent)
			others |= (uint8_t)(1u << i);
	return meets(step, others);
}

void memory_begin(void)
{
	memset(buffers, 0, sizeof(buffers));
}

static void *place(const struct waiting_store *store)
{
	return (void *)store->landing.from;
}

static size_t length(const struct waiting_store *store)
{
	return store->landing.to - store->landing.from;
}

void memory_settle(unsigned int agent)
{
	struct buffer *buffer = &buffers[agent];
	struct waiting_store *newest;

	if (!buffer->open)
		return;
	newest = &buffer->stores[buffer->nr - 1];
	memcpy(newest->value, place(newest), length(newest));
	memcpy(&newest->landing.value, newest->value, length(newest) < 8 ? length(newest) : 8);
	buffer->open = false;
}

void memory_hide(unsigned int agent)
{
	struct buffer *buffer = &buffers[agent];
	unsigned int i;

	memory_settle(agent);
	for (i = buffer->nr; i--;)
		memcpy(place(&buffer->stores[i]), buffer->stores[i].under,
		       length(&buffer->stores[i]));
}

void memory_show(unsigned int agent)
{
	struct buffer *buffer = &buffers[agent];
	unsigned int i;

	for (i = 0; i < buffer->nr; i++) {
		struct waiting_store *store = &buffer->stores[i];

		memcpy(store->under, place(store), length(store));
		memcpy(place(store), store->value, length(store));
	}
}

void memory_store(const struct step *step)
{
	struct buffer *buffer = &buffers[step->agent];
	struct waiting_store *store = &buffer->stores[buffer->nr];

	if (buffer->nr == EXPLORE_STORES_MAX || step->to - step->from > sizeof(store->value)) {
		fprintf(stderr, "a store of %zu bytes cannot wait behind %u\n",
			(size_t)(step->to - step->from), buffer->nr);
		abort();
	}
	memset(store, 0, sizeof(*store));
	store->landing = *step;
	store->landing.letter = (uint16_t)(64u + step->agent * 4096u + buffer->nr_ever++);
	store->landing.context = -1;
	store->landing.loads = false;
	store->landing.lands = true;
	store->landing.waits = false;
	store->made_at = explore_log_length();
	memcpy(store->under, place(store), length(store));
	buffer->nr++;
	buffer->open = true;
}

unsigned int memory_nr_waiting(unsigned int agent)
{
	return buffers[agent].nr;
}

struct waiting_store *memory_waiting(unsigned int agent, unsigned int i)
{
	return &buffers[agent].stores[i];
}

void memory_land(unsigned int agent, unsigned int i)
{
	struct buffer *buffer = &buffers[agent];
	struct waiting_store *store = &buffer->stores[i];

	memory_hide(agent_running);
	if (agent != agent_running)
		memory_settle(agent);
	memcpy(place(store), store->value, length(store));
	buffer->nr--;
	memmove(store, store + 1, (buffer->nr - i) * sizeof(*store));
	memory_show(agent_running);
}
