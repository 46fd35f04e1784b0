// SPDX-License-Identifier: GPL-2.0-or-later
/* peer_look.c - see peer_look.h; apps_look.c and list_app.c call it. */
#include "consumerd/host/peer_look.h"

#include "consumerd/host/own_proc.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* From a looker to the helper. */
enum word { TOOK, LOOKED };

static bool say(int helper, char word)
{
	return send(helper, &word, sizeof(word), MSG_NOSIGNAL) == sizeof(word);
}

static uint64_t cpu_ns(void)
{
	struct timespec spent;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
	return (uint64_t)spent.tv_sec * 1000000000u + (uint64_t)spent.tv_nsec;
}

/* A process that looks, until it is not needed any more.  It may never return from the kernel, so
 * nobody waits for it. */
static _Noreturn void look_on(int socket, int helper, pid_t ancestor)
{
	struct peer_look look;
	uint64_t begin_ns;
	bool needed;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	do {
		if (recv(socket, &look, sizeof(look), 0) != (ssize_t)sizeof(look))
			break;
		needed = say(helper, TOOK);
		begin_ns = cpu_ns();
		peer_read_names(look.pid, ancestor, &look.names);
		look.cpu_ns = cpu_ns() - begin_ns;
		send(socket, &look, sizeof(look), MSG_NOSIGNAL);
	} while (needed && say(helper, LOOKED));
	_exit(0);
}

/* The helper's end of a new looker; -1: none can be made now. */
static int make_looker(int socket, pid_t ancestor)
{
	pid_t looker;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		return -1;
	looker = fork();
	if (looker == 0) {
		close(ends[0]);
		look_on(socket, ends[1], ancestor);
	}
	close(ends[1]);
	if (looker > 0)
		return ends[0];
	close(ends[0]);
	return -1;
}

/* Returns when another looker is needed: this one has ended, or looks while another question
 * waits. */
static void await_need(int socket, int looker)
{
	struct pollfd news[] = { { .fd = looker, .events = POLLIN },
				 { .fd = -1, .events = POLLIN } };
	char word;

	for (;;) {
		if (poll(news, 2, -1) < 0)
			continue;
		if (!news[0].revents && news[1].revents)
			return;
		if (!news[0].revents)
			continue;
		if (recv(looker, &word, sizeof(word), MSG_DONTWAIT) != sizeof(word))
			return;
		/* While it is idle, questions are its own. */
		news[1].fd = word == TOOK ? socket : -1;
	}
}

/* Whether whoever started it asks no more. */
static bool is_left(int socket)
{
	struct pollfd end = { .fd = socket, .events = POLLRDHUP };

	return poll(&end, 1, 0) == 1;
}

/* The helper; it ends with whoever started it. */
static _Noreturn void help(int socket, pid_t starter, pid_t ancestor)
{
	struct peer_look look;
	int looker;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != starter)
		_exit(1);
	/* Ctrl-C is for whoever started it; and children need nobody to wait for them. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	/* A look that lasts for ever keeps no file, lock or directory of the starter's. */
	if (dup2(socket, STDIN_FILENO) < 0 || close_range(STDIN_FILENO + 1, ~0u, 0) || chdir("/"))
		_exit(1);
	own_proc_again();
	while (!is_left(STDIN_FILENO)) {
		looker = make_looker(STDIN_FILENO, ancestor);
		if (looker >= 0) {
			await_need(STDIN_FILENO, looker);
			/* It ends after its look. */
			close(looker);
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

bool peer_looks_answer(const struct peer_looks *looks, struct peer_look *look)
{
	return recv(looks->socket, look, sizeof(*look), MSG_DONTWAIT) == (ssize_t)sizeof(*look);
}

void peer_looks_close(struct peer_looks *looks)
{
	if (looks->socket < 0)
		return;
	close(looks->socket);
	looks->socket = -1;
	/* It reads nothing that could block it, so it ends at once; those that look end with it, or
	 * when the kernel lets them. */
	kill(looks->helper, SIGKILL);
	waitpid(looks->helper, NULL, 0);
}
