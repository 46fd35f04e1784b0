// SPDX-License-Identifier: GPL-2.0-or-later
/* session_files.c - see session_files.h. */
#include "stratad/sessions/session_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumerd/host/run_dir.h"
#include "consumerd/host/run_lock.h"
#include "control/message.h"
#include "control/session_json.h"
#include "control/session_model.h"
#include "files/read_at.h"
#include "stratad/sessions/session_owner.h"

#define FOLDER  MESSAGE_SESSIONS
#define MODEL   ".json"
#define LOG     ".log"
#define ENDED   ".ended"
#define CURRENT "current"

/* Of a consumer's name with its suffix. */
#define FILE_BYTES (sizeof(struct session_consumer) + 16)

struct session_consumer session_files_consumer(const struct strata_session *session,
					       const struct strata_channel *channel)
{
	struct session_consumer of;

	snprintf(of.name, sizeof(of.name), "%s:%s", session->name, channel->name);
	return of;
}

static void file_name(char file[FILE_BYTES], const char *name, const char *suffix)
{
	snprintf(file, FILE_BYTES, "%s%s", name, suffix);
}

static void lock_name(char lock[FILE_BYTES], const struct session_consumer *of)
{
	snprintf(lock, FILE_BYTES, "session-%s", of->name);
}

/* Reads a file, or its last bytes, as a string.  -1 with errno: it cannot be read. */
static ssize_t read_file(const struct strata_dir *dir, const char *file, char *text, size_t bytes)
{
	int fd = openat(dir->fd, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;
	size_t length;

	text[0] = '\0';
	if (fd < 0)
		return -1;
	if (fstat(fd, &status)) {
		close(fd);
		return -1;
	}
	length = strata_read_at(
		fd, text, bytes - 1,
		status.st_size > (off_t)bytes - 1 ? (uint64_t)status.st_size - (bytes - 1) : 0);
	close(fd);
	text[length] = '\0';
	return (ssize_t)length;
}

/* Writes a model as text, which belongs to its object.  NULL with the reason: out of memory, or
 * session_json_parse() would not read so much. */
static const char *make_text(struct json_object *object, const char *name,
			     struct strata_error *error)
{
	const char *text = json_object_to_json_string_ext(
		object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);

	if (!text)
		strata_fail(error, "out of memory");
	else if (strlen(text) > STRATA_SESSION_TEXT_BYTES)
		strata_fail(error,
			    "session %s would have over %u bytes as a text; use fewer rules, or "
			    "shorter ones",
			    name, STRATA_SESSION_TEXT_BYTES);
	else
		return text;
	return NULL;
}

int session_files_check(const struct strata_session *session, struct strata_error *error)
{
	struct json_object *object = session_json_make(session);
	const bool fits = make_text(object, session->name, error) != NULL;

	json_object_put(object);
	return fits ? 0 : -1;
}

int session_files_save(const struct strata_session *session, struct strata_error *error)
{
	struct json_object *object = session_json_make(session);
	const char *text = make_text(object, session->name, error);
	char file[FILE_BYTES];
	struct strata_dir dir;
	int result = -1;

	file_name(file, session->name, MODEL);
	if (text && !run_dir_sub(FOLDER, &dir, error)) {
		result = strata_dir_replace(&dir, file, text, strlen(text), error);
		strata_dir_close(&dir);
	}
	json_object_put(object);
	return result;
}

static void remove_of_consumer(const struct strata_dir *dir, const struct session_consumer *of)
{
	char file[FILE_BYTES + 8];

	file_name(file, of->name, LOG);
	strata_dir_remove(dir, file);
	file_name(file, of->name, ENDED);
	strata_dir_remove(dir, file);
	lock_name(file, of);
	strcat(file, ".lock");
	run_dir_remove(file);
}

void session_files_remove(const struct strata_session *session)
{
	char file[FILE_BYTES];
	struct strata_error ignored;
	struct strata_dir dir;
	size_t i;

	if (run_dir_sub(FOLDER, &dir, &ignored))
		return;
	file_name(file, session->name, MODEL);
	strata_dir_remove(&dir, file);
	for (i = 0; i < session->nr_channels; i++) {
		const struct session_consumer of =
			session_files_consumer(session, &session->channels[i]);

		remove_of_consumer(&dir, &of);
	}
	for (i = 0; i < session->nr_triggers; i++) {
		const struct session_consumer of =
			session_files_consumer(session, &session->triggers[i].counted);

		remove_of_consumer(&dir, &of);
	}
	strata_dir_close(&dir);
}

void session_files_remove_consumer(const struct session_consumer *of)
{
	struct strata_error ignored;
	struct strata_dir dir;

	if (run_dir_sub(FOLDER, &dir, &ignored))
		return;
	remove_of_consumer(&dir, of);
	strata_dir_close(&dir);
}

static void load_one(const struct strata_dir *dir, const char *file,
		     void (*visit)(void *data, struct strata_session *session), void *data)
{
	char *text = malloc(STRATA_SESSION_TEXT_BYTES + 2);
	struct strata_error error = { "" };
	struct json_object *object = NULL;
	struct strata_session session;
	ssize_t length = -1;

	if (text)
		length = read_file(dir, file, text, STRATA_SESSION_TEXT_BYTES + 2);
	if (length < 0)
		strata_fail(&error, "%s", text ? strerror(errno) : "out of memory");
	else
		object = session_json_parse(text, (size_t)length, &error);
	if (object && !session_json_read(object, &session, &error))
		visit(data, &session);
	else
		fprintf(stderr, "stratad: %s/%s: %s; the session is left out\n", dir->path, file,
			error.text);
	json_object_put(object);
	free(text);
}

static bool is_model(const char *file)
{
	const char *dot = strrchr(file, '.');

	return dot && !strcmp(dot, MODEL);
}

int session_files_load(void (*visit)(void *data, struct strata_session *session), void *data,
		       struct strata_error *error)
{
	const struct dirent *entry;
	struct strata_dir dir;
	DIR *entries;

	if (run_dir_sub(FOLDER, &dir, error))
		return -1;
	entries = strata_dir_entries(&dir);
	if (!entries)
		strata_fail(error, "%s: %s", dir.path, strerror(errno));
	while (entries && (entry = readdir(entries)))
		if (is_model(entry->d_name))
			load_one(&dir, entry->d_name, visit, data);
	strata_dir_close(&dir);
	return entries ? closedir(entries) : -1;
}

static void current_file(char file[FILE_BYTES], uid_t owner)
{
	char suffix[SESSION_OWNER_BYTES];

	session_owner_suffix(suffix, owner);
	file_name(file, CURRENT, suffix);
}

int session_files_set_current(const char *name, struct strata_error *error)
{
	char file[FILE_BYTES];
	struct strata_dir dir;
	int result;

	if (run_dir_sub(FOLDER, &dir, error))
		return -1;
	current_file(file, session_owner(name));
	result = strata_dir_replace(&dir, file, name, strlen(name), error);
	strata_dir_close(&dir);
	return result;
}

void session_files_current(uid_t owner, char name[STRATA_SESSION_NAME_BYTES])
{
	char file[FILE_BYTES];
	struct strata_error ignored;
	struct strata_dir dir;

	name[0] = '\0';
	if (run_dir_sub(FOLDER, &dir, &ignored))
		return;
	current_file(file, owner);
	read_file(&dir, file, name, STRATA_SESSION_NAME_BYTES);
	strata_dir_close(&dir);
}

int session_files_open_log(const struct session_consumer *of, struct strata_error *error)
{
	char file[FILE_BYTES];
	struct strata_dir dir;
	int fd;

	if (run_dir_sub(FOLDER, &dir, error))
		return -1;
	file_name(file, of->name, LOG);
	fd = openat(dir.fd, file, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd < 0)
		strata_fail(error, "%s/%s: %s", dir.path, file, strerror(errno));
	strata_dir_close(&dir);
	return fd;
}

void session_files_read_log(const struct session_consumer *of, char *text, size_t bytes)
{
	char file[FILE_BYTES];
	struct strata_error ignored;
	struct strata_dir dir;

	text[0] = '\0';
	if (run_dir_sub(FOLDER, &dir, &ignored))
		return;
	file_name(file, of->name, LOG);
	read_file(&dir, file, text, bytes);
	strata_dir_close(&dir);
}

int session_files_write_ended(const struct session_consumer *of, int ended,
			      struct strata_error *error)
{
	char file[FILE_BYTES], text[16];
	struct strata_dir dir;
	int result;

	if (run_dir_sub(FOLDER, &dir, error))
		return -1;
	file_name(file, of->name, ENDED);
	snprintf(text, sizeof(text), "%d\n", ended);
	result = strata_dir_replace(&dir, file, text, strlen(text), error);
	strata_dir_close(&dir);
	return result;
}

int session_files_read_ended(const struct session_consumer *of)
{
	char file[FILE_BYTES], text[16];
	struct strata_error ignored;
	struct strata_dir dir;
	int ended = SESSION_NO_NEWS;

	if (run_dir_sub(FOLDER, &dir, &ignored))
		return SESSION_NO_NEWS;
	file_name(file, of->name, ENDED);
	if (read_file(&dir, file, text, sizeof(text)) > 0) {
		ended = atoi(text);
	} else {
		/* Each consumer has a log. */
		file_name(file, of->name, LOG);
		if (!faccessat(dir.fd, file, F_OK, AT_SYMLINK_NOFOLLOW))
			ended = SESSION_KILLED;
	}
	strata_dir_close(&dir);
	return ended;
}

void session_files_forget_ended(const struct session_consumer *of)
{
	char file[FILE_BYTES];
	struct strata_error ignored;
	struct strata_dir dir;

	if (run_dir_sub(FOLDER, &dir, &ignored))
		return;
	file_name(file, of->name, ENDED);
	strata_dir_remove(&dir, file);
	strata_dir_close(&dir);
}

int session_files_lock(const struct session_consumer *of, struct strata_error *error)
{
	char lock[FILE_BYTES], holder[RUN_LOCK_HOLDER_BYTES];
	int fd;

	lock_name(lock, of);
	snprintf(holder, sizeof(holder), "process %ld", (long)getpid());
	fd = run_lock_take(lock, holder, error);
	return fd != RUN_LOCK_HELD
		       ? fd
		       : strata_fail(error, "%s is recorded by %s already", of->name, holder);
}

pid_t session_files_holder(const struct session_consumer *of)
{
	char lock[FILE_BYTES], holder[RUN_LOCK_HOLDER_BYTES];
	struct strata_error ignored;
	long pid;

	lock_name(lock, of);
	if (run_lock_look(lock, holder, &ignored) <= 0 || sscanf(holder, "process %ld", &pid) != 1)
		return 0;
	return (pid_t)pid;
}
