// SPDX-License-Identifier: GPL-2.0-or-later
/* app_wake.c - see app_wake.h. */
#include "consumerd/apps/app_wake.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <strata/abi/app.h>

#include "base/clock.h"

#include "consumerd/apps/app_search.h"
#include "consumerd/apps/app_user_page.h"
#include "consumerd/host/own_proc.h"
#include "consumerd/host/proc_text.h"

/* Limit of users remembered as slow; the processes of others come first. */
#define SLOW_USERS_MAX WAKE_CHILDREN_MAX

#define ANSWER_STEP_NS 1000000

/* How long one user's processes are searched, to be called or to be listed. */
#define SEARCH_USER_MS 30000u
#define LIST_USER_MS   2000u

/* The most that Linux has. */
#define PIDS_MAX (4u << 20)

/* Written only by the child while it runs, and only by us while it does not. */
struct app_wake_progress {
	uint64_t steps;
	uint32_t uid; /* whose process it looks at */
	pid_t pid;    /* that process; 0: none */
	bool no_rights;
	bool said;       /* the missing rights were reported */
	uint32_t others; /* programs with another version of libstrata ... */
	pid_t other;     /* ... and the last of them */
	uint32_t others_said;
	uint32_t crowded;     /* users whose time was used up ... */
	uint32_t crowded_uid; /* ... and the last of them */
	uint32_t crowded_said;
	uint32_t slow[SLOW_USERS_MAX];
	uint32_t nr_slow;
	/* Processes that blocked the child, which are left out from then on. */
	pid_t skipped[SLOW_USERS_MAX];
	uint8_t listed[PIDS_MAX / 8]; /* a bit for each */
};

/* No user: no process is to be blamed where the child waits without one. */
#define NOBODY UINT32_MAX

struct called_page {
	struct app_page page;
	struct app_process process;
};

/* The pages of the programs that were called. */
struct called {
	struct called_page *pages;
	size_t nr;
};

/* How often a user's processes have blocked the child. */
static uint32_t times_slow(const struct app_wake_progress *progress, uint32_t uid)
{
	uint32_t i, times = 0;

	for (i = 0; i < progress->nr_slow; i++)
		times += progress->slow[i] == uid;
	return times;
}

static uint32_t user_ms(const struct app_wake *wake)
{
	return wake->lists ? LIST_USER_MS : SEARCH_USER_MS;
}

/* Whether that process has blocked the child.  Its pid may be another user's process now. */
static bool is_skipped(const struct app_wake_progress *progress, const struct app_process *process)
{
	uint32_t i;

	for (i = 0; i < progress->nr_slow; i++)
		if (progress->skipped[i] == process->pid && progress->slow[i] == process->uid)
			return true;
	return false;
}

/* Whether a process is a child that was killed, and has not ended: it keeps the pages of programs
 * that it has called. */
static bool is_killed(const struct app_wake *wake, pid_t pid)
{
	unsigned int i;

	for (i = 0; i < wake->nr_killed; i++)
		if (wake->killed[i] == pid)
			return true;
	return false;
}

static void step(struct app_wake_progress *progress, uint32_t uid, pid_t pid)
{
	strata_write_once(&progress->uid, uid);
	strata_write_once(&progress->pid, pid);
	/* Release: pairs with app_wake_tend(), which then blames the right process. */
	strata_store_release(&progress->steps, progress->steps + 1);
}

/* Remembers a called page, to wait for its answer; out of memory, it does not wait for it. */
static void remember(struct called *called, const struct app_process *process,
		     struct app_page *page)
{
	struct called_page *pages = reallocarray(called->pages, called->nr + 1, sizeof(*pages));

	if (!pages) {
		app_page_close(page);
		return;
	}
	called->pages = pages;
	pages[called->nr++] = (struct called_page){ .page = *page, .process = *process };
}

/* The child's work, and its progress. */
struct calls {
	const struct app_wake *wake;
	struct app_wake_progress *progress;
	struct called called;
	uint32_t nr_of_user;           /* programs that wait, and whose pages only root may open */
	struct app_process *connected; /* in order */
	size_t nr_connected;
};

static int by_pid(const void *a, const void *b)
{
	const struct app_process *one = a, *other = b;

	if (one->pid != other->pid)
		return one->pid < other->pid ? -1 : 1;
	return one->uid < other->uid ? -1 : one->uid > other->uid;
}

/* Of a thousand programs that are recorded, none has to be read, or to answer. */
static void find_connected(struct calls *calls)
{
	const struct app_wake *wake = calls->wake;

	if (wake->connected)
		calls->connected = wake->connected(wake->data, &calls->nr_connected);
	if (calls->connected)
		qsort(calls->connected, calls->nr_connected, sizeof(*calls->connected), by_pid);
}

/* A connection may outlive the process that made it, if another one has its socket; then its pid
 * may be another user's process now. */
static bool is_connected(const struct calls *calls, const struct app_process *process)
{
	return calls->connected && bsearch(process, calls->connected, calls->nr_connected,
					   sizeof(*calls->connected), by_pid);
}

static bool skips(void *data, const struct app_process *process)
{
	const struct calls *calls = data;

	/* It keeps pages of programs that it has called, but has no such page itself. */
	return process->pid == getpid() || is_killed(calls->wake, process->pid) ||
	       is_connected(calls, process) || is_skipped(calls->progress, process) ||
	       times_slow(calls->progress, process->uid) * WAKE_STUCK_MS >= user_ms(calls->wake);
}

static bool comes_last(void *data, uint32_t uid)
{
	const struct calls *calls = data;

	return times_slow(calls->progress, uid) > 0;
}

static void reads(void *data, const struct app_process *process)
{
	const struct calls *calls = data;

	step(calls->progress, process->uid, process->pid);
}

/* It may have several pages, and a child before this one may have listed it. */
static void list(struct calls *calls, const struct app_process *process)
{
	struct app_wake_progress *progress = calls->progress;
	uint8_t *bits = &progress->listed[(uint32_t)process->pid % PIDS_MAX / 8];
	const uint8_t bit = (uint8_t)(1u << process->pid % 8);

	if (*bits & bit)
		return;
	*bits |= bit;
	calls->wake->lists(process);
}

static void note_other(struct app_wake_progress *progress, pid_t pid)
{
	strata_write_once(&progress->other, pid);
	/* Release: pairs with say_others(). */
	strata_store_release(&progress->others, progress->others + 1);
}

static void call(void *data, const struct app_process *process, const struct app_page_place *place)
{
	struct calls *calls = data;
	struct app_page page;
	enum app_call result;

	if (calls->wake->lists) {
		list(calls, process);
		return;
	}
	result = app_page_call(process->pid, place, &page);
	if (result == APP_CALLED)
		remember(&calls->called, process, &page);
	else if (result == APP_NO_RIGHTS && geteuid())
		calls->nr_of_user++;
	else if (result == APP_NO_RIGHTS)
		strata_write_once(&calls->progress->no_rights, true);
	else if (result == APP_OTHER_VERSION)
		note_other(calls->progress, process->pid);
}

static void give_up(void *data, uint32_t uid)
{
	const struct calls *calls = data;

	strata_write_once(&calls->progress->crowded_uid, uid);
	/* Release: pairs with say_crowded(). */
	strata_store_release(&calls->progress->crowded, calls->progress->crowded + 1);
}

/* The read of a page may block: its process is to be blamed then. */
static bool has_answered(struct app_wake_progress *progress, const struct called_page *called)
{
	step(progress, called->process.uid, called->process.pid);
	return app_page_answered(&called->page);
}

static void await_answers(struct app_wake_progress *progress, const struct called *called)
{
	const struct timespec pause = { .tv_nsec = ANSWER_STEP_NS };
	uint64_t begin = clock_now_ms(CLOCK_MONOTONIC);
	size_t answered = 0;

	while (clock_now_ms(CLOCK_MONOTONIC) - begin < WAKE_ANSWER_MS) {
		while (answered < called->nr && has_answered(progress, &called->pages[answered]))
			answered++;
		if (answered == called->nr)
			return;
		step(progress, NOBODY, 0);
		nanosleep(&pause, NULL);
	}
}

/* Calls our own programs, which root alone may call one by one. */
static void call_own(struct calls *calls)
{
	const struct timespec pause = { .tv_nsec = ANSWER_STEP_NS };
	struct app_user_page user;
	struct strata_error error;
	uint64_t begin = clock_now_ms(CLOCK_MONOTONIC);

	step(calls->progress, NOBODY, 0);
	if (app_user_page_call(&user, &error)) {
		fprintf(stderr, "strata: running applications cannot be woken: %s\n", error.text);
		return;
	}
	while (app_user_page_answers(&user) < calls->nr_of_user &&
	       clock_now_ms(CLOCK_MONOTONIC) - begin < WAKE_ANSWER_MS) {
		step(calls->progress, NOBODY, 0);
		nanosleep(&pause, NULL);
	}
	if (app_user_page_answers(&user) < calls->nr_of_user)
		strata_write_once(&calls->progress->no_rights, true);
	app_user_page_close(&user);
}

/* The child. It inherits only the standard files and the shared progress. */
static _Noreturn void call_all(const struct app_wake *wake, pid_t recorder)
{
	struct calls calls = { .wake = wake, .progress = wake->progress };
	const struct app_search search = { .data = &calls,
					   .user_ms = user_ms(wake),
					   .is_skipped = skips,
					   .comes_last = comes_last,
					   .reads = reads,
					   .finds = call,
					   .gives_up = give_up };
	struct strata_error ignored;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != recorder)
		_exit(1);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	close_range(STDERR_FILENO + 1, ~0u, 0);
	own_proc_again();
	find_connected(&calls);
	if (app_search_run(&search, &ignored))
		_exit(1);
	if (calls.nr_of_user)
		call_own(&calls);
	await_answers(wake->progress, &calls.called);
	_exit(0);
}

static int begin_child(struct app_wake *wake, struct strata_error *error)
{
	pid_t recorder = getpid(), child;

	step(wake->progress, NOBODY, 0);
	child = fork();
	if (child == 0)
		call_all(wake, recorder);
	wake->child = child > 0 ? child : 0;
	wake->looked_ms = clock_now_ms(CLOCK_MONOTONIC);
	wake->stuck_ms = 0;
	if (child < 0)
		return strata_fail(error, "running programs cannot be woken: %s", strerror(errno));
	return 0;
}

int app_wake_begin(struct app_wake *wake, struct strata_error *error)
{
	void *shared = mmap(NULL, sizeof(*wake->progress), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return strata_fail(error, "out of memory");
	wake->progress = shared;
	app_find_begin();
	return begin_child(wake, error);
}

int app_wake_again(struct app_wake *wake, struct strata_error *error)
{
	struct app_wake_progress *progress = wake->progress;

	/* Each child that is blocked takes a place of `slow`, and one of `killed`. */
	if (progress->nr_slow == SLOW_USERS_MAX)
		return strata_fail(error, "too many processes have delayed the search for "
					  "applications: those that run are not searched again");
	progress->others = progress->others_said = 0;
	/* Does not call app_find_begin(), because users can delay a process that reads its files.
	 */
	return begin_child(wake, error);
}

/* Reports that running programs cannot be called, because users will not want to restart all
 * daemons. */
static void say_no_rights(struct app_wake_progress *progress)
{
	if (strata_read_once(&progress->no_rights) && !progress->said)
		fprintf(stderr,
			"strata: running applications cannot %s; applications that start from now "
			"on are recorded\n",
			geteuid() ? "all be woken: some do not wait for their user's recorders"
				  : "be woken: /proc/PID/map_files needs root of the machine, not "
				    "of a container");
	progress->said |= progress->no_rights;
}

/* Reports users whose mappings take too long to read, so that not all of their programs are
 * called. */
static void say_crowded(const struct app_wake *wake)
{
	struct app_wake_progress *progress = wake->progress;
	/* Acquire: pairs with give_up(). */
	const uint32_t crowded = strata_load_acquire(&progress->crowded);

	if (crowded != progress->crowded_said)
		fprintf(stderr,
			"strata: the mappings of user %u's processes take too long to read: %s\n",
			strata_read_once(&progress->crowded_uid),
			wake->lists ? "not all of his programs are listed"
				    : "those of his programs that run already are not all called");
	progress->crowded_said = crowded;
}

/* Reports at the end of a search the programs that could not be called. */
static void say_others(struct app_wake_progress *progress)
{
	/* Acquire: pairs with note_other(). */
	const uint32_t others = strata_load_acquire(&progress->others);

	if (others != progress->others_said)
		fprintf(stderr,
			"strata: %u running applications, process %d the last of them, have a libstrata "
			"that does not speak version %u, as this program does, and are not recorded; "
			"build both from the same sources\n",
			others, strata_read_once(&progress->other), STRATA_APP_ABI_VERSION);
	progress->others_said = others;
}

/* Whether the child is blocked in the kernel; a child that waits for a CPU is not. */
static bool is_blocked(pid_t child)
{
	char text[512];
	const char *state = proc_text_stat(child, text, sizeof(text));

	return state && state[0] == ' ' && state[1] != 'R';
}

/*
 * Replaces a child that a user's process blocked, and that was killed: the next one knows both.  It
 * does not wait for the end of that child, which the kernel may delay for as long as that user
 * likes: killed, the child runs no instruction of ours any more.
 */
static void begin_again(struct app_wake *wake)
{
	struct app_wake_progress *progress = wake->progress;
	struct strata_error error;

	wake->killed[wake->nr_killed++] = wake->child;
	wake->child = 0;
	if (progress->nr_slow == SLOW_USERS_MAX) {
		fprintf(stderr, "strata: too many processes delay the search for applications: "
				"some running applications are not recorded\n");
		return;
	}
	progress->slow[progress->nr_slow] = progress->uid;
	progress->skipped[progress->nr_slow++] = progress->pid;
	if (progress->uid != NOBODY && (wake->lists || wake->names_blocked))
		fprintf(stderr,
			"strata: user %u's process %d cannot be looked at: it is not listed\n",
			progress->uid, progress->pid);
	if (begin_child(wake, &error))
		fprintf(stderr, "strata: %s\n", error.text);
}

/* Whether a child has ended.  A wait for all of our children may have reaped it. */
static bool reap(pid_t child)
{
	pid_t ended = waitpid(child, NULL, WNOHANG);

	return ended == child || (ended < 0 && errno == ECHILD);
}

/* Those that have not ended when we end are reaped by init. */
static void reap_killed(struct app_wake *wake)
{
	unsigned int i = 0;

	while (i < wake->nr_killed) {
		if (reap(wake->killed[i]))
			wake->killed[i] = wake->killed[--wake->nr_killed];
		else
			i++;
	}
}

/* Whether the child has been blocked for so long that it is replaced. */
static bool is_stuck(struct app_wake *wake)
{
	/* Acquire: pairs with step(). */
	const uint64_t steps = strata_load_acquire(&wake->progress->steps);
	const uint64_t looked_ms = clock_now_ms(CLOCK_MONOTONIC),
		       since_ms = looked_ms - wake->looked_ms;

	wake->looked_ms = looked_ms;
	if (steps != wake->steps || !is_blocked(wake->child)) {
		wake->steps = steps;
		wake->stuck_ms = 0;
		return false;
	}
	/* The machine may have stood still since the last look, and the child with it. */
	wake->stuck_ms += since_ms < WAKE_LOOK_MS ? since_ms : WAKE_LOOK_MS;
	return wake->stuck_ms > WAKE_STUCK_MS;
}

void app_wake_tend(struct app_wake *wake)
{
	reap_killed(wake);
	if (!wake->child)
		return;
	say_no_rights(wake->progress);
	say_crowded(wake);
	if (reap(wake->child)) {
		wake->child = 0;
		say_no_rights(wake->progress);
		say_crowded(wake);
		say_others(wake->progress);
		return;
	}
	if (is_stuck(wake)) {
		kill(wake->child, SIGKILL);
		begin_again(wake);
	}
}

bool app_wake_settled(const struct app_wake *wake)
{
	return !wake->child;
}

void app_wake_end(struct app_wake *wake)
{
	/* A running child has a number. If it cannot be reaped yet, init reaps it after we end. */
	if (wake->child && !reap(wake->child)) {
		kill(wake->child, SIGKILL);
		reap(wake->child);
	}
	reap_killed(wake);
	if (wake->progress)
		munmap(wake->progress, sizeof(*wake->progress));
	wake->child = 0;
	wake->progress = NULL;
}
