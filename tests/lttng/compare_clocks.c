// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compare_clocks.c - two machines compare their clocks over memory that they share, apart from all
 *TCP: what an estimate of the distance between their clocks is checked against.
 *
 *	compare_clocks lead FILE      asks every now and then until SIGTERM, and prints what it
 *learns compare_clocks follow FILE    answers
 *
 * FILE is the shared memory: a PCI device's. CLOCK_MONOTONIC is compared, which is what LTTng
 *stamps events with. A line is "BEFORE OTHER AFTER" in ns: when this clock showed BEFORE the other
 *did not show OTHER yet, and when it showed AFTER the other no longer did. Of many exchanges in one
 *burst the narrowest is printed.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SHARED_BYTES    4096
#define EXCHANGES       200
#define PAUSE_NS        100000000
#define POLL_NS         1000000
#define BURST_NS        5000000
#define ANSWER_LIMIT_NS 200000000

/* Each word has one writer. A request and its answer carry the same number; 0 was never asked. */
struct shared {
	uint32_t bursts; /* the leader's: how many it has begun */
	uint32_t ready;  /* the follower's: the last of them that it has seen */
	uint32_t request;
	uint32_t answer;
	uint64_t time_ns; /* the follower's clock; written before the answer, read after it */
};

static volatile sig_atomic_t ended;

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void rest(long ns)
{
	const struct timespec pause = { 0, ns };

	nanosleep(&pause, NULL);
}

static uint32_t load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void store(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

/* Waits until *word is value, but not for ever: 0 when it is. */
static int wait_for(const uint32_t *word, uint32_t value)
{
	const uint64_t limit = now_ns() + ANSWER_LIMIT_NS;

	while (load(word) != value)
		if (now_ns() > limit)
			return -1;
	return 0;
}

static void lead_burst(struct shared *shared)
{
	uint64_t best = UINT64_MAX, best_before = 0, best_other = 0;
	const uint64_t until = now_ns() + BURST_NS;
	uint32_t i;

	store(&shared->bursts, shared->bursts + 1);
	if (wait_for(&shared->ready, shared->bursts))
		return;
	for (i = 0; i < EXCHANGES && now_ns() < until; i++) {
		const uint64_t before = now_ns();
		uint64_t after;

		store(&shared->request, shared->request + 1);
		if (wait_for(&shared->answer, shared->request))
			break;
		after = now_ns();
		if (after - before < best) {
			best = after - before;
			best_before = before;
			best_other = shared->time_ns;
		}
	}
	if (best != UINT64_MAX)
		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", best_before, best_other,
		       best_before + best);
}

/* Answers until the burst is over. */
static void follow_burst(struct shared *shared)
{
	const uint64_t until = now_ns() + BURST_NS + BURST_NS / 4;

	store(&shared->ready, load(&shared->bursts));
	while (now_ns() < until) {
		const uint32_t request = load(&shared->request);

		if (request == shared->answer)
			continue;
		shared->time_ns = now_ns();
		store(&shared->answer, request);
	}
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = end };
	struct shared *shared;
	int fd;

	if (argc != 3 || (strcmp(argv[1], "lead") && strcmp(argv[1], "follow")))
		errx(2, "usage: compare_clocks lead|follow FILE");
	fd = open(argv[2], O_RDWR);
	shared = fd < 0 ? MAP_FAILED
			: mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		err(1, "%s", argv[2]);
	sigaction(SIGTERM, &action, NULL);
	while (!ended) {
		if (!strcmp(argv[1], "lead")) {
			lead_burst(shared);
			rest(PAUSE_NS);
		} else if (load(&shared->bursts) != shared->ready) {
			follow_burst(shared);
		} else {
			rest(POLL_NS);
		}
	}
	return 0;
}
