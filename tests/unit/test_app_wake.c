// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls of a recorder to programs that wait: which programs it calls, in which order, and what can
 * hold it up. */
#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <strata/abi/app.h>

#include "consumerd/apps/app_find.h"
#include "consumerd/apps/app_search.h"
#include "consumerd/apps/app_wake.h"

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* Generous: nothing here depends on it. */
#define LIMIT_TURNS 60000u

/* A search that has slept as often since its call waits for the answer: nothing else in it sleeps
 * more than once or twice. */
#define WAIT_SLEEPS 10u

static struct strata_app_wait *make_page(const char *name, size_t bytes, int seals, uint32_t magic)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct strata_app_wait *page;

	assert_int_not_equal(fd, -1);
	assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
	if (seals)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	page = mmap(NULL, STRATA_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(page, MAP_FAILED);
	assert_int_equal(madvise(page, STRATA_PAGE_BYTES, MADV_DONTFORK), 0);
	page->magic = magic;
	page->version = STRATA_APP_ABI_VERSION;
	/* As if it had answered: the search does not wait for that. */
	page->answered = 1000;
	close(fd);
	return page;
}

/* A page as libstrata makes it. */
static struct strata_app_wait *make_true_page(void)
{
	return make_page(STRATA_APP_WAIT_NAME, STRATA_PAGE_BYTES, SEALS, STRATA_APP_WAIT_MAGIC);
}

static void pause_briefly(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	nanosleep(&pause, NULL);
}

static void tend_until_settled(struct app_wake *wake)
{
	unsigned int turns = 0;

	while (!app_wake_settled(wake)) {
		assert_true(turns++ < LIMIT_TURNS);
		app_wake_tend(wake);
		pause_briefly();
	}
}

static void call_all(void)
{
	struct app_wake wake = { .child = 0 };
	struct strata_error error;

	assert_int_equal(app_wake_begin(&wake, &error), 0);
	tend_until_settled(&wake);
	app_wake_end(&wake);
}

static void a_page_that_waits_is_called_once(void **state)
{
	struct strata_app_wait *page = make_true_page();

	(void)state;
	call_all();
	assert_int_equal(page->calls, 1);
	call_all();
	assert_int_equal(page->calls, 2);
	munmap(page, STRATA_PAGE_BYTES);
}

static void what_is_not_such_a_page_is_left_alone(void **state)
{
	static const struct {
		const char *name;
		size_t bytes;
		int seals;
		uint32_t magic;
	} wrong[] = {
		{ "other", STRATA_PAGE_BYTES, SEALS, STRATA_APP_WAIT_MAGIC },
		{ STRATA_APP_WAIT_NAME, STRATA_PAGE_BYTES, 0, STRATA_APP_WAIT_MAGIC },
		{ STRATA_APP_WAIT_NAME, STRATA_PAGE_BYTES, F_SEAL_GROW, STRATA_APP_WAIT_MAGIC },
		{ STRATA_APP_WAIT_NAME, 2 * STRATA_PAGE_BYTES, SEALS, STRATA_APP_WAIT_MAGIC },
		{ STRATA_APP_WAIT_NAME, STRATA_PAGE_BYTES, SEALS, STRATA_APP_WAIT_MAGIC + 1 },
	};
	struct strata_app_wait *page;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		page = make_page(wrong[i].name, wrong[i].bytes, wrong[i].seals, wrong[i].magic);
		call_all();
		assert_int_equal(page->calls, 0);
		munmap(page, STRATA_PAGE_BYTES);
	}
}

/* Its words mean something else. */
static void a_page_of_another_version_is_left_alone(void **state)
{
	struct strata_app_wait *page = make_true_page();

	(void)state;
	page->version = 1;
	call_all();
	assert_int_equal(page->calls, 0);
	munmap(page, STRATA_PAGE_BYTES);
}

static void a_program_that_is_called_again_is_called_twice(void **state)
{
	struct strata_app_wait *page = make_true_page();
	struct app_wake wake = { .child = 0 };
	struct strata_error error;

	(void)state;
	assert_int_equal(app_wake_begin(&wake, &error), 0);
	tend_until_settled(&wake);
	assert_int_equal(app_wake_again(&wake, &error), 0);
	tend_until_settled(&wake);
	app_wake_end(&wake);
	assert_int_equal(page->calls, 2);
	munmap(page, STRATA_PAGE_BYTES);
}

/* These are connected: others, and this one, as a process of that user. */
static struct app_process *list_some(const void *data, size_t *nr)
{
	const uint32_t *user = data;
	struct app_process *list = calloc(4, sizeof(*list));

	if (!list)
		return NULL;
	list[0].pid = 0x7ffffff0;
	list[1] = (struct app_process){ .pid = getppid(), .uid = *user };
	list[2].pid = 0x7ffffff2;
	*nr = 3;
	return list;
}

static void a_program_that_is_connected_is_not_called(void **state)
{
	struct strata_app_wait *page = make_true_page();
	uint32_t user = geteuid();
	struct app_wake wake = { .connected = list_some, .data = &user };
	struct strata_error error;

	(void)state;
	assert_int_equal(app_wake_begin(&wake, &error), 0);
	tend_until_settled(&wake);
	assert_int_equal(page->calls, 0);
	/* A pid that was another user's. */
	user = 61001;
	assert_int_equal(app_wake_again(&wake, &error), 0);
	tend_until_settled(&wake);
	app_wake_end(&wake);
	assert_int_equal(page->calls, 1);
	munmap(page, STRATA_PAGE_BYTES);
}

static void a_program_that_does_not_answer_is_not_waited_for_for_ever(void **state)
{
	struct strata_app_wait *page = make_true_page();

	(void)state;
	page->answered = 0;
	call_all();
	assert_int_equal(page->calls, 1);
	munmap(page, STRATA_PAGE_BYTES);
}

/* How often a process has slept. */
static unsigned long sleeps(pid_t process)
{
	static const char key[] = "voluntary_ctxt_switches:";
	char path[64], line[256];
	unsigned long count = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", process);
	status = fopen(path, "r");
	assert_non_null(status);
	while (fgets(line, sizeof(line), status))
		if (strncmp(line, key, sizeof(key) - 1) == 0)
			count = strtoul(line + sizeof(key) - 1, NULL, 10);
	fclose(status);
	return count;
}

/* Begins a search, and stops it while it waits for the answer of the program that it has called.
 * Returns its process. */
static pid_t begin_and_stop(struct app_wake *wake, struct strata_app_wait *page)
{
	struct strata_error error;
	unsigned long called_at;
	unsigned int turns = 0;

	page->answered = 0;
	assert_int_equal(app_wake_begin(wake, &error), 0);
	while (!strata_read_once(&page->calls)) {
		assert_true(turns++ < LIMIT_TURNS);
		pause_briefly();
	}
	/* Until it waits, the program that it has called would be blamed for the stop. */
	called_at = sleeps(wake->child);
	while (sleeps(wake->child) < called_at + WAIT_SLEEPS) {
		assert_true(turns++ < LIMIT_TURNS);
		pause_briefly();
	}
	assert_int_equal(kill(wake->child, SIGSTOP), 0);
	assert_int_equal(waitpid(wake->child, NULL, WUNTRACED), wake->child);
	return wake->child;
}

/* How many searches there are; shared with them. */
static uint32_t *nr_searches;
static bool is_blocking_search;

typedef int sleep_call(const struct timespec *time, struct timespec *rest);

/* Takes the access to the page that this search has called. */
static void lock_page(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long begin, end;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, STRATA_APP_WAIT_NAME) &&
		    sscanf(line, "%lx-%lx", &begin, &end) == 2)
			mprotect((char *)NULL + begin, end - begin, PROT_NONE);
	if (maps)
		fclose(maps);
}

/* In place of the library's: the search calls it while it waits for answers. */
int nanosleep(const struct timespec *time, struct timespec *rest)
{
	if (is_blocking_search)
		lock_page();
	return ((sleep_call *)dlsym(RTLD_NEXT, "nanosleep"))(time, rest);
}

static void stand_still(int signal)
{
	(void)signal;
	raise(SIGSTOP);
}

/* In each search, at its beginning: the first one stands still when it reads the called page, as
 * where the kernel is slow to get the page. */
static struct app_process *block_first(const void *data, size_t *nr)
{
	(void)data;
	*nr = 0;
	is_blocking_search = ++*nr_searches == 1;
	if (is_blocking_search)
		signal(SIGSEGV, stand_still);
	return NULL;
}

static void a_program_whose_page_is_slow_to_read_is_left_out(void **state)
{
	struct strata_app_wait *page = make_true_page();
	struct app_wake wake = { .connected = block_first };
	struct strata_error error;

	(void)state;
	nr_searches = mmap(NULL, STRATA_PAGE_BYTES, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(nr_searches, MAP_FAILED);
	page->answered = 0;
	assert_int_equal(app_wake_begin(&wake, &error), 0);
	tend_until_settled(&wake);
	app_wake_end(&wake);
	assert_int_equal(*nr_searches, 2);
	assert_int_equal(page->calls, 1);
	munmap(nr_searches, STRATA_PAGE_BYTES);
	munmap(page, STRATA_PAGE_BYTES);
}

/* The kernel stops it here, as a process can whose memory is slow to be looked at. */
static void a_search_that_is_held_up_is_begun_again(void **state)
{
	struct strata_app_wait *page = make_true_page();
	struct app_wake wake = { .child = 0 };
	unsigned int turns = 0;
	pid_t first;

	(void)state;
	first = begin_and_stop(&wake, page);
	while (wake.child == first) {
		assert_true(turns++ < LIMIT_TURNS);
		app_wake_tend(&wake);
		pause_briefly();
	}
	assert_int_not_equal(wake.child, 0);
	tend_until_settled(&wake);
	app_wake_end(&wake);
	assert_int_equal(page->calls, 2);
	munmap(page, STRATA_PAGE_BYTES);
}

/* As when a machine is suspended: the search and its supervisor stand still together. */
static void a_search_that_nobody_looked_at_is_not_held_up(void **state)
{
	const struct timespec suspended = { .tv_nsec = (WAKE_STUCK_MS + 500u) % 1000u * 1000000,
					    .tv_sec = (WAKE_STUCK_MS + 500u) / 1000u };
	struct strata_app_wait *page = make_true_page();
	struct app_wake wake = { .child = 0 };
	pid_t first;

	(void)state;
	first = begin_and_stop(&wake, page);
	app_wake_tend(&wake);
	nanosleep(&suspended, NULL);
	app_wake_tend(&wake);
	assert_int_equal(wake.child, first);
	assert_int_equal(kill(first, SIGCONT), 0);
	tend_until_settled(&wake);
	app_wake_end(&wake);
	assert_int_equal(page->calls, 1);
	munmap(page, STRATA_PAGE_BYTES);
}

/* It keeps the pages that it has called, as this one does. */
static void a_search_that_was_killed_and_has_not_ended_is_not_called(void **state)
{
	struct strata_app_wait *page = make_true_page();
	struct app_wake wake = { .nr_killed = 1 };
	struct strata_error error;

	(void)state;
	assert_int_equal(madvise(page, STRATA_PAGE_BYTES, MADV_DOFORK), 0);
	wake.killed[0] = fork();
	if (wake.killed[0] == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	assert_int_equal(madvise(page, STRATA_PAGE_BYTES, MADV_DONTFORK), 0);
	assert_int_equal(app_wake_begin(&wake, &error), 0);
	tend_until_settled(&wake);
	assert_int_equal(page->calls, 1);
	assert_int_equal(wake.nr_killed, 1);
	assert_int_equal(kill(wake.killed[0], SIGKILL), 0);
	assert_int_equal(waitpid(wake.killed[0], NULL, 0), wake.killed[0]);
	app_wake_end(&wake);
	munmap(page, STRATA_PAGE_BYTES);
}

static void a_search_that_somebody_else_reaped_has_ended(void **state)
{
	struct app_wake wake = { .child = 0 };
	struct strata_error error;

	(void)state;
	assert_int_equal(app_wake_begin(&wake, &error), 0);
	assert_int_equal(waitpid(wake.child, NULL, 0), wake.child);
	app_wake_tend(&wake);
	assert_true(app_wake_settled(&wake));
	app_wake_end(&wake);
}

static pid_t start_as(uid_t uid)
{
	int ready[2];
	pid_t child;
	char byte;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		/* No other test has processes of this user; it is not dumpable from here on. */
		if (setresgid(uid, uid, uid) || setresuid(uid, uid, uid) ||
		    prctl(PR_SET_PDEATHSIG, SIGKILL) || write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return child;
}

/* Stops the search at one process, as a process can whose memory is slow to be looked at. */
static pid_t slow_process;

static void stops_there(const struct app_process *process)
{
	if (process->pid == slow_process)
		raise(SIGSTOP);
}

/* A process of one user that becomes another user's when @go has a byte, and says so. */
static _Noreturn void change_user(uid_t first, uid_t second, int go, int ready)
{
	char byte;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || setresuid(first, first, 0) ||
	    write(ready, "", 1) != 1 || read(go, &byte, 1) != 1 || seteuid(0) ||
	    setresuid(second, second, second) || write(ready, "", 1) != 1)
		_exit(1);
	pause();
	_exit(0);
}

static void search_again(struct app_wake *wake)
{
	struct strata_error error;

	assert_int_equal(app_wake_again(wake, &error), 0);
	tend_until_settled(wake);
}

/* As if its pid had been given to another user's process. */
static void only_the_process_of_that_user_is_left_out(void **state)
{
	struct app_wake wake = { .lists = stops_there };
	struct strata_app_wait *page = make_true_page();
	struct strata_error error;
	int go[2], ready[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(madvise(page, STRATA_PAGE_BYTES, MADV_DOFORK), 0);
	slow_process = fork();
	if (slow_process == 0)
		change_user(61015, 61016, go[0], ready[1]);
	assert_int_equal(madvise(page, STRATA_PAGE_BYTES, MADV_DONTFORK), 0);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(app_wake_begin(&wake, &error), 0);
	tend_until_settled(&wake);
	/* Both processes have the page. */
	wake.lists = NULL;
	search_again(&wake);
	assert_int_equal(page->calls, 1);
	assert_int_equal(write(go[1], "", 1), 1);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	search_again(&wake);
	assert_int_equal(page->calls, 3);
	app_wake_end(&wake);
	assert_int_equal(kill(slow_process, SIGKILL), 0);
	assert_int_equal(waitpid(slow_process, NULL, 0), slow_process);
	munmap(page, STRATA_PAGE_BYTES);
}

static size_t index_of(const struct app_process *list, size_t nr, pid_t pid)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (list[i].pid == pid)
			return i;
	fail_msg("process %d is not there", pid);
	return 0;
}

static void each_user_has_a_turn(void **state)
{
	const uid_t many = 61011, few = 61012;
	struct app_process *list;
	struct strata_error error;
	pid_t first[3], other;
	size_t nr, i;

	(void)state;
	for (i = 0; i < 3; i++)
		first[i] = start_as(many);
	other = start_as(few);
	assert_int_equal(app_find_processes(&list, &nr, &error), 0);
	assert_int_equal(list[index_of(list, nr, other)].uid, few);
	assert_int_equal(list[index_of(list, nr, first[2])].uid, many);
	assert_true(index_of(list, nr, first[0]) < index_of(list, nr, first[1]));
	assert_true(index_of(list, nr, other) < index_of(list, nr, first[1]));
	assert_true(index_of(list, nr, first[1]) < index_of(list, nr, first[2]));
	free(list);
	for (i = 0; i < 3; i++)
		kill(first[i], SIGKILL);
	kill(other, SIGKILL);
	for (i = 0; i < 4; i++)
		wait(NULL);
}

#define SLOW_USER  61013u
#define QUICK_USER 61014u
#define OF_EACH    3u

/* The users of the processes that a search goes to, in that order; no others. */
struct order {
	uint32_t users[2 * OF_EACH];
	size_t nr;
};

/* It takes far longer for a process of one user than a slice, which no clock can interrupt. */
static bool skips_slowly(void *data, const struct app_process *process)
{
	const struct timespec call = { .tv_nsec = 300000000 };
	struct order *order = data;

	if (process->uid != SLOW_USER && process->uid != QUICK_USER)
		return true;
	assert_in_range(order->nr, 0, 2 * OF_EACH - 1);
	order->users[order->nr++] = process->uid;
	if (process->uid == SLOW_USER)
		nanosleep(&call, NULL);
	return true;
}

static bool comes_never_last(void *data, uint32_t uid)
{
	(void)data;
	(void)uid;
	return false;
}

static void a_user_who_takes_more_than_a_slice_is_read_later(void **state)
{
	struct order order = { .nr = 0 };
	const struct app_search search = { .data = &order,
					   .user_ms = LIMIT_TURNS,
					   .is_skipped = skips_slowly,
					   .comes_last = comes_never_last };
	struct strata_error error;
	pid_t children[2 * OF_EACH];
	size_t i, slow = 0;

	(void)state;
	for (i = 0; i < 2 * OF_EACH; i++)
		children[i] = start_as(i % 2 ? SLOW_USER : QUICK_USER);
	assert_int_equal(app_search_run(&search, &error), 0);
	assert_int_equal(order.nr, 2 * OF_EACH);
	/* At most one of his processes comes before one of the other user's. */
	for (i = 0; i < order.nr; i++) {
		slow += order.users[i] == SLOW_USER;
		assert_false(order.users[i] == QUICK_USER && slow > 1);
	}
	for (i = 0; i < 2 * OF_EACH; i++) {
		kill(children[i], SIGKILL);
		assert_int_equal(waitpid(children[i], NULL, 0), children[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_that_waits_is_called_once),
		cmocka_unit_test(what_is_not_such_a_page_is_left_alone),
		cmocka_unit_test(a_page_of_another_version_is_left_alone),
		cmocka_unit_test(a_program_that_is_called_again_is_called_twice),
		cmocka_unit_test(a_program_that_is_connected_is_not_called),
		cmocka_unit_test(a_program_that_does_not_answer_is_not_waited_for_for_ever),
		cmocka_unit_test(a_program_whose_page_is_slow_to_read_is_left_out),
		cmocka_unit_test(a_search_that_is_held_up_is_begun_again),
		cmocka_unit_test(a_search_that_nobody_looked_at_is_not_held_up),
		cmocka_unit_test(a_search_that_was_killed_and_has_not_ended_is_not_called),
		cmocka_unit_test(a_search_that_somebody_else_reaped_has_ended),
		cmocka_unit_test(only_the_process_of_that_user_is_left_out),
		cmocka_unit_test(each_user_has_a_turn),
		cmocka_unit_test(a_user_who_takes_more_than_a_slice_is_read_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
