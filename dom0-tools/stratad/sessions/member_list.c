// SPDX-License-Identifier: GPL-2.0-or-later
/* member_list.c - see member_list.h. */
#include "stratad/sessions/member_list.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json_members.h"
#include "control/message.h"
#include "control/sibling.h"
#include "stratad/listing/list_member.h"
#include "stratad/sessions/client.h"
#include "stratad/sessions/session_owner.h"

/* Lists of all members at a time; a member has one. */
#define MEMBERS_LISTS_MAX 4u

/* Of a request: a name of a domain, and patterns of events. */
#define TARGET_BYTES   80u
#define PATTERNS_BYTES 4096u

/* A list of a hundred kernels with all fields needs less. */
#define MEMORY_BYTES ((rlim_t)512 << 20)

/* Programs that wait for a CPU get it first. */
#define NICE 10

/* How long the child may take to read its request. */
#define SEND_MS 10000

extern char **environ;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uid_t members[MEMBERS_LISTS_MAX]; /* that list; SESSION_OWNER_SELF: this place is free */

bool member_list_is_asked(struct json_object *request)
{
	struct strata_error ignored;
	char verb[8];

	return !strata_json_text(request, "verb", verb, sizeof(verb), &ignored) &&
	       !strcmp(verb, "list");
}

/* 0, or -1: the member has a place already, or others have all. */
static int take_place(uid_t member, struct strata_error *error)
{
	uid_t *free_place = NULL;
	bool lists = false;
	unsigned int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < MEMBERS_LISTS_MAX; i++) {
		lists |= members[i] == member;
		if (members[i] == SESSION_OWNER_SELF)
			free_place = &members[i];
	}
	if (free_place && !lists)
		*free_place = member;
	pthread_mutex_unlock(&lock);
	if (lists)
		return strata_fail(error, "you have a list under way, and a member of the group "
					  "tracing has one at a time; try again when it is done");
	if (!free_place)
		return strata_fail(error,
				   "members of the group tracing have %u lists under way, as many "
				   "as they may together; try again",
				   MEMBERS_LISTS_MAX);
	return 0;
}

static void leave_place(uid_t member)
{
	unsigned int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < MEMBERS_LISTS_MAX; i++)
		if (members[i] == member)
			members[i] = SESSION_OWNER_SELF;
	pthread_mutex_unlock(&lock);
}

/* Copies a text, if the request has it.  @bytes: its longest one, with its end.  0 or -1. */
static int copy_text(struct json_object *from, struct json_object *to, const char *key,
		     size_t bytes, struct strata_error *error)
{
	char text[PATTERNS_BYTES];

	if (!strata_json_has(from, key))
		return 0;
	if (strata_json_text(from, key, text, bytes, error))
		return -1;
	json_object_object_add(to, key, json_object_new_string(text));
	return 0;
}

static bool is_true(struct json_object *request, const char *key)
{
	return json_object_get_boolean(json_object_object_get(request, key));
}

/* Makes the child's request of what the member may ask for.  NULL with the reason. */
static struct json_object *make_request(struct json_object *asked, struct strata_error *error)
{
	struct json_object *request;

	if (is_true(asked, "apps")) {
		strata_fail(error, "root's stratad does not list applications for members of the "
				   "group tracing; use yours, without --system");
		return NULL;
	}
	request = json_object_new_object();
	json_object_object_add(request, "events",
			       json_object_new_boolean(is_true(asked, "events")));
	json_object_object_add(request, "fields",
			       json_object_new_boolean(is_true(asked, "fields")));
	if (!copy_text(asked, request, "target", TARGET_BYTES, error) &&
	    !copy_text(asked, request, "patterns", PATTERNS_BYTES, error))
		return request;
	json_object_put(request);
	return NULL;
}

/* Starts the child.  Its standard input is the request, its standard output the client.  0 or -1.
 */
static int spawn(pid_t *pid, int request, int client, struct strata_error *error)
{
	char name[] = "stratad", option[] = LIST_MEMBER_OPTION;
	char *const arguments[] = { name, option, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	char path[PATH_MAX];
	sigset_t none, all;
	int number;

	if (sibling_path(name, path, error))
		return -1;
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, request, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, client, STDOUT_FILENO);
	posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	number = posix_spawn(pid, path, &files, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return number ? strata_fail(error, "%s: %s", path, strerror(number)) : 0;
}

/* The child waits for its request, so its limits hold for all that it does. */
static void limit(pid_t pid)
{
	const struct rlimit memory = { MEMORY_BYTES, MEMORY_BYTES };
	const struct rlimit none = { 0, 0 };

	prlimit(pid, RLIMIT_DATA, &memory, NULL);
	prlimit(pid, RLIMIT_CORE, &none, NULL);
	setpriority(PRIO_PROCESS, (id_t)pid, NICE);
}

/* Waits for the end of the child, which ends itself after its time.  A child that nobody waits for
 * any more is killed.  Whether it has sent a reply. */
static bool await_end(pid_t pid, int client)
{
	struct pollfd fds[] = {
		{ .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN },
		{ .fd = client }, /* has hung up */
	};
	int status = 0, ended;

	if (fds[0].fd >= 0) {
		while (poll(fds, 2, -1) < 0 && errno == EINTR)
			;
		if (!fds[0].revents)
			kill(pid, SIGKILL);
		close(fds[0].fd);
	}
	do
		ended = waitpid(pid, &status, 0);
	while (ended < 0 && errno == EINTR);
	return ended == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Has a child answer the request.  0, or -1: it did not. */
static int list(int client, struct json_object *request, struct strata_error *error)
{
	bool sent = false;
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return strata_fail(error, "no socket: %s", strerror(errno));
	if (!spawn(&pid, ends[1], client, error)) {
		close(ends[1]);
		ends[1] = -1;
		limit(pid);
		if (message_send(ends[0], request, SEND_MS, error))
			kill(pid, SIGKILL);
		sent = await_end(pid, client);
		if (!sent)
			strata_fail(error,
				    "the list took more than %u s, or too much memory; name a "
				    "domain, or events",
				    LIST_MEMBER_S);
	}
	close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
	return sent ? 0 : -1;
}

void member_list_serve(int client, uid_t member, struct json_object *request)
{
	struct strata_error error = { "" };
	struct json_object *checked = make_request(request, &error);
	int failed = !checked || take_place(member, &error);

	if (!failed) {
		failed = list(client, checked, &error);
		leave_place(member);
	}
	json_object_put(checked);
	if (failed)
		client_send_refusal(client, error.text);
}
