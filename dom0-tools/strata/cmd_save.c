// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_save.c - `strata save` and `strata load`: a session's model as a file (docs/formats.md). */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/exit_status.h"
#include "base/error.h"
#include "files/out_file.h"
#include "strata/commands.h"
#include "stratad/listing/list_json.h"
#include "strata/session_request.h"
#include "strata/verb_reply.h"

static int fail(const struct strata_error *error)
{
	fprintf(stderr, "strata: %s\n", error->text);
	return STRATA_STATUS_FAILED;
}

static int write_text(const char *text, const char *path, bool force, struct strata_error *error)
{
	char *safe = strata_safe_json(text);
	struct strata_out_file *out;

	if (!safe)
		return strata_fail(error, "%s: out of memory", path);
	out = strata_out_open(path, force, error);
	if (!out) {
		free(safe);
		return -1;
	}
	strata_out_text(out, safe);
	free(safe);
	strata_out_text(out, "\n");
	return strata_out_close(out, error);
}

static int save(const char *name, const char *path, bool force, bool json)
{
	struct strata_control *control = session_request_begin();
	enum strata_control_result result;
	struct strata_error error = { "" };
	struct strata_session *session;
	struct json_object *reply;
	char message[PATH_MAX];
	const char *text;
	int written;

	if (!control)
		return STRATA_STATUS_FAILED;
	result = strata_control_get(control, name, &session);
	if (result != STRATA_CONTROL_OK)
		return session_request_end(control, result, json);
	text = strata_control_session_text(control, session);
	strata_control_session_free(session);
	if (!text) {
		written =
			verb_reply_end(json, STRATA_STATUS_FAILED, strata_control_message(control));
		strata_control_free(control);
		return written;
	}
	written = write_text(text, path, force, &error);
	strata_control_free(control);
	/* On stdout, the session itself is the JSON. */
	if (!strcmp(path, "-"))
		return written ? fail(&error) : STRATA_STATUS_OK;
	if (written)
		return verb_reply_end(json, STRATA_STATUS_FAILED, error.text);
	snprintf(message, sizeof(message), "session %s is saved in %s", name, path);
	if (!json)
		return verb_reply_end(false, STRATA_STATUS_OK, message);
	reply = verb_reply_new(STRATA_STATUS_OK, message);
	list_json_text(reply, "output", path);
	return verb_reply_print(reply);
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
	struct strata_session *session;
	enum strata_control_result result;
	struct strata_control *control;
	struct strata_error error = { "" };
	size_t length;
	char *text = read_file(path, &length, &error);

	if (!text)
		return fail(&error);
	control = session_request_begin();
	if (!control) {
		free(text);
		return STRATA_STATUS_FAILED;
	}
	result = strata_control_session_read(control, text, length, name, output, &session);
	free(text);
	if (result != STRATA_CONTROL_OK) {
		strata_fail(&error, "%s: %s", path, strata_control_message(control));
		strata_control_free(control);
		return fail(&error);
	}
	result = strata_control_create(control, session);
	strata_control_session_free(session);
	return session_request_end(control, result, json);
}

int strata_cmd_save(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "force", no_argument, NULL, 'F' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *output = "-";
	bool force = false, json = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "o:h", long_options, NULL)) >= 0) {
		if (option == 'h') {
			printf("Usage: strata save [-o FILE] [--force] [--json] NAME\n"
			       "Writes a session, without its recordings, as a file that `strata load` "
			       "reads.\n\n"
			       "  -o, --output FILE  the file (default: standard output)\n"
			       "      --force        replaces an existing file\n"
			       "      --json         prints the reply as JSON (status, message, output);\n"
			       "                     without -o, the session is the JSON\n");
			return STRATA_STATUS_OK;
		}
		if (option == 'o')
			output = optarg;
		else if (option == 'F')
			force = true;
		else if (option == 'j')
			json = true;
		else
			return session_request_wrong(argv[0], "unknown option");
	}
	if (argc - optind != 1)
		return session_request_wrong(argv[0], "one session's name is needed");
	return save(argv[optind], output, force, json);
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
