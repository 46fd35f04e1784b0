// SPDX-License-Identifier: GPL-2.0-or-later
/* torture_run.c - see torture.h: writers, what disturbs them, and the balance. */
#include "torture.h"

#define AUDIT_LEVELS (TORTURE_THREADS_MAX * TORTURE_DEPTH_MAX)

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <strata/platform/platform.h>

/* So fast that pauses come which a short header does not span. */
#define CLOCK_SHIFT 12

static __thread uint64_t clock_showed;

static uint64_t fast_clock(void)
{
	return clock_showed = strata_clock() << CLOCK_SHIFT;
}

#define strata_clock() fast_clock()
#define AUDIT_TICKS()  clock_showed

#include "record_audit.h"
#include "thread_tools.h"

#define SIGNAL         SIGUSR1
#define SIGNAL_NS      300000
#define RAISE_ONE_IN   64u /* records of a thread; of a handler every other one is interrupted */
#define MOVE_US        100u
#define LOOK_EVERY     8192u /* attempts of a thread */
#define MOVE_CPUS      ((unsigned int)CPU_SETSIZE)
#define WORDS_MAX      8u
#define SLOW_PACKETS   60u
#define SLOW_US        2000u
#define VANISH_PACKETS 60u

struct writer {
	pthread_t thread;
	pid_t tid;
	unsigned int index;
	unsigned int moved; /* how often it was */
	uint32_t random;
	volatile sig_atomic_t depth;
};

/* Shared with readers that are processes. */
struct shared {
	struct ring_fixture fixtures[TORTURE_RINGS_MAX];
	struct record_audit audits[TORTURE_RINGS_MAX]; /* the first keeps the books */
	bool writers_done;
	unsigned long looks; /* of readers at all rings */
};

static const struct torture_plan *plan;
static struct shared *shared;
static struct writer writers[TORTURE_THREADS_MAX];
static __thread struct writer *self;
static uint32_t attempts_each, capacity;
static uint64_t moves, readers_gone;
static uint32_t mover_random;

static uint32_t draw(uint32_t *random)
{
	/* Torn by a nested writer it is no less random. */
	*random = *random * 1664525u + 1013904223u;
	return *random >> 8;
}

static void sleep_us(unsigned int us)
{
	const struct timespec time = { 0, (long)us * 1000 };

	nanosleep(&time, NULL);
}

static double seconds_of(const struct timespec *time)
{
	return (double)time->tv_sec + (double)time->tv_nsec / 1e9;
}

/* However few CPUs there are, and whoever else is on them: readers have their turn.  The look that
 * is under way may have passed our ring. */
static void let_reader_look(void)
{
	unsigned long before = __atomic_load_n(&shared->looks, __ATOMIC_ACQUIRE);

	while (__atomic_load_n(&shared->looks, __ATOMIC_ACQUIRE) < before + 2)
		sleep_us(50);
}

/* One record, to the ring of the CPU that we were on a moment ago; or of the one that we would have
 * been moved to, where there are fewer CPUs than rings. */
static void write_one(struct writer *writer)
{
	unsigned int cpu = (unsigned int)sched_getcpu() + strata_read_once(&writer->moved);
	struct strata_ring *ring = shared->fixtures[cpu % plan->rings].ring;
	uint32_t level = writer->index * TORTURE_DEPTH_MAX + (uint32_t)writer->depth;
	uint32_t what = draw(&writer->random);
	struct strata_slot slot;

	if (shared->audits[0].next[level] >= capacity)
		return;
	if (plan->flush_every && what % plan->flush_every == 0)
		strata_ring_flush(ring);
	if (!audited_reserve(&shared->audits[0], ring, level, what >> 7 & (WORDS_MAX - 1), &slot)) {
		/* Unless the reader is to be outrun. */
		if (writer->depth == 0 && plan->reader != READER_SLOW)
			let_reader_look();
		return;
	}
	if (plan->depth > 1 && what % (writer->depth ? 2 : RAISE_ONE_IN) == 0)
		raise(SIGNAL);
	strata_ring_commit(ring, &slot);
}

static void handle_signal(int number)
{
	const uint64_t showed = clock_showed;
	struct writer *writer = self;
	int error = errno;

	(void)number;
	if (writer->depth + 1 >= (int)plan->depth)
		return;
	writer->depth++;
	write_one(writer);
	write_one(writer);
	writer->depth--;
	clock_showed = showed;
	errno = error;
}

static void *writes(void *argument)
{
	struct writer *writer = argument;
	uint32_t *next = &shared->audits[0].next[writer->index * TORTURE_DEPTH_MAX];
	sigset_t signals;
	timer_t timer = NULL;

	self = writer;
	sigemptyset(&signals);
	sigaddset(&signals, SIGNAL);
	if (plan->depth > 1) {
		timer = thread_timer(SIGNAL, SIGNAL_NS + writer->index * 7919);
		pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
	}
	__atomic_store_n(&writer->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	while (*next < attempts_each) {
		write_one(writer);
		if (plan->reader != READER_SLOW && *next % LOOK_EVERY == 0)
			let_reader_look();
	}
	/* Who moves threads may not have had its turn. */
	while (!__atomic_load_n(&moves, __ATOMIC_ACQUIRE))
		sleep_us(50);
	if (plan->depth > 1) {
		pthread_sigmask(SIG_BLOCK, &signals, NULL);
		timer_delete(timer);
	}
	/* No longer to be moved; the number may soon be another's. */
	__atomic_store_n(&writer->tid, 0, __ATOMIC_RELEASE);
	return NULL;
}

/* Moves threads that run, wherever they are, to another CPU. */
static void *moves_threads(void *argument)
{
	struct writer *writer;
	cpu_set_t ours, set;
	unsigned int cpu;
	pid_t tid;

	(void)argument;
	if (sched_getaffinity(0, sizeof(ours), &ours))
		abort();
	while (!__atomic_load_n(&shared->writers_done, __ATOMIC_ACQUIRE)) {
		writer = &writers[draw(&mover_random) % plan->threads];
		tid = __atomic_load_n(&writer->tid, __ATOMIC_ACQUIRE);
		do
			cpu = draw(&mover_random) % MOVE_CPUS;
		while (!CPU_ISSET(cpu, &ours));
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		/* 0 would be ourselves. */
		if (tid && !sched_setaffinity(tid, sizeof(set), &set)) {
			strata_write_once(&writer->moved, writer->moved + 1);
			__atomic_add_fetch(&moves, 1, __ATOMIC_RELEASE);
		}
		sleep_us(MOVE_US);
	}
	return NULL;
}

/* Takes what is ready in one ring.  @patience counts down; at 0 the reader vanishes. */
static unsigned int take(unsigned int index, unsigned int *patience)
{
	struct strata_ring_reader *reader = &shared->fixtures[index].reader;
	unsigned int packets = 0;

	while (packets < SLOW_PACKETS && strata_reader_get(reader)) {
		if (patience && --*patience == 0)
			kill(getpid(), SIGKILL);
		audit_packet(&shared->audits[index], strata_reader_subbuf(reader));
		strata_reader_put(reader);
		packets++;
	}
	return packets;
}

/* What all rings refused. */
static uint64_t lost_so_far(void)
{
	uint64_t lost = 0;
	unsigned int i, kind;

	for (i = 0; i < plan->rings; i++)
		for (kind = 0; kind < STRATA_NR_LOST; kind++)
			lost += strata_read_once(&shared->fixtures[i].ring->lost[kind]);
	return lost;
}

/* Lets itself be outrun, however slow the writers are. */
static void be_slow(void)
{
	uint64_t before = lost_so_far();

	do
		sleep_us(SLOW_US);
	while (!plan->overwrite && lost_so_far() == before &&
	       !__atomic_load_n(&shared->writers_done, __ATOMIC_ACQUIRE));
}

static void take_until_done(unsigned int *patience)
{
	unsigned int i, packets, taken = 0;

	while (!__atomic_load_n(&shared->writers_done, __ATOMIC_ACQUIRE)) {
		for (i = packets = 0; i < plan->rings; i++)
			packets += take(i, patience);
		__atomic_add_fetch(&shared->looks, 1, __ATOMIC_RELEASE);
		taken += packets;
		if (plan->reader == READER_SLOW && taken >= SLOW_PACKETS) {
			be_slow();
			taken = 0;
		} else if (!packets) {
			sched_yield();
		}
	}
}

static void *reads(void *argument)
{
	(void)argument;
	take_until_done(NULL);
	return NULL;
}

/* A reader begins where another was, from what lies in shared memory alone. */
static void take_over(void)
{
	unsigned int i;

	for (i = 0; i < plan->rings; i++) {
		struct ring_fixture *fixture = &shared->fixtures[i];

		if (strata_reader_init(&fixture->reader, plan->geo, fixture->writer_area,
				       fixture->reader_area, fixture->data) != STRATA_READER_OK)
			abort();
		fixture->reader.overwrite = plan->overwrite;
		strata_reader_resume(&fixture->reader);
	}
}

/* Starts one reader after the other. */
static void *replaces_readers(void *argument)
{
	unsigned int patience, seed = 1;
	int status;
	pid_t pid;

	(void)argument;
	while (!__atomic_load_n(&shared->writers_done, __ATOMIC_ACQUIRE)) {
		pid = fork();
		if (pid < 0)
			abort();
		if (pid == 0) {
			patience = 1 + draw(&seed) % VANISH_PACKETS;
			take_over();
			take_until_done(&patience);
			_exit(0);
		}
		draw(&seed);
		if (waitpid(pid, &status, 0) != pid)
			abort();
		readers_gone += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	}
	take_over();
	return NULL;
}

static void open_rings(uint64_t events, uint32_t seed)
{
	unsigned int i;

	shared = audit_memory(sizeof(*shared));
	attempts_each = (uint32_t)(events / plan->threads);
	capacity = attempts_each + 1000;
	for (i = 0; i < plan->rings; i++) {
		/* Each form of header has its turn, in the rings and from seed to seed. */
		shared->fixtures[i].form =
			(enum strata_header_form)((seed + i) % STRATA_NR_HEADER_FORMS);
		/* All wrap in the run, each at another time. */
		ring_fixture_open(&shared->fixtures[i], plan->geo, wraps_after(plan->geo, 2 + i));
		shared->fixtures[i].ring->overwrite = plan->overwrite;
		shared->fixtures[i].reader.overwrite = plan->overwrite;
		if (i)
			audit_open_beside(&shared->audits[i], &shared->audits[0],
					  shared->fixtures[i].ring);
		else
			audit_open(&shared->audits[i], shared->fixtures[i].ring, capacity);
	}
}

static void balance(struct torture_report *report)
{
	struct record_audit *books = &shared->audits[0];
	uint64_t counted = 0;
	unsigned int i;

	for (i = 0; i < plan->rings; i++) {
		counted += audit_balance_ring(&shared->audits[i], &shared->fixtures[i]);
		report->found += shared->audits[i].records;
		report->packets += shared->audits[i].packets;
		report->wraps += shared->fixtures[i].ring->write_count < (strata_count_t)-1 / 2;
	}
	audit_balance_books(books, counted);
	report->lost = counted;
	for (i = 0; i < AUDIT_LEVELS; i++) {
		report->attempts += books->next[i];
		report->at_depth[i % TORTURE_DEPTH_MAX] += books->next[i];
	}
	for (i = 0; i < plan->rings; i++) {
		if (shared->audits[i].errors && !report->errors)
			memcpy(report->first_error, shared->audits[i].first_error,
			       sizeof(report->first_error));
		report->errors += shared->audits[i].errors;
	}
}

static void close_rings(void)
{
	unsigned int i;

	for (i = 0; i < plan->rings; i++) {
		ring_fixture_close(&shared->fixtures[i]);
		if (i)
			audit_close_beside(&shared->audits[i]);
	}
	audit_close(&shared->audits[0]);
	munmap(shared, sizeof(*shared));
}

static void start(pthread_t *thread, void *(*does)(void *), void *argument)
{
	if (pthread_create(thread, NULL, does, argument))
		abort();
}

static void run_threads(uint32_t seed)
{
	pthread_t reader, mover;
	unsigned int i;

	moves = readers_gone = 0;
	mover_random = seed;
	start(&reader, plan->reader == READER_VANISHES ? replaces_readers : reads, NULL);
	for (i = 0; i < plan->threads; i++) {
		writers[i] = (struct writer){ .index = i, .random = seed * 2654435761u + i };
		start(&writers[i].thread, writes, &writers[i]);
	}
	start(&mover, moves_threads, NULL);
	for (i = 0; i < plan->threads; i++)
		pthread_join(writers[i].thread, NULL);
	__atomic_store_n(&shared->writers_done, true, __ATOMIC_RELEASE);
	pthread_join(mover, NULL);
	pthread_join(reader, NULL);
}

void torture_run(const struct torture_plan *the_plan, uint64_t events, uint32_t seed,
		 struct torture_report *report)
{
	struct sigaction action = { .sa_handler = handle_signal, .sa_flags = SA_NODEFER }, before;
	struct timespec began, ended, cpu_began, cpu_ended;
	sigset_t signals, mask;

	plan = the_plan;
	memset(report, 0, sizeof(*report));
	open_rings(events, seed);
	/* Blocked but in the writers; what is pending when those end is ignored. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGNAL);
	pthread_sigmask(SIG_BLOCK, &signals, &mask);
	sigaction(SIGNAL, &action, &before);
	clock_gettime(CLOCK_MONOTONIC, &began);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu_began);
	run_threads(seed);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu_ended);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	signal(SIGNAL, SIG_IGN);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGNAL, &before, NULL);

	balance(report);
	report->moves = moves;
	report->readers = readers_gone;
	report->seconds = seconds_of(&ended) - seconds_of(&began);
	report->cpu_seconds = seconds_of(&cpu_ended) - seconds_of(&cpu_began);
	close_rings();
}
