// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_save.c - `strata save` and `strata load`: a session's model as a file (docs/formats.md). */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/json_members.h"
#include "control/client.h"
#include "control/session_json.h"
#include "control/session_model.h"
#include "files/out_file.h"
#include "strata/commands.h"
#include "strata/session_request.h"

static int fail(const struct strata_error *error)
{
	fprintf(stderr, "strata: %s\n", error->text);
	return STRATA_STATUS_FAILED;
}

/* Asks for one session.  Its model belongs to @reply. */
static struct json_object *ask_model(const char *name, struct json_object **reply,
				     struct strata_error *error)
{
	struct json_object *request = session_request_make("status", name), *list, *message, *model;
	int status = client_ask(request, false, reply, error);

	json_object_put(request);
	if (status > 0 && json_object_object_get_ex(*reply, "message", &message))
		strata_fail(error, "%s", json_object_get_string(message));
	if (status)
		return NULL;
	if (strata_json_array(*reply, "sessions", 1, &list, error))
		return NULL;
	if (!json_object_object_get_ex(json_object_array_get_idx(list, 0), "model", &model)) {
		strata_fail(error, "stratad's reply has no model");
		return NULL;
	}
	return model;
}

static int save(const char *name, const char *path, bool force)
{
	struct json_object *reply = NULL, *model;
	struct strata_out_file *out;
	struct strata_error error;
	int result = -1;

	model = ask_model(name, &reply, &error);
	out = model ? strata_out_open(path, force, &error) : NULL;
	if (out) {
		const char *text = json_object_to_json_string_ext(
			model, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);

		strata_out_text(out, text);
		strata_out_text(out, "\n");
		result = strata_out_close(out, &error);
	}
	json_object_put(reply);
	if (result)
		return fail(&error);
	if (strcmp(path, "-"))
		fprintf(stderr, "strata: session %s is saved in %s\n", name, path);
	return STRATA_STATUS_OK;
}

/* Reads a whole file, "-" being standard input.  The caller frees.  NULL with the reason. */
static char *read_file(const char *path, size_t *length, struct strata_error *error)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	char *text = malloc(STRATA_SESSION_TEXT_BYTES + 1);
	ssize_t nr = 1;

	*length = 0;
	while (fd >= 0 && text && nr && *length <= STRATA_SESSION_TEXT_BYTES) {
		nr = read(fd, text + *length, STRATA_SESSION_TEXT_BYTES + 1 - *length);
		if (nr < 0 && errno != EINTR)
			break;
		*length += nr > 0 ? (size_t)nr : 0;
	}
	if (fd < 0 || nr < 0 || !text) {
		strata_fail(error, "%s: %s", path, strerror(errno));
		free(text);
		text = NULL;
	}
	if (fd > STDERR_FILENO)
		close(fd);
	return text;
}

static int load(const char *path, const char *name, const char *output, bool json)
{
	struct json_object *object = NULL, *request;
	char absolute[PATH_MAX];
	struct strata_session session;
	struct strata_error error;
	size_t length;
	char *text = read_file(path, &length, &error);

	if (!text)
		return fail(&error);
	object = session_json_parse(text, length, &error);
	free(text);
	if (object && name)
		json_object_object_add(object, "name", json_object_new_string(name));
	if (object && output) {
		if (session_request_path(output, absolute, &error)) {
			json_object_put(object);
			return fail(&error);
		}
		json_object_object_add(object, "output", json_object_new_string(absolute));
	}
	/* Here too, for a message about the file. */
	if (!object || session_json_read(object, &session, &error)) {
		json_object_put(object);
		strata_fail_in(&error, "%s", path);
		return fail(&error);
	}
	session_model_clear(&session);
	request = session_request_make("create", NULL);
	json_object_object_add(request, "session", object);
	return session_request_run(request, true, json);
}

int strata_cmd_save(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "force", no_argument, NULL, 'F' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *output = "-";
	bool force = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "o:h", long_options, NULL)) >= 0) {
		if (option == 'h') {
			printf("Usage: strata save [-o FILE] [--force] NAME\n"
			       "Writes a session, without its recordings, as a file that `strata load` "
			       "reads.\n\n"
			       "  -o, --output FILE  the file (default: standard output)\n"
			       "      --force        replaces an existing file\n");
			return STRATA_STATUS_OK;
		}
		if (option == 'o')
			output = optarg;
		else if (option == 'F')
			force = true;
		else
			return session_request_wrong(argv[0], "unknown option");
	}
	if (argc - optind != 1)
		return session_request_wrong(argv[0], "one session's name is needed");
	return save(argv[optind], output, force);
}

int strata_cmd_load(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "name", required_argument, NULL, 'n' },
		{ "output", required_argument, NULL, 'o' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *name = NULL, *output = NULL;
	bool json = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "o:h", long_options, NULL)) >= 0) {
		if (option == 'h') {
			printf("Usage: strata load [OPTIONS] FILE\n"
			       "Makes the session that `strata save` wrote into FILE (-: standard "
			       "input).\n\n"
			       "      --name NAME   the session's name (default: as in the file)\n"
			       "  -o, --output DIR  where its recordings go (likewise)\n"
			       "      --json        prints the reply as JSON\n");
			return STRATA_STATUS_OK;
		}
		if (option == 'n')
			name = optarg;
		else if (option == 'o')
			output = optarg;
		else if (option == 'j')
			json = true;
		else
			return session_request_wrong(argv[0], "unknown option");
	}
	if (argc - optind != 1)
		return session_request_wrong(argv[0], "one file is needed");
	return load(argv[optind], name, output, json);
}
