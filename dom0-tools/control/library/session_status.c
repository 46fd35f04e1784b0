// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_status.c - see session_status.h and <strata/control_client.h>.
 *
 * A reply may be hostile: each member is checked, and absent ones are zero or "".  The strings of
 * the structures belong to the reply, which the handle holds as long as them.
 */
#include "control/library/session_status.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_members.h"
#include "control/library/ask.h"
#include "control/library/reply_members.h"
#include "control/session_json.h"
#include "control/session_model.h"

/* What the caller's structure of a channel points to. */
struct whole_channel {
	struct strata_channel_status status;
	struct strata_session_source *sources;
	const struct strata_session_source **source_list;
	struct strata_session_wait *waiting;
	const struct strata_session_wait **wait_list;
};

/* What one structure of the caller's points to. */
struct whole_status {
	struct strata_session_status status; /* first: the handle has pointers to these */
	struct strata_session model;
	struct whole_channel channels[STRATA_SESSION_CHANNELS_MAX];
	const struct strata_channel_status *channel_list[STRATA_SESSION_CHANNELS_MAX];
	struct strata_trigger_status triggers[STRATA_SESSION_TRIGGERS_MAX];
	const struct strata_trigger_status *trigger_list[STRATA_SESSION_TRIGGERS_MAX];
};

static void free_status(struct whole_status *whole)
{
	size_t i;

	for (i = 0; i < STRATA_SESSION_CHANNELS_MAX; i++) {
		free(whole->channels[i].sources);
		free(whole->channels[i].source_list);
		free(whole->channels[i].waiting);
		free(whole->channels[i].wait_list);
	}
	session_model_clear(&whole->model);
	free(whole);
}

void session_status_free(struct strata_control *control)
{
	size_t i;

	for (i = 0; i < control->nr_sessions; i++)
		free_status((struct whole_status *)control->sessions[i]);
	free(control->sessions);
	control->sessions = NULL;
	control->nr_sessions = 0;
}

static int read_source(struct json_object *object, struct strata_session_source *source,
		       struct strata_error *error)
{
	return reply_text(object, "name", &source->name, error) ||
			       reply_text(object, "layer", &source->layer, error) ||
			       reply_number(object, "events", UINT64_MAX, &source->events, error) ||
			       reply_number(object, "lost", UINT64_MAX, &source->lost, error) ||
			       reply_truth(object, "ended", &source->ended, error)
		       ? -1
		       : 0;
}

static int read_sources(struct json_object *figures, struct whole_channel *whole,
			struct strata_error *error)
{
	struct json_object *list;
	size_t nr, i;

	if (reply_objects(figures, "sources", &list, &nr, error))
		return -1;
	whole->sources = calloc(nr + 1, sizeof(*whole->sources));
	whole->source_list = calloc(nr + 1, sizeof(*whole->source_list));
	if (!whole->sources || !whole->source_list)
		return strata_fail(error, "out of memory");
	for (i = 0; i < nr; i++) {
		whole->source_list[i] = &whole->sources[i];
		if (read_source(json_object_array_get_idx(list, i), &whole->sources[i], error))
			return strata_fail_in(error, "source %zu", i);
	}
	whole->status.sources = whole->source_list;
	whole->status.nr_sources = nr;
	return 0;
}

static int read_waiting(struct json_object *figures, struct whole_channel *whole,
			struct strata_error *error)
{
	struct json_object *list;
	size_t nr, i;

	if (reply_objects(figures, "waiting", &list, &nr, error))
		return -1;
	whole->waiting = calloc(nr + 1, sizeof(*whole->waiting));
	whole->wait_list = calloc(nr + 1, sizeof(*whole->wait_list));
	if (!whole->waiting || !whole->wait_list)
		return strata_fail(error, "out of memory");
	for (i = 0; i < nr; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		whole->wait_list[i] = &whole->waiting[i];
		if (reply_text(one, "target", &whole->waiting[i].target, error) ||
		    reply_text(one, "why", &whole->waiting[i].why, error))
			return strata_fail_in(error, "wait %zu", i);
	}
	whole->status.waiting = whole->wait_list;
	whole->status.nr_waiting = nr;
	return 0;
}

static int read_figures(struct json_object *figures, struct whole_channel *whole,
			struct strata_error *error)
{
	struct strata_channel_status *status = &whole->status;
	uint64_t recorder;

	if (!json_object_is_type(figures, json_type_object))
		return strata_fail(error, "\"status\" is not an object");
	if (reply_text(figures, "recording", &status->recording, error) ||
	    reply_number(figures, "recorder", UINT32_MAX, &recorder, error) ||
	    reply_number(figures, "seconds", UINT64_MAX, &status->seconds, error) ||
	    reply_number(figures, "events", UINT64_MAX, &status->events, error) ||
	    reply_number(figures, "bytes", UINT64_MAX, &status->bytes, error) ||
	    reply_number(figures, "lost", UINT64_MAX, &status->lost, error) ||
	    reply_number(figures, "snapshots", UINT64_MAX, &status->snapshots, error) ||
	    reply_number(figures, "rotations", UINT64_MAX, &status->rotations, error) ||
	    reply_number(figures, "not_shown", UINT64_MAX, &status->not_shown, error) ||
	    reply_truth(figures, "disk_was_full", &status->disk_was_full, error) ||
	    read_sources(figures, whole, error) || read_waiting(figures, whole, error))
		return -1;
	status->recorder = (uint32_t)recorder;
	status->has_figures = true;
	return 0;
}

/* "ended" is the process's exit status, or "killed".  @runs: the member that says whether it runs
 */
static int read_state(struct json_object *object, const char *runs,
		      enum strata_session_state *state, int *exit_status,
		      struct strata_error *error)
{
	struct json_object *ended;
	uint64_t number;
	bool is_running;

	if (reply_truth(object, runs, &is_running, error))
		return -1;
	*state = is_running ? STRATA_SESSION_RECORDS : STRATA_SESSION_STOPPED;
	if (is_running || !json_object_object_get_ex(object, "ended", &ended))
		return 0;
	*state = STRATA_SESSION_KILLED;
	if (json_object_is_type(ended, json_type_string) &&
	    !strcmp(json_object_get_string(ended), "killed"))
		return 0;
	*state = STRATA_SESSION_ENDED;
	if (strata_json_u64(object, "ended", INT_MAX, &number, error))
		return -1;
	*exit_status = (int)number;
	return 0;
}

/* Reads a channel into a structure that was cleared.  0 or -1. */
static int read_channel(struct json_object *object, struct whole_channel *whole,
			struct strata_error *error)
{
	struct strata_channel_status *status = &whole->status;
	struct json_object *figures;
	uint64_t process;

	if (reply_text(object, "name", &status->name, error) ||
	    reply_text(object, "recording", &status->recording, error) ||
	    reply_text(object, "no_status", &status->no_figures, error) ||
	    reply_number(object, "process", INT_MAX, &process, error) ||
	    read_state(object, "records", &status->state, &status->exit_status, error))
		return -1;
	status->process = (int)process;
	return json_object_object_get_ex(object, "status", &figures)
		       ? read_figures(figures, whole, error)
		       : 0;
}

/* Adds what a channel did to what its session did. */
static void add_channel(struct strata_session_status *session,
			const struct strata_channel_status *channel)
{
	const bool records = session->state == STRATA_SESSION_RECORDS;

	if (channel->state == STRATA_SESSION_RECORDS ||
	    (!records && channel->state > session->state))
		session->state = channel->state;
	session->has_figures |= channel->has_figures;
	if (channel->seconds > session->seconds)
		session->seconds = channel->seconds;
	session->events += channel->events;
	session->bytes += channel->bytes;
	session->lost += channel->lost;
	session->snapshots += channel->snapshots;
}

/* Reads the channels, of which the model has as many.  0 or -1. */
static int read_channels(struct json_object *object, struct whole_status *whole,
			 struct strata_error *error)
{
	struct strata_session_status *status = &whole->status;
	struct json_object *list;
	size_t nr, i;

	if (reply_objects(object, "channels", &list, &nr, error))
		return -1;
	if (nr != whole->model.nr_channels)
		return strata_fail(error, "the model has %zu channels, and \"channels\" %zu",
				   whole->model.nr_channels, nr);
	for (i = 0; i < nr; i++) {
		whole->channel_list[i] = &whole->channels[i].status;
		if (read_channel(json_object_array_get_idx(list, i), &whole->channels[i], error))
			return strata_fail_in(error, "channel %zu", i);
		add_channel(status, &whole->channels[i].status);
	}
	status->channels = whole->channel_list;
	status->nr_channels = nr;
	return 0;
}

/* Reads a trigger into a structure that was cleared.  0 or -1. */
static int read_trigger(struct json_object *object, struct strata_trigger_status *status,
			struct strata_error *error)
{
	uint64_t process;

	if (reply_text(object, "name", &status->name, error) ||
	    reply_text(object, "last", &status->last, error) ||
	    reply_number(object, "process", INT_MAX, &process, error) ||
	    read_state(object, "counts", &status->state, &status->exit_status, error))
		return -1;
	status->process = (int)process;
	return 0;
}

/* Reads the triggers, of which the model has as many.  0 or -1. */
static int read_triggers(struct json_object *object, struct whole_status *whole,
			 struct strata_error *error)
{
	struct json_object *list;
	size_t nr, i;

	if (reply_objects(object, "triggers", &list, &nr, error))
		return -1;
	if (nr != whole->model.nr_triggers)
		return strata_fail(error, "the model has %zu triggers, and \"triggers\" %zu",
				   whole->model.nr_triggers, nr);
	for (i = 0; i < nr; i++) {
		whole->trigger_list[i] = &whole->triggers[i];
		if (read_trigger(json_object_array_get_idx(list, i), &whole->triggers[i], error))
			return strata_fail_in(error, "trigger %zu", i);
	}
	whole->status.triggers = whole->trigger_list;
	whole->status.nr_triggers = nr;
	return 0;
}

/* Reads a session into a structure that was cleared.  0 or -1. */
static int read_session(struct json_object *object, const char *current, struct whole_status *whole,
			struct strata_error *error)
{
	struct strata_session_status *status = &whole->status;
	struct json_object *model;

	status->model = &whole->model;
	if (!json_object_object_get_ex(object, "model", &model))
		return strata_fail(error, "\"model\" is missing");
	if (session_json_read(model, &whole->model, error) ||
	    reply_text(object, "recording", &status->recording, error) ||
	    read_channels(object, whole, error) || read_triggers(object, whole, error))
		return -1;
	if (!whole->model.output)
		return strata_fail(error, "\"output\" is missing");
	status->current = !strcmp(current, whole->model.name);
	return 0;
}

static int read_sessions(struct strata_control *control, struct strata_error *error)
{
	struct json_object *list;
	const char *current;
	size_t nr, i;

	if (reply_text(control->reply, "current", &current, error))
		return -1;
	if (!strata_json_has(control->reply, "sessions"))
		return strata_fail(error, "\"sessions\" is missing");
	if (reply_objects(control->reply, "sessions", &list, &nr, error))
		return -1;
	control->sessions = calloc(nr + 1, sizeof(struct strata_session_status *));
	if (!control->sessions)
		return strata_fail(error, "out of memory");
	for (i = 0; i < nr; i++) {
		struct whole_status *whole = calloc(1, sizeof(*whole));

		if (!whole)
			return strata_fail(error, "out of memory");
		control->sessions[control->nr_sessions++] = &whole->status;
		if (read_session(json_object_array_get_idx(list, i), current, whole, error))
			return strata_fail_in(error, "session %zu", i);
	}
	return 0;
}

enum strata_control_result strata_control_status(struct strata_control *control, const char *name)
{
	struct strata_error error = { "" };
	struct json_object *request = ask_make("status", name), *again = json_object_get(request);
	enum strata_control_result result = ask(control, request, false);

	/* This stratad ended, perhaps killed, and another one will answer: a question can be asked
	 * twice. */
	if (control->hung_up)
		result = ask(control, again, false);
	else
		json_object_put(again);
	if (result != STRATA_CONTROL_OK || !read_sessions(control, &error))
		return result;
	session_status_free(control);
	strata_fail_in(&error, "stratad");
	return handle_end(control, STRATA_CONTROL_NO_REPLY, error.text);
}

size_t strata_control_nr_sessions(const struct strata_control *control)
{
	return control->nr_sessions;
}

const struct strata_session_status *strata_control_session(const struct strata_control *control,
							   size_t index)
{
	return index < control->nr_sessions ? control->sessions[index] : NULL;
}

/* Whether a session has the requested name.  Root's stratad adds a member's number to names, and he
 * may leave it out. */
static bool has_name(const struct strata_control *control, const struct strata_session *model,
		     const char *name)
{
	const size_t length = strlen(name);

	return !strncmp(name, model->name, length) &&
	       (!model->name[length] ||
		(control->system && model->name[length] == SESSION_OWNER_MARK));
}

/* Finds the requested session in the last reply, or the current one.  NULL: absent. */
static const struct strata_session *find_model(const struct strata_control *control,
					       const char *name)
{
	size_t i;

	for (i = 0; i < control->nr_sessions; i++)
		if (name ? has_name(control, control->sessions[i]->model, name)
			 : control->sessions[i]->current)
			return control->sessions[i]->model;
	return NULL;
}

/* Removes from a copy what root's stratad chooses for each session of a member, and refuses in a
 * request: a copy can then be created again, also by another member. */
static void remove_chosen(struct strata_session *session)
{
	session->name[strcspn(session->name, (char[]){ SESSION_OWNER_MARK, '\0' })] = '\0';
	free(session->output);
	session->output = NULL;
	session->rotation = (struct strata_rotation){ .bytes = 0 };
}

enum strata_control_result strata_control_get(struct strata_control *control, const char *name,
					      struct strata_session **session)
{
	enum strata_control_result result;
	const struct strata_session *model;
	struct strata_error error = { "" };
	char wanted[STRATA_SESSION_NAME_BYTES];

	*session = NULL;
	if (name) {
		if (session_model_check_name(name, &error))
			return handle_wrong(control, &error);
		/* It may be one of the results that the next call frees. */
		memcpy(wanted, name, strlen(name) + 1);
	}
	result = strata_control_status(control, name);
	if (result != STRATA_CONTROL_OK)
		return result;
	model = find_model(control, name ? wanted : NULL);
	if (!model)
		return handle_end(control, STRATA_CONTROL_FAILED,
				  name ? "stratad replied with another session"
				       : "there is no current session; name one");
	*session = malloc(sizeof(**session));
	if (*session && !session_model_copy(*session, model, &error)) {
		if (control->system)
			remove_chosen(*session);
		return STRATA_CONTROL_OK;
	}
	free(*session);
	*session = NULL;
	return handle_out_of_memory(control);
}
