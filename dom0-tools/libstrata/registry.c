// SPDX-License-Identifier: MIT
/*
 * registry.c - the events of a process: those of the program, of its libraries,
 * and of libraries loaded later.  Constructors that STRATA_EVENT() makes call it, and printf_site.c
 * for those of strata_printf().
 *
 * Events with equal descriptions share an id, so a definition in a header is one
 * event to a recorder, however many libraries include it.  An id is never reused:
 * records with it may be in a ring.
 */
#include "libstrata/libstrata.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct strata_tracepoint *tracepoints;
static struct strata_event_desc *events[STRATA_APP_EVENTS_MAX]; /* by id */
static uint32_t nr_events;
static uint8_t wanted[STRATA_APP_CHANNELS][STRATA_APP_EVENTS_MAX / 8];

__thread uint64_t strata_app_context_word __attribute__((__tls_model__("initial-exec")));
__thread uint64_t registry_context_word __attribute__((__tls_model__("initial-exec")));

void registry_lock(void)
{
	pthread_mutex_lock(&lock);
}

void registry_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

int registry_wait(pthread_cond_t *condition, const struct timespec *until)
{
	return pthread_cond_clockwait(condition, &lock, CLOCK_MONOTONIC, until);
}

uint64_t registry_make_context(void)
{
	const struct strata_app_context context = { .pid = (int32_t)getpid(),
						    .tid = (int32_t)syscall(SYS_gettid) };
	uint64_t word;

	memcpy(&word, &context, sizeof(word));
	registry_context_word = word;
	if (rings_modes() & STRATA_APP_SINGLE_STORE)
		strata_app_context_word = word;
	return word;
}

uint32_t registry_nr_ids(void)
{
	return nr_events;
}

uint32_t registry_describe(uint32_t id, struct strata_event_desc *event)
{
	uint32_t bytes = strata_event_packed_bytes(events[id]);

	memcpy(event, events[id], bytes);
	return bytes;
}

/* The channels that record an event. */
static uint32_t channels_of(uint32_t id)
{
	uint32_t channel, channels = 0;

	for (channel = 0; channel < STRATA_APP_CHANNELS; channel++)
		channels |= (uint32_t)(wanted[channel][id / 8] >> id % 8 & 1) << channel;
	return channels;
}

/* Directs an event to its channels.  Threads that write it meanwhile find the fields of before,
 * those of now, or a mixture, which leads to channels that recorded it before or do now. */
static void direct(struct strata_tracepoint *tracepoint)
{
	const uint32_t channels = channels_of(tracepoint->id);

	strata_write_once(&tracepoint->single, rings_single(channels));
	strata_write_once(&tracepoint->shared, rings_shared(channels));
	/* Release: after the pointers, of which a thread that finds the event enabled uses one. */
	strata_store_release(&tracepoint->enabled, channels);
}

void registry_select(uint32_t channel, const uint8_t *selected)
{
	struct strata_tracepoint *tracepoint;

	if (selected)
		memcpy(wanted[channel], selected, sizeof(wanted[channel]));
	else
		memset(wanted[channel], 0, sizeof(wanted[channel]));
	for (tracepoint = tracepoints; tracepoint; tracepoint = tracepoint->next)
		direct(tracepoint);
}

struct strata_event_desc *registry_make_description(const struct strata_tracepoint *tracepoint)
{
	struct strata_event_desc *event = calloc(1, sizeof(*event));

	if (!event)
		return NULL;
	strncpy(event->name, tracepoint->name, sizeof(event->name) - 1);
	strncpy(event->group, tracepoint->group, sizeof(event->group) - 1);
	event->nr_fields = (uint8_t)tracepoint->nr_fields;
	event->level = tracepoint->level;
	memcpy(event->fields, tracepoint->fields, tracepoint->nr_fields * sizeof(event->fields[0]));
	return event;
}

bool registry_has_other(struct strata_event_desc *event)
{
	uint32_t id;

	for (id = 0; id < nr_events; id++) {
		event->id = id;
		if (strcmp(events[id]->name, event->name) == 0 &&
		    strcmp(events[id]->group, event->group) == 0 &&
		    memcmp(events[id], event, sizeof(*event)) != 0)
			return true;
	}
	return false;
}

/* Gives an event the id of its description, a new one if needed. False: all ids are used, and it
 * will never be recorded. */
static bool give_id(struct strata_tracepoint *tracepoint, struct strata_event_desc *event)
{
	uint32_t id;

	for (id = 0; id < nr_events; id++) {
		event->id = id;
		if (memcmp(events[id], event, sizeof(*event)) == 0)
			break;
	}
	tracepoint->id = id;
	if (id < nr_events || id == STRATA_APP_EVENTS_MAX) {
		free(event);
		return id < nr_events;
	}
	event->id = id;
	events[nr_events++] = event;
	return true;
}

void registry_add(struct strata_tracepoint *tracepoint, struct strata_event_desc *event)
{
	if (!give_id(tracepoint, event))
		return;
	tracepoint->registered = 1;
	tracepoint->next = tracepoints;
	tracepoints = tracepoint;
	direct(tracepoint);
}

void strata_app_register(struct strata_tracepoint *tracepoint)
{
	struct strata_event_desc *event;

	registry_lock();
	if (!tracepoint->registered && tracepoint->nr_fields <= STRATA_EVENT_FIELDS_MAX) {
		event = registry_make_description(tracepoint);
		if (event)
			registry_add(tracepoint, event);
	}
	registry_unlock();
}

void strata_app_unregister(struct strata_tracepoint *tracepoint)
{
	struct strata_tracepoint **place = &tracepoints;

	registry_lock();
	if (tracepoint->registered > 1) {
		tracepoint->registered--;
		registry_unlock();
		return;
	}
	while (*place && *place != tracepoint)
		place = &(*place)->next;
	if (*place)
		*place = tracepoint->next;
	tracepoint->registered = 0;
	strata_write_once(&tracepoint->enabled, 0);
	registry_unlock();
}

/* Starts anew in the child, which has one thread and its parent's rings.  Sections of parent and
 * child exclude one another, so records that the child wrote before this are whole. */
static void after_fork_in_child(void)
{
	uint32_t channel;

	for (channel = 0; channel < STRATA_APP_CHANNELS; channel++)
		registry_select(channel, NULL);
	strata_app_context_word = registry_context_word = 0;
	attach_forget();
	registry_unlock();
	attach_start();
	attach_announce();
}

void strata_app_ready(void)
{
	static bool started;
	bool first;

	registry_lock();
	first = !started && nr_events;
	if (first)
		started = true;
	registry_unlock();
	if (first) {
		pthread_atfork(registry_lock, registry_unlock, after_fork_in_child);
		attach_start();
	}
	attach_announce();
}
