// SPDX-License-Identifier: GPL-2.0-or-later
/* counted_programs.c - see counted_programs.h. */
#include "stratad/domains/counted_programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

/* An event of a program, which may have another id in each of its processes. */
struct counted_event {
	char group[STRATA_EVENT_NAME_BYTES];
	char name[STRATA_EVENT_NAME_BYTES];
};

static void name_program(char *name, size_t bytes, const struct app *app)
{
	if (app->starter == geteuid())
		snprintf(name, bytes, "app-%s", app->program[0] ? app->program : app->comm);
	else
		snprintf(name, bytes, "app-%s (user %u)",
			 app->program[0] ? app->program : app->comm, app->starter);
}

/* What a program takes that stays until the end. */
#define PROGRAM_BYTES (sizeof(struct counted_program) + sizeof(struct counted_sum))

static struct counted_program *make_program(struct aggregated_apps *all, const char *name,
					    uint32_t uid, struct principal *who,
					    struct strata_error *error)
{
	struct counted_program *program;

	if (principal_claim(who, PRINCIPAL_TABLE_BYTES, PROGRAM_BYTES, error))
		return NULL;
	program = calloc(1, sizeof(*program));
	if (program)
		program->ended = calloc(1, sizeof(*program->ended));
	if (!program || !program->ended || !STRATA_GROW(all->programs, all->nr, all->capacity)) {
		if (program)
			free(program->ended);
		free(program);
		principal_give_back(who, PRINCIPAL_TABLE_BYTES, PROGRAM_BYTES);
		strata_fail(error, "out of memory");
		return NULL;
	}
	snprintf(program->name, sizeof(program->name), "%s", name);
	program->uid = uid;
	program->user = who->id;
	all->programs[all->nr++] = program;
	return program;
}

struct counted_program *counted_program_of(struct aggregated_apps *all, const struct app *app,
					   struct principal *who, struct strata_error *error)
{
	char name[sizeof(all->programs[0]->name)];
	size_t i;

	name_program(name, sizeof(name), app);
	for (i = 0; i < all->nr; i++)
		if (all->programs[i]->uid == app->starter && !strcmp(all->programs[i]->name, name))
			return all->programs[i];
	return make_program(all, name, app->starter, who, error);
}

/* The memory that another event of a program takes. */
#define EVENT_BYTES (sizeof(struct counted_event) + COUNTED_NAME_BYTES + 2 * sizeof(uint64_t))

/* Makes room for another event.  0 or -1. */
static int make_room(struct counted_program *program, struct principal *who,
		     struct strata_error *error)
{
	const size_t room = program->room ? program->room * 2 : 16;
	void *memory;

	if (program->nr_names < program->room)
		return 0;
	if (principal_claim(who, PRINCIPAL_TABLE_BYTES, (room - program->room) * EVENT_BYTES,
			    error))
		return -1;
	memory = reallocarray(program->events, room, sizeof(*program->events));
	if (memory) {
		program->events = memory;
		memory = reallocarray(program->names, room, sizeof(*program->names));
	}
	if (!memory) {
		principal_give_back(who, PRINCIPAL_TABLE_BYTES,
				    (room - program->room) * EVENT_BYTES);
		return strata_fail(error, "out of memory");
	}
	program->names = memory;
	program->room = room;
	return 0;
}

static bool is_event(const struct counted_event *event, const struct strata_event_desc *desc)
{
	return !strncmp(event->name, desc->name, sizeof(event->name)) &&
	       !strncmp(event->group, desc->group, sizeof(event->group));
}

/* Names an event, with its group where another event has the same name. */
static void name_event(struct counted_program *program, size_t event)
{
	const struct counted_event *one = &program->events[event];
	bool is_unique = true;
	size_t i;

	for (i = 0; i < program->nr_names; i++) {
		if (i == event || strcmp(program->events[i].name, one->name))
			continue;
		is_unique = false;
		snprintf(program->names[i], COUNTED_NAME_BYTES, "%s/%s", program->events[i].group,
			 program->events[i].name);
	}
	if (is_unique)
		snprintf(program->names[event], COUNTED_NAME_BYTES, "%s", one->name);
	else
		snprintf(program->names[event], COUNTED_NAME_BYTES, "%s/%s", one->group, one->name);
}

int counted_program_event(struct counted_program *program, const struct strata_event_desc *desc,
			  size_t guess, struct principal *who, uint16_t *event,
			  struct strata_error *error)
{
	struct counted_event *made;
	size_t i;

	if (guess < program->nr_names && is_event(&program->events[guess], desc)) {
		*event = (uint16_t)guess;
		return 0;
	}
	for (i = 0; i < program->nr_names; i++)
		if (is_event(&program->events[i], desc)) {
			*event = (uint16_t)i;
			return 0;
		}
	*event = COUNTED_NO_EVENT;
	if (program->nr_names == STRATA_APP_EVENTS_MAX)
		return 0;
	if (make_room(program, who, error))
		return -1;
	made = &program->events[program->nr_names];
	snprintf(made->group, sizeof(made->group), "%.*s", (int)sizeof(desc->group), desc->group);
	snprintf(made->name, sizeof(made->name), "%.*s", (int)sizeof(desc->name), desc->name);
	*event = (uint16_t)program->nr_names++;
	name_event(program, *event);
	return 0;
}

void counted_program_free(struct counted_program *program)
{
	free(program->events);
	free(program->names);
	free(program);
}
