// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * list.c - strata_control_list() and _list_apps(): has a child list (`stratad --list`), which has
 * the libraries of Xen, and talks to programs.  It is no request to the stratad that runs: that one
 * would need such a child, too, and a list works where none runs.  A member of the group tracing
 * may not look at Xen and kernels himself, so he asks root's stratad, which has such a child list.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <strata/own_fd.h>

#include "control/library/ask.h"
#include "control/library/listing.h"
#include "control/library/stratad_program.h"

/* Makes the request.  NULL with the reason. */
static struct json_object *make_request(enum strata_list_detail detail, const char *patterns,
					struct strata_error *error)
{
	struct json_object *request;

	if ((unsigned int)detail > STRATA_LIST_FIELDS) {
		strata_fail(error, "%d is no detail of a list", (int)detail);
		return NULL;
	}
	request = ask_make("list", NULL);
	json_object_object_add(request, "events",
			       json_object_new_boolean(detail >= STRATA_LIST_EVENTS));
	json_object_object_add(request, "fields",
			       json_object_new_boolean(detail == STRATA_LIST_FIELDS));
	if (patterns)
		json_object_object_add(request, "patterns", json_object_new_string(patterns));
	return request;
}

/* Has a child answer the request at @ends[1].  0 or -1. */
static int ask_child(struct strata_control *control, struct json_object *request, const int ends[2],
		     enum strata_control_result *result, struct strata_error *error)
{
	struct stratad_program program;
	int failed = stratad_program_begin(control, "--list", ends[1], &program, error);

	close(ends[1]);
	if (!failed) {
		failed = ask_over(control, ends[0], request, result, error);
		/* One that hung up ends by itself. */
		stratad_program_end(control, &program, failed && !control->hung_up);
	}
	close(ends[0]);
	return failed;
}

/* Adds what the child said to the reply, as stratad adds its notes. */
static void add_notes(struct strata_control *control)
{
	struct json_object *notes;
	size_t i;

	if (!control->nr_notes)
		return;
	notes = json_object_new_array();
	for (i = 0; i < control->nr_notes; i++)
		json_object_array_add(notes, json_object_new_string(control->notes[i]));
	json_object_object_add(control->reply, "notes", notes);
}

/* 0, or -1 with errno. */
static int open_ends(int ends[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -1;
	ends[0] = strata_own_fd(ends[0]);
	ends[1] = strata_own_fd(ends[1]);
	if (ends[0] >= 0 && ends[1] >= 0)
		return 0;
	if (ends[0] >= 0)
		close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
	errno = EMFILE;
	return -1;
}

/* Ends a call without a list. */
static enum strata_control_result fail(struct strata_control *control, const char *why)
{
	struct strata_error error;

	listing_free(control);
	strata_fail(&error, "cannot list: %s", why);
	return handle_end(control, STRATA_CONTROL_NO_REPLY, error.text);
}

/* Asks root's stratad, as a member. */
static enum strata_control_result list_as_member(struct strata_control *control,
						 struct json_object *request)
{
	const enum strata_control_result result = ask(control, request, false);
	struct strata_error error = { "" };

	if (result == STRATA_CONTROL_NO_REPLY || !listing_read(control, &error))
		return result;
	return fail(control, error.text);
}

/* Sends a request, frees it, and reads the reply. */
static enum strata_control_result list(struct strata_control *control, struct json_object *request)
{
	enum strata_control_result result = STRATA_CONTROL_NO_REPLY;
	struct strata_error error = { "" }, reason;
	int ends[2], failed;

	handle_begin(control);
	if (open_ends(ends))
		failed = strata_fail(&error, "no socket: %s", strerror(errno));
	else
		failed = ask_child(control, request, ends, &result, &error) ||
			 listing_read(control, &error);
	json_object_put(request);
	if (!failed) {
		add_notes(control);
		return result;
	}
	/* A child that died may have said why. */
	reason = error;
	if (control->hung_up && control->nr_notes)
		strata_fail(&reason, "%s", control->notes[0]);
	return fail(control, reason.text);
}

enum strata_control_result strata_control_list(struct strata_control *control, const char *target,
					       enum strata_list_detail detail, const char *patterns)
{
	struct strata_error error = { "" };
	struct json_object *request = make_request(detail, patterns, &error);

	if (!request)
		return handle_wrong(control, &error);
	if (target && (!target[0] || strchr(target, ':'))) {
		json_object_put(request);
		strata_fail(&error, "\"%s\" is no name of a domain; use xen, a name or a number",
			    target);
		return handle_wrong(control, &error);
	}
	if (target)
		json_object_object_add(request, "target", json_object_new_string(target));
	return control->system ? list_as_member(control, request) : list(control, request);
}

enum strata_control_result strata_control_list_apps(struct strata_control *control,
						    enum strata_list_detail detail,
						    const char *patterns)
{
	struct strata_error error = { "" };
	struct json_object *request;

	if (control->system) {
		strata_fail(&error, "root's stratad does not list applications for members of the "
				    "group tracing; use yours, without --system");
		return handle_wrong(control, &error);
	}
	request = make_request(detail, patterns, &error);
	if (!request)
		return handle_wrong(control, &error);
	json_object_object_add(request, "apps", json_object_new_boolean(true));
	return list(control, request);
}
