// SPDX-License-Identifier: GPL-2.0-or-later
/* session_verbs.c - see session_verbs.h. */
#include "stratad/sessions/session_verbs.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/json_members.h"
#include "consumerd/host/control_socket.h"
#include "control/session_json.h"
#include "control/session_model.h"
#include "stratad/session_options.h"
#include "stratad/sessions/session_files.h"
#include "stratad/sessions/session_run.h"
#include "stratad/sessions/session_table.h"

/* A verb: fills the reply, and returns its status; -1: failed, @error has the reason. */
typedef int serve_fn(struct json_object *request, struct json_object *reply,
		     struct strata_error *error);

static int __attribute__((format(printf, 3, 4)))
answer(struct json_object *reply, int status, const char *format, ...)
{
	char text[sizeof(((struct strata_error *)NULL)->text)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	json_object_object_add(reply, "message", json_object_new_string(text));
	return status;
}

/* Holds the session that a request names, or the current one. */
static struct managed_session *hold(struct json_object *request, struct strata_error *error)
{
	char name[STRATA_SESSION_NAME_BYTES];

	if (!strata_json_has(request, "name"))
		return session_table_hold(NULL, error);
	if (strata_json_text(request, "name", name, sizeof(name), error))
		return NULL;
	return session_table_hold(name, error);
}

/* Checks rules that say something is traced, as the recorder will. */
static int check(const struct strata_session *model, struct strata_error *error)
{
	struct session_options options;
	int result = session_options_build(&options, model, model->output, error);

	session_options_clear(&options);
	return result;
}

static int serve_create(struct json_object *request, struct json_object *reply,
			struct strata_error *error)
{
	struct managed_session *session;
	struct strata_session model;
	struct json_object *object;
	struct strata_error ignored;
	char name[STRATA_SESSION_NAME_BYTES];

	if (!json_object_object_get_ex(request, "session", &object))
		return strata_fail(error, "\"session\" is missing");
	if (session_json_read(object, &model, error))
		return -1;
	if (!model.output)
		strata_fail(error, "session %s has no output directory", model.name);
	session = !model.output || check(&model, error) ? NULL : session_table_add(&model, error);
	if (!session) {
		session_model_clear(&model);
		return -1;
	}
	memcpy(name, model.name, sizeof(name));
	if (session_files_save(&session->model, error)) {
		session_table_remove(session);
		session_table_release(session);
		return -1;
	}
	session_table_release(session);
	/* Without it commands have to name their session. */
	session_files_set_current(name, &ignored);
	return answer(reply, STRATA_STATUS_OK, "session %s is created, and writes into %s", name,
		      json_object_get_string(json_object_object_get(object, "output")));
}

static int serve_destroy(struct json_object *request, struct json_object *reply,
			 struct strata_error *error)
{
	struct managed_session *session = hold(request, error);
	struct consumer consumer;
	int status = STRATA_STATUS_OK;

	if (!session)
		return -1;
	if (session_table_records(session, &consumer))
		status = session_run_stop(session, reply, error);
	answer(reply, status, "session %s is destroyed; its recordings stay in %s",
	       session->model.name, session->model.output);
	session_files_remove(session->model.name);
	session_table_remove(session);
	session_table_release(session);
	return status;
}

static int serve_start(struct json_object *request, struct json_object *reply,
		       struct strata_error *error)
{
	struct managed_session *session = hold(request, error);
	int result;

	if (!session)
		return -1;
	result = session_run_start(session, reply, error);
	if (!result)
		result = answer(reply, STRATA_STATUS_OK, "session %s records into %s",
				session->model.name, session->recording);
	session_table_release(session);
	return result;
}

static int serve_stop(struct json_object *request, struct json_object *reply,
		      struct strata_error *error)
{
	struct managed_session *session = hold(request, error);
	int result;

	if (!session)
		return -1;
	result = session_run_stop(session, reply, error);
	if (result >= 0)
		answer(reply, result, "session %s is stopped", session->model.name);
	session_table_release(session);
	return result;
}

/* Whether an earlier rule belongs to the same list, which the recorder takes as a whole. */
static bool is_in_list_of_earlier(const struct strata_rule *rules, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (rules[i].kind == rules[index].kind && !session_model_is_alone(rules[i].kind) &&
		    !strcmp(rules[i].target, rules[index].target))
			return true;
	return false;
}

/* Has a consumer record what the model says now about these rules' lists. */
static int reselect(const struct consumer *consumer, const struct strata_session *model,
		    enum strata_domain domain, const struct strata_rule *rules, size_t nr,
		    struct strata_error *error)
{
	char line[CONTROL_LINE_BYTES - 16] = "select ", text[CONTROL_LINE_BYTES];
	size_t length = strlen(line), i;
	int status;

	for (i = 0; i < nr; i++) {
		if (is_in_list_of_earlier(rules, i))
			continue;
		if (i)
			line[length++] = '\t';
		if (session_options_reselect(model, domain, &rules[i], line + length,
					     sizeof(line) - 1 - length, error))
			return -1;
		length += strlen(line + length);
	}
	status = consumer_ask(consumer, line, text, sizeof(text), error);
	return status > 0 ? strata_fail(error, "%.900s", text) : status;
}

/* Makes a changed model that of the session: in the files, if the caller has told its consumer. */
static int adopt(struct managed_session *session, struct strata_session *model,
		 struct strata_error *error)
{
	if (session_files_save(model, error))
		return -1;
	session_model_clear(&session->model);
	session->model = *model;
	return 0;
}

/* Adds rules to a model, or removes them.  0 or -1. */
static int change_model(struct strata_session *model, enum strata_domain domain,
			const struct strata_rule *rules, size_t nr, bool enable,
			struct strata_error *error)
{
	int result = 0;
	size_t i;

	for (i = 0; !result && i < nr; i++)
		result = enable ? session_model_add_rule(model, domain, &rules[i], error)
				: session_model_remove_rule(model, domain, &rules[i], error);
	return result;
}

/* Adds or removes all rules, or none. */
static int change_session(struct managed_session *session, enum strata_domain domain,
			  const struct strata_rule *rules, size_t nr, bool enable,
			  struct strata_error *error)
{
	struct strata_session model;
	struct consumer consumer;

	if (session_model_copy(&model, &session->model, error))
		return -1;
	if (!change_model(&model, domain, rules, nr, enable, error) && !check(&model, error) &&
	    (!nr || !session_table_records(session, &consumer) ||
	     !reselect(&consumer, &model, domain, rules, nr, error)) &&
	    !adopt(session, &model, error))
		return 0;
	session_model_clear(&model);
	return -1;
}

/* Reads the rules of a request, for free().  NULL with the reason. */
static struct strata_rule *read_rules(struct json_object *request, size_t *nr,
				      struct strata_error *error)
{
	struct strata_rule *rules;
	struct json_object *list;
	size_t i;

	if (strata_json_array(request, "rules", STRATA_SESSION_RULES_MAX, &list, error))
		return NULL;
	*nr = json_object_array_length(list);
	rules = calloc(*nr + 1, sizeof(*rules));
	if (!rules)
		strata_fail(error, "out of memory");
	for (i = 0; rules && i < *nr; i++)
		if (session_json_read_rule(json_object_array_get_idx(list, i), &rules[i], error)) {
			free(rules);
			rules = NULL;
		}
	return rules;
}

static int change_rules(struct json_object *request, struct json_object *reply, bool enable,
			struct strata_error *error)
{
	struct managed_session *session;
	enum strata_domain domain;
	struct strata_rule *rules;
	int result = -1;
	size_t nr;

	if (session_json_domain(request, "domain", &domain, error))
		return -1;
	rules = read_rules(request, &nr, error);
	session = rules ? hold(request, error) : NULL;
	if (session) {
		result = change_session(session, domain, rules, nr, enable, error);
		if (!result)
			answer(reply, STRATA_STATUS_OK,
			       "session %s: %zu rule%s of the domain %s %s", session->model.name,
			       nr, nr == 1 ? "" : "s", session_model_domain_name(domain),
			       enable ? "enabled" : "disabled");
		session_table_release(session);
	}
	free(rules);
	return result;
}

static int serve_enable(struct json_object *request, struct json_object *reply,
			struct strata_error *error)
{
	return change_rules(request, reply, true, error);
}

static int serve_disable(struct json_object *request, struct json_object *reply,
			 struct strata_error *error)
{
	return change_rules(request, reply, false, error);
}

static int serve_channel(struct json_object *request, struct json_object *reply,
			 struct strata_error *error)
{
	struct managed_session *session;
	struct strata_session model;
	struct json_object *channel;
	enum strata_domain domain;
	struct consumer consumer;
	int result;

	if (!json_object_object_get_ex(request, "channel", &channel))
		return strata_fail(error, "\"channel\" is missing");
	if (session_json_domain(request, "domain", &domain, error))
		return -1;
	session = hold(request, error);
	if (!session)
		return -1;
	if (session_table_records(session, &consumer))
		result = strata_fail(
			error, "session %s records; its channels can be changed when it is stopped",
			session->model.name);
	else
		result = session_model_copy(&model, &session->model, error);
	if (!result) {
		result = session_json_read_channel(channel, domain, &model.channels[domain],
						   error) ||
			 adopt(session, &model, error);
		if (result)
			session_model_clear(&model);
	}
	if (!result)
		answer(reply, STRATA_STATUS_OK, "session %s: the channel of the domain %s is set",
		       session->model.name, session_model_domain_name(domain));
	session_table_release(session);
	return result ? -1 : STRATA_STATUS_OK;
}

static int serve_snapshot(struct json_object *request, struct json_object *reply,
			  struct strata_error *error)
{
	struct managed_session *session = hold(request, error);
	int result;

	if (!session)
		return -1;
	result = session_run_snapshot(session, request, reply, error);
	session_table_release(session);
	return result;
}

/* Runs an operation on the session that a request names. */
static int serve_named(struct json_object *request, struct json_object *reply,
		       int (*run)(struct managed_session *session, struct json_object *reply,
				  struct strata_error *error),
		       struct strata_error *error)
{
	struct managed_session *session = hold(request, error);
	int result;

	if (!session)
		return -1;
	result = run(session, reply, error);
	session_table_release(session);
	return result;
}

static int serve_rotate(struct json_object *request, struct json_object *reply,
			struct strata_error *error)
{
	return serve_named(request, reply, session_run_rotate, error);
}

static int serve_clear(struct json_object *request, struct json_object *reply,
		       struct strata_error *error)
{
	return serve_named(request, reply, session_run_clear, error);
}

/* Sets when a session rotates.  Asks the consumer first, because it may refuse. */
static int change_rotation(struct managed_session *session, const struct strata_rotation *when,
			   struct json_object *reply, struct strata_error *error)
{
	struct strata_session model;
	int result;

	if (session->model.snapshot)
		return strata_fail(error,
				   "session %s is a flight recorder: `strata snapshot` writes its "
				   "events",
				   session->model.name);
	result = session_run_set_rotation(session, when, reply, error);
	if (result)
		return result;
	if (session_model_copy(&model, &session->model, error))
		return -1;
	model.rotation = *when;
	if (!adopt(session, &model, error))
		return answer(reply, STRATA_STATUS_OK, "session %s: %s", session->model.name,
			      when->bytes || when->ms ? "rotation is enabled"
						      : "rotation is disabled");
	session_model_clear(&model);
	return -1;
}

static int serve_rotation(struct json_object *request, struct json_object *reply,
			  struct strata_error *error)
{
	struct managed_session *session;
	struct strata_rotation when;
	struct json_object *object;
	int result;

	if (!json_object_object_get_ex(request, "rotation", &object))
		return strata_fail(error, "\"rotation\" is missing");
	if (session_json_read_rotation(object, &when, error))
		return -1;
	session = hold(request, error);
	if (!session)
		return -1;
	result = change_rotation(session, &when, reply, error);
	session_table_release(session);
	return result;
}

static int serve_set_session(struct json_object *request, struct json_object *reply,
			     struct strata_error *error)
{
	struct managed_session *session = hold(request, error);
	int result;

	if (!session)
		return -1;
	result = session_files_set_current(session->model.name, error);
	if (!result)
		answer(reply, STRATA_STATUS_OK, "session %s is the current one",
		       session->model.name);
	session_table_release(session);
	return result;
}

/* All sessions, or the one that is named. */
static int serve_status(struct json_object *request, struct json_object *reply,
			struct strata_error *error)
{
	struct json_object *list = json_object_new_array();
	char(*names)[STRATA_SESSION_NAME_BYTES], current[STRATA_SESSION_NAME_BYTES];
	struct managed_session *session;
	size_t nr, i;

	json_object_object_add(reply, "sessions", list);
	session_files_current(current);
	json_object_object_add(reply, "current", json_object_new_string(current));
	if (strata_json_has(request, "name")) {
		session = hold(request, error);
		if (!session)
			return -1;
		json_object_array_add(list, session_run_describe(session));
		session_table_release(session);
		return STRATA_STATUS_OK;
	}
	nr = session_table_names(&names);
	for (i = 0; i < nr; i++) {
		session = session_table_hold(names[i], error);
		/* It may have been destroyed since. */
		if (!session)
			continue;
		json_object_array_add(list, session_run_describe(session));
		session_table_release(session);
	}
	free(names);
	return STRATA_STATUS_OK;
}

static const struct {
	const char *verb;
	serve_fn *serve;
} verbs[] = {
	{ "create", serve_create },   { "destroy", serve_destroy },
	{ "start", serve_start },     { "stop", serve_stop },
	{ "enable", serve_enable },   { "disable", serve_disable },
	{ "channel", serve_channel }, { "snapshot", serve_snapshot },
	{ "status", serve_status },   { "set-session", serve_set_session },
	{ "rotate", serve_rotate },   { "rotation", serve_rotation },
	{ "clear", serve_clear },
};

struct json_object *session_verbs_serve(struct json_object *request)
{
	struct json_object *reply = json_object_new_object();
	struct strata_error error = { "" };
	int status = -1;
	char verb[32];
	size_t i;

	if (!strata_json_text(request, "verb", verb, sizeof(verb), &error)) {
		strata_fail(&error,
			    "stratad knows no verb \"%s\"; use the strata of the same build", verb);
		for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
			if (!strcmp(verb, verbs[i].verb)) {
				error.text[0] = '\0';
				status = verbs[i].serve(request, reply, &error);
			}
	}
	if (status < 0) {
		json_object_object_add(reply, "message", json_object_new_string(error.text));
		status = STRATA_STATUS_FAILED;
	}
	json_object_object_add(reply, "status", json_object_new_int(status));
	return reply;
}

static void restore(void *data, struct strata_session *model)
{
	struct managed_session *session;
	struct strata_error error;
	struct consumer consumer;

	(void)data;
	session = session_table_add(model, &error);
	if (!session) {
		fprintf(stderr, "stratad: %s\n", error.text);
		session_model_clear(model);
		return;
	}
	if (!consumer_find(&consumer, session->model.name))
		session->ended = session_files_read_ended(session->model.name);
	else if (session_table_watch(session, &consumer, &error))
		fprintf(stderr, "stratad: %s\n", error.text);
	session_table_release(session);
}

int session_verbs_restore(struct strata_error *error)
{
	return session_files_load(restore, NULL, error);
}
