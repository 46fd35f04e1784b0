// SPDX-License-Identifier: GPL-2.0-or-later
/* memory_maker.c - see memory_maker.h; called by memory_makers.c. */
#include "consumerd/host/memory_maker.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "consumerd/host/file_message.h"
#include "consumerd/host/other_cpus.h"
#include "consumerd/host/user_group.h"

/* So much is made within a millisecond. */
#define SHORT_BYTES ((size_t)4 << 20)

/* How long memory waits for the next program: other users' programs wait for room longer. */
#define AHEAD_MS 2000

/* How long after it could not enter its group a maker tries again. */
#define ENTER_AGAIN_MS 50

/* More is not made ahead. */
#define AHEAD_BYTES_MAX ((size_t)16 << 20)

/* What a group may use besides its share: memory made ahead, the maker's own, and what the kernel
 * has beside the pages of rings. */
#define SMALL_CHANGE ((uint64_t)AHEAD_BYTES_MAX + ((uint64_t)8 << 20))

struct maker {
	int helper; /* orders come from there */
	struct user_group group;
	/* Made ahead, for an order of that size; 0: nothing is. */
	size_t ahead_bytes;
	struct kernel_memory ahead;
};

static bool fits_beside(uint64_t used, size_t bytes, uint64_t share)
{
	return used + bytes <= SMALL_CHANGE || used + bytes - SMALL_CHANGE <= share;
}

static bool fits(const struct maker *maker, const struct memory_order *order)
{
	return fits_beside(user_group_usage(maker->group.usage), order->bytes, order->share) &&
	       fits_beside(user_group_usage(maker->group.usage_all), order->bytes,
			   order->all_shares);
}

/* Whether there is so much room that nobody misses what is made ahead. */
static bool is_roomy(const struct maker *maker, const struct memory_order *order)
{
	return user_group_usage(maker->group.usage) <= order->share / 2 &&
	       user_group_usage(maker->group.usage_all) <= order->all_shares / 2;
}

static int make(const struct maker *maker, const struct memory_order *order,
		struct kernel_memory *memory)
{
	cpu_set_t before;
	const bool moves = order->bytes > SHORT_BYTES && order->loop_cpu >= 0 &&
			   !sched_getaffinity(0, sizeof(before), &before);
	int failed;

	if (!fits(maker, order))
		return EBUSY;
	if (moves)
		other_cpus_than(order->loop_cpu);
	failed = kernel_memory_make(order->bytes, memory) ? errno : 0;
	if (moves)
		sched_setaffinity(0, sizeof(before), &before);
	return failed;
}

static void give_up_ahead(struct maker *maker)
{
	if (maker->ahead_bytes)
		close(maker->ahead.fd);
	maker->ahead_bytes = 0;
}

/* Takes what was made ahead if it has the right size, or makes it. */
static void obey(struct maker *maker, struct memory_order *order)
{
	order->failed = 0;
	order->memory.fd = -1;
	if (maker->ahead_bytes == order->bytes) {
		order->memory = maker->ahead;
		maker->ahead_bytes = 0;
		return;
	}
	give_up_ahead(maker);
	order->failed = make(maker, order, &order->memory);
}

void memory_maker_answer(int socket, struct memory_order *order)
{
	const int fd = order->memory.fd;

	order->failed |= file_message_send(socket, order, sizeof(*order), fd, MSG_NOSIGNAL);
	/* Too many descriptors are in messages, or there is no memory for another one. */
	if (fd >= 0 && order->failed)
		file_message_send(socket, order, sizeof(*order), -1, MSG_NOSIGNAL);
	if (fd >= 0)
		close(fd);
}

static void make_ahead(struct maker *maker, const struct memory_order *order)
{
	if (order->bytes <= AHEAD_BYTES_MAX && is_roomy(maker, order) &&
	    !make(maker, order, &maker->ahead))
		maker->ahead_bytes = order->bytes;
}

/* Waits for an order.  False: there will be none. */
static bool await_order(struct maker *maker, struct memory_order *order)
{
	struct pollfd news = { .fd = maker->helper, .events = POLLIN };

	if (maker->ahead_bytes && poll(&news, 1, AHEAD_MS) == 0)
		give_up_ahead(maker);
	return recv(maker->helper, order, sizeof(*order), 0) == (ssize_t)sizeof(*order);
}

static bool is_idle(const struct maker *maker)
{
	struct pollfd news = { .fd = maker->helper, .events = POLLIN };

	return poll(&news, 1, 0) == 0;
}

static bool say(const struct maker *maker, char word)
{
	return send(maker->helper, &word, sizeof(word), MSG_NOSIGNAL) == sizeof(word);
}

/*
 * Enters the user's group, as soon as that is possible: until then the helper answers orders
 * itself, as far as the user's share goes.  1; 0: no groups are possible here; -1: no order will
 * come.
 */
static int enter(struct maker *maker, uint32_t recorder, uint32_t user)
{
	struct pollfd end = { .fd = maker->helper, .events = 0 };
	int entered;

	while ((entered = user_group_join(&maker->group, recorder, user)) < 0)
		if (poll(&end, 1, ENTER_AGAIN_MS) != 0)
			break;
	return entered;
}

void memory_maker_make_one(int answers, struct memory_order *order)
{
	struct maker maker = { .group = { .usage = -1, .usage_all = -1 } };

	obey(&maker, order);
	memory_maker_answer(answers, order);
}

void memory_maker_run(int answers, int helper, uint32_t recorder, uint32_t user)
{
	struct maker maker = { .helper = helper, .group = { .usage = -1, .usage_all = -1 } };
	struct memory_order order;
	int entered = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (user != MEMORY_OF_NO_USER)
		entered = enter(&maker, recorder, user);
	if (entered < 0)
		return;
	say(&maker, MEMORY_MAKER_ENTERED);
	while (await_order(&maker, &order)) {
		obey(&maker, &order);
		order.uncounted = user != MEMORY_OF_NO_USER && !entered;
		memory_maker_answer(answers, &order);
		if (!say(&maker, MEMORY_MAKER_DONE))
			return;
		if (!maker.ahead_bytes && !order.failed && is_idle(&maker))
			make_ahead(&maker, &order);
	}
}
