// SPDX-License-Identifier: GPL-2.0-or-later
/* memory_makers.c - see memory_makers.h; called by the apps files of stratad. */
#include "consumerd/host/memory_makers.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#include "consumerd/host/file_message.h"
#include "consumerd/host/helper.h"
#include "consumerd/host/memory_maker.h"
#include "consumerd/host/user_group.h"

/* Makers at a time: if there are more users, the one that was used longest ago ends. */
#define MAKERS_MAX 64u

/* Orders of one user that have no answer yet: more than a caller gives. */
#define OPEN_MAX 64u

/* How long the helper may need at the end: others may lock what it removes. */
#define LEAVE_S 10u

/* At the end programs let go of their memory, and the kernel takes it back a little later. */
#define TIDY_ATTEMPTS 20u
#define TIDY_PAUSE_NS 100000000

/* How long a maker may need to enter its group, before programs get memory that the recorder's own
 * group pays for: half of a user's share, and no more than this, as long as the helper lives,
 * because nothing tells when its pages are free. */
#define ENTERING_MS     100
#define EARLY_BYTES_MAX ((uint64_t)64 << 20)

/* The makers, as the helper knows them, those used longest ago first. */
static struct known {
	int fd; /* the helper's end */
	uint32_t user;
	bool entered;
	uint64_t end_ms; /* orders are answered without it if it has not entered its group then */
	unsigned int nr_open;
	unsigned int nr_early; /* of these, the first ones, that are answered already */
	struct memory_order open[OPEN_MAX]; /* that it has not answered, oldest first */
} makers[MAKERS_MAX];
static unsigned int nr_makers;

/* What users have had of the recorder's own group. */
static struct early {
	uint32_t user;
	uint64_t bytes;
} early[MAKERS_MAX];
static unsigned int nr_early;

/* The recorder whose helper this is; known with the first order. */
static uint32_t of_recorder;
static bool has_orders;

static void refuse(uint64_t number)
{
	struct memory_order order = { .number = number, .failed = EAGAIN, .memory.fd = -1 };

	memory_maker_answer(STDIN_FILENO, &order);
}

static void forget(unsigned int at)
{
	close(makers[at].fd);
	nr_makers--;
	memmove(&makers[at], &makers[at + 1], (nr_makers - at) * sizeof(makers[0]));
}

/* Makes room for another one.  False: all have orders. */
static bool make_place(void)
{
	unsigned int at = 0;

	if (nr_makers < MAKERS_MAX)
		return true;
	while (at < nr_makers && makers[at].nr_open)
		at++;
	if (at == nr_makers)
		return false;
	forget(at);
	return true;
}

static bool begin_maker(uint32_t user)
{
	unsigned int i;
	int ends[2];
	pid_t pid;

	if (!make_place() || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		return false;
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		for (i = 0; i < nr_makers; i++)
			close(makers[i].fd);
		memory_maker_run(STDIN_FILENO, ends[1], of_recorder, user);
		_exit(0);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return false;
	}
	makers[nr_makers].fd = ends[0];
	makers[nr_makers].user = user;
	makers[nr_makers].entered = false;
	makers[nr_makers].end_ms = clock_now_ms(CLOCK_MONOTONIC) + ENTERING_MS;
	makers[nr_makers].nr_open = makers[nr_makers].nr_early = 0;
	nr_makers++;
	return true;
}

/* The maker of a user, which becomes the last in the list.  NULL: none can be made now. */
static struct known *maker_of(uint32_t user)
{
	struct known one;
	unsigned int at = 0;

	while (at < nr_makers && makers[at].user != user)
		at++;
	if (at == nr_makers)
		return begin_maker(user) ? &makers[nr_makers - 1] : NULL;
	one = makers[at];
	memmove(&makers[at], &makers[at + 1], (nr_makers - at - 1) * sizeof(one));
	makers[nr_makers - 1] = one;
	return &makers[nr_makers - 1];
}

/* False: the recorder has ended. */
static bool pass_on_order(void)
{
	struct memory_order order;
	struct known *maker;

	if (recv(STDIN_FILENO, &order, sizeof(order), 0) != (ssize_t)sizeof(order))
		return false;
	of_recorder = order.recorder;
	has_orders = true;
	maker = maker_of(order.user);
	if (maker && maker->nr_open < OPEN_MAX &&
	    send(maker->fd, &order, sizeof(order), MSG_NOSIGNAL | MSG_DONTWAIT) ==
		    (ssize_t)sizeof(order))
		maker->open[maker->nr_open++] = order;
	else
		refuse(order.number);
	return true;
}

/* Notes that a maker has answered its oldest order, or has ended. */
static void hear(unsigned int at)
{
	struct known *maker = &makers[at];
	unsigned int i;
	char word;

	if (recv(maker->fd, &word, sizeof(word), MSG_DONTWAIT) != sizeof(word)) {
		for (i = maker->nr_early; i < maker->nr_open; i++)
			refuse(maker->open[i].number);
		forget(at);
		return;
	}
	maker->entered = true;
	if (word == MEMORY_MAKER_ENTERED)
		return;
	maker->nr_open--;
	maker->nr_early -= maker->nr_early > 0;
	memmove(&maker->open[0], &maker->open[1], maker->nr_open * sizeof(maker->open[0]));
}

/* What a user has had of the recorder's own group.  NULL: there is no place to note it. */
static struct early *early_of(uint32_t user)
{
	unsigned int at = 0;

	while (at < nr_early && early[at].user != user)
		at++;
	if (at == MAKERS_MAX)
		return NULL;
	if (at == nr_early)
		early[nr_early++] = (struct early){ .user = user };
	return &early[at];
}

static bool fits_early(const struct early *had, const struct memory_order *order)
{
	const uint64_t half = order->share / 2;
	const uint64_t most = half < EARLY_BYTES_MAX ? half : EARLY_BYTES_MAX;

	return had && had->bytes + order->bytes <= most;
}

/* Has a child answer an order that a maker cannot answer now.  The maker answers it, too, once it
 * can: the recorder closes what it has not waited for.  False: there can be no child now. */
static bool answer_early(struct memory_order *order, struct early *had)
{
	const pid_t child = fork();

	if (child == 0) {
		memory_maker_make_one(STDIN_FILENO, order);
		_exit(0);
	}
	if (child < 0)
		return false;
	had->bytes += order->bytes;
	return true;
}

/* Answers orders of a maker that has not entered its group in time, as far as the user's share
 * goes.  False: some have to wait for a child. */
static bool help_out(struct known *maker)
{
	struct early *had;

	for (; maker->nr_early < maker->nr_open; maker->nr_early++) {
		had = early_of(maker->user);
		if (!fits_early(had, &maker->open[maker->nr_early]))
			return true;
		if (!answer_early(&maker->open[maker->nr_early], had))
			return false;
	}
	return true;
}

/* Does so for all makers.  Returns how long poll() may wait until it is to be done again. */
static int help_all(void)
{
	const uint64_t now = clock_now_ms(CLOCK_MONOTONIC);
	unsigned int at;
	int wait = -1;

	for (at = 0; at < nr_makers; at++)
		if (!makers[at].entered && (now < makers[at].end_ms || !help_out(&makers[at])))
			wait = ENTERING_MS;
	return wait;
}

/* Ends the makers, and removes their groups. */
static _Noreturn void leave(void)
{
	const struct timespec pause = { .tv_nsec = TIDY_PAUSE_NS };
	unsigned int attempt;

	signal(SIGALRM, SIG_DFL);
	alarm(LEAVE_S);
	while (nr_makers)
		forget(0);
	/* Children that need nobody to wait for them: until all have ended. */
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
	for (attempt = 0; has_orders && attempt < TIDY_ATTEMPTS && !user_groups_tidy(of_recorder);
	     attempt++)
		nanosleep(&pause, NULL);
	_exit(0);
}

static _Noreturn void help(int socket)
{
	struct pollfd news[MAKERS_MAX + 1];
	unsigned int i, nr;
	int wait = -1;

	helper_settle(socket);
	if (fork() == 0) {
		user_groups_prepare();
		user_groups_tidy_all();
		_exit(0);
	}
	for (;;) {
		nr = nr_makers;
		for (i = 0; i < nr; i++)
			news[i] = (struct pollfd){ .fd = makers[i].fd, .events = POLLIN };
		news[nr] = (struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN };
		if (poll(news, nr + 1, wait) < 0)
			continue;
		/* From the last on: hear() may remove it. */
		for (i = nr; i--;)
			if (news[i].revents)
				hear(i);
		if (news[nr].revents && !pass_on_order())
			leave();
		wait = help_all();
	}
}

int memory_makers_open(struct memory_makers *all, struct strata_error *error)
{
	int ends[2];

	all->socket = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return strata_fail(error, "no socket to order memory: %s", strerror(errno));
	all->helper = fork();
	if (all->helper == 0)
		help(ends[1]);
	close(ends[1]);
	if (all->helper > 0) {
		all->socket = ends[0];
		return 0;
	}
	strata_fail(error, "no process to make memory: %s", strerror(errno));
	close(ends[0]);
	return -1;
}

bool memory_makers_order(const struct memory_makers *all, const struct memory_order *order)
{
	struct memory_order sent = *order;

	sent.loop_cpu = sched_getcpu();
	return send(all->socket, &sent, sizeof(sent), MSG_NOSIGNAL | MSG_DONTWAIT) ==
	       (ssize_t)sizeof(sent);
}

bool memory_makers_answer(const struct memory_makers *all, struct memory_order *order, bool *ended)
{
	const ssize_t bytes = file_message_receive(all->socket, order, sizeof(*order),
						   &order->memory.fd, MSG_DONTWAIT);

	*ended = bytes == 0;
	if (bytes != (ssize_t)sizeof(*order))
		return false;
	/* We may have no more files. */
	if (order->memory.fd < 0 && !order->failed)
		order->failed = EMFILE;
	return true;
}

void memory_makers_close(struct memory_makers *all)
{
	if (all->socket >= 0)
		close(all->socket);
	all->socket = -1;
	/* If it has ended already. */
	if (all->helper > 0)
		waitpid(all->helper, NULL, WNOHANG);
	all->helper = 0;
}
