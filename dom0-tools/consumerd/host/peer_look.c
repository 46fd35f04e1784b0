// SPDX-License-Identifier: GPL-2.0-or-later
/* peer_look.c - see peer_look.h; apps_look.c and list_app.c call it. */
#include "consumerd/host/peer_look.h"

#include "base/clock.h"

#include "consumerd/host/helper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Lookers of which the helper knows: as many as can be of use at a time, and some that hang. */
#define LOOKERS_MAX 64u

/* Those that it keeps while no question is open. */
#define IDLE_MAX 8u

/* From a looker to the helper. */
enum word { TOOK, LOOKED };

static bool say(int helper, char word)
{
	return send(helper, &word, sizeof(word), MSG_NOSIGNAL) == sizeof(word);
}

static void look_once(int socket, struct peer_look *look, pid_t ancestor)
{
	const uint64_t begin_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);

	peer_read_names(look->pid, ancestor, &look->names);
	look->cpu_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
	send(socket, look, sizeof(*look), MSG_NOSIGNAL);
}

/* A process that looks, until it is not needed any more.  It may never return from the kernel, so
 * nobody waits for it. */
static _Noreturn void look_on(int socket, int helper, pid_t ancestor)
{
	struct peer_look look;
	bool needed;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	do {
		if (recv(socket, &look, sizeof(look), 0) != (ssize_t)sizeof(look))
			break;
		needed = say(helper, TOOK);
		look_once(socket, &look, ancestor);
	} while (needed && say(helper, LOOKED));
	_exit(0);
}

/* Processes that look, as the helper knows them. */
static struct looker {
	int fd; /* the helper's end */
	bool busy;
} lookers[LOOKERS_MAX];
static unsigned int nr_lookers;

/* A looker ends when it finds that its helper has left it: after its present look. */
static void leave_looker(unsigned int at)
{
	close(lookers[at].fd);
	nr_lookers--;
	memmove(&lookers[at], &lookers[at + 1], (nr_lookers - at) * sizeof(lookers[0]));
}

static unsigned int nr_idle(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < nr_lookers; i++)
		nr += !lookers[i].busy;
	return nr;
}

/* False: none can be made now. */
static bool make_looker(int socket, pid_t ancestor)
{
	pid_t pid;
	int ends[2];

	/* All are busy: the oldest has looked for longest. */
	if (nr_lookers == LOOKERS_MAX)
		leave_looker(0);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		return false;
	pid = fork();
	if (pid == 0) {
		unsigned int i;

		close(ends[0]);
		for (i = 0; i < nr_lookers; i++)
			close(lookers[i].fd);
		look_on(socket, ends[1], ancestor);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return false;
	}
	lookers[nr_lookers++] = (struct looker){ .fd = ends[0] };
	return true;
}

/* Hears a looker.  False: it has been left. */
static bool hear_looker(unsigned int at)
{
	char word;

	if (recv(lookers[at].fd, &word, sizeof(word), MSG_DONTWAIT) != sizeof(word)) {
		leave_looker(at);
		return false;
	}
	lookers[at].busy = word == TOOK;
	if (nr_idle() <= IDLE_MAX)
		return true;
	leave_looker(at);
	return false;
}

/* Hears lookers until a question waits and all of them look, or none is left. */
static void await_need(int socket)
{
	struct pollfd news[LOOKERS_MAX + 1];
	unsigned int i, at, nr;

	while (nr_lookers) {
		nr = nr_lookers;
		for (i = 0; i < nr; i++)
			news[i] = (struct pollfd){ .fd = lookers[i].fd, .events = POLLIN };
		/* While one is idle, questions are its own. */
		news[nr] = (struct pollfd){ .fd = socket,
					    .events = nr_idle() ? POLLRDHUP : POLLIN | POLLRDHUP };
		if (poll(news, nr + 1, -1) < 0)
			continue;
		for (i = 0, at = 0; i < nr; i++)
			at += !news[i].revents || hear_looker(at);
		if (news[nr].revents & (POLLRDHUP | POLLHUP) || (news[nr].revents && !nr_idle()))
			return;
	}
}

/* Whether the process that started the helper has gone. */
static bool is_left(int socket)
{
	struct pollfd end = { .fd = socket, .events = POLLRDHUP };

	return poll(&end, 1, 0) == 1;
}

/* The helper; it ends with the process that started it. */
static _Noreturn void help(int socket, pid_t starter, pid_t ancestor)
{
	struct peer_look look;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != starter)
		_exit(1);
	helper_settle(socket);
	while (!is_left(STDIN_FILENO)) {
		if (make_looker(STDIN_FILENO, ancestor)) {
			await_need(STDIN_FILENO);
			continue;
		}
		if (recv(STDIN_FILENO, &look, sizeof(look), 0) != (ssize_t)sizeof(look))
			break;
		look.later = true;
		send(STDIN_FILENO, &look, sizeof(look), MSG_NOSIGNAL);
	}
	_exit(0);
}

int peer_looks_open(struct peer_looks *looks, pid_t ancestor, struct strata_error *error)
{
	const pid_t starter = getpid();
	int ends[2];

	looks->socket = -1;
	looks->ancestor = ancestor;
	peer_prepare();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return strata_fail(error, "no socket to look at processes: %s", strerror(errno));
	looks->helper = fork();
	if (looks->helper == 0)
		help(ends[1], starter, ancestor);
	close(ends[1]);
	looks->socket = ends[0];
	if (looks->helper > 0)
		return 0;
	strata_fail(error, "no process to look at others: %s", strerror(errno));
	close(ends[0]);
	looks->socket = -1;
	return -1;
}

bool peer_looks_ask(const struct peer_looks *looks, uint64_t number, int32_t pid)
{
	const struct peer_look look = { .number = number, .pid = pid };

	return send(looks->socket, &look, sizeof(look), MSG_NOSIGNAL | MSG_DONTWAIT) ==
	       (ssize_t)sizeof(look);
}

bool peer_looks_answer(struct peer_looks *looks, struct peer_look *look, bool *ended)
{
	const ssize_t bytes = recv(looks->socket, look, sizeof(*look), MSG_DONTWAIT);

	*ended = bytes == 0;
	/* It closes its end by its death alone.  Its number may be another process's after that. */
	if (*ended && looks->helper > 0) {
		waitpid(looks->helper, NULL, 0);
		looks->helper = 0;
	}
	return bytes == (ssize_t)sizeof(*look);
}

void peer_looks_close(struct peer_looks *looks)
{
	if (looks->socket >= 0)
		close(looks->socket);
	looks->socket = -1;
	if (looks->helper <= 0)
		return;
	/* It reads nothing that could block it, so it ends at once; those that look end with it, or
	 * when the kernel lets them. */
	kill(looks->helper, SIGKILL);
	waitpid(looks->helper, NULL, 0);
	looks->helper = 0;
}
