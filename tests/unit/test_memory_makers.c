// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory for users' rings, in a control group for each user, of either version: the group pays, and
 * a user gets no more than his share, whoever keeps the memory; makers and their helper that end
 * are replaced, and leave no group. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumerd/host/memory_makers.h"
#include "consumerd/host/user_group.h"

#define MIB   ((uint64_t)1 << 20)
#define BYTES (8 * MIB)
/* Numbers that no recorder has, nor another run of this test. */
#define RECORDER ((unsigned int)getpid())
#define USER     100000u
#define OTHER    100001u

/* What a group may use besides its share. */
#define SMALL_CHANGE (24 * MIB)

static struct memory_makers makers;
static uint64_t last_number;

static bool has_group(unsigned int user)
{
	char path[USER_GROUP_PATH_BYTES];

	assert_true(user_group_path(path, RECORDER, user));
	return access(path, F_OK) == 0;
}

static FILE *open_in_group(unsigned int user, const char *first, const char *second)
{
	char path[USER_GROUP_PATH_BYTES], file[200];

	assert_true(user_group_path(path, RECORDER, user));
	snprintf(file, sizeof(file), "%s/%s", path, first);
	if (access(file, F_OK))
		snprintf(file, sizeof(file), "%s/%s", path, second);
	return fopen(file, "r");
}

static uint64_t usage(unsigned int user)
{
	FILE *file = open_in_group(user, "memory.usage_in_bytes", "memory.current");
	unsigned long long bytes = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%llu", &bytes), 1);
	fclose(file);
	return bytes;
}

/* The process that makes a user's memory. */
static pid_t maker_of(unsigned int user)
{
	FILE *file = open_in_group(user, "cgroup.procs", "cgroup.procs");
	int pid = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%d", &pid), 1);
	fclose(file);
	return pid;
}

static struct memory_order order_of(unsigned int user, uint64_t share)
{
	return (struct memory_order){ .number = ++last_number,
				      .user = user,
				      .recorder = RECORDER,
				      .bytes = BYTES,
				      .share = share,
				      .all_shares = share };
}

static void order(unsigned int user, uint64_t share)
{
	const struct memory_order sent = order_of(user, share);

	assert_true(memory_makers_order(&makers, &sent));
}

static struct memory_order await_answer_to(uint64_t number)
{
	struct pollfd news = { .fd = makers.socket, .events = POLLIN };
	struct memory_order made;
	bool ended;

	assert_int_equal(poll(&news, 1, 60000), 1);
	assert_true(memory_makers_answer(&makers, &made, &ended));
	assert_int_equal(made.number, number);
	return made;
}

static struct memory_order await_answer(void)
{
	return await_answer_to(last_number);
}

static struct memory_order make(unsigned int user, uint64_t share)
{
	order(user, share);
	return await_answer();
}

static void await(bool (*done)(void))
{
	int turn;

	for (turn = 0; turn < 6000 && !done(); turn++)
		usleep(10000);
	assert_true(done());
}

static int open_makers(void **state)
{
	struct strata_error error;

	(void)state;
	return memory_makers_open(&makers, &error);
}

static bool has_no_group(void)
{
	return !has_group(USER) && !has_group(OTHER);
}

/* The helper tidies for a while only, and this machine may be busy. */
static bool has_tidied(void)
{
	user_groups_tidy(RECORDER);
	return has_no_group();
}

static int close_makers(void **state)
{
	(void)state;
	memory_makers_close(&makers);
	await(has_tidied);
	return 0;
}

static void test_the_users_group_pays(void **state)
{
	struct memory_order made = make(USER, 100 * MIB);
	unsigned char *memory;

	(void)state;
	assert_int_equal(made.failed, 0);
	assert_true(made.memory.fd >= 0);
	assert_true(made.memory.bytes >= BYTES);
	assert_true(kernel_memory_exists(made.memory.id));
	assert_true(usage(USER) >= BYTES);
	memory = mmap(NULL, made.memory.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, made.memory.fd,
		      0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	assert_int_equal(memory[made.memory.bytes - 1], 0);
	munmap(memory, made.memory.bytes);
	close(made.memory.fd);
	made = make(OTHER, 100 * MIB);
	assert_int_equal(made.failed, 0);
	assert_int_not_equal(maker_of(USER), maker_of(OTHER));
	close(made.memory.fd);
}

static bool has_made_ahead(void)
{
	return usage(USER) >= 2 * BYTES;
}

static bool has_given_up(void)
{
	return usage(USER) < 2 * BYTES;
}

static bool has_freed(void)
{
	return usage(USER) < BYTES;
}

static void test_memory_is_made_ahead(void **state)
{
	struct memory_order first = make(USER, 100 * MIB), second;

	(void)state;
	await(has_made_ahead);
	/* It is there, so no share is asked for. */
	second = make(USER, 1);
	assert_int_equal(second.failed, 0);
	assert_int_not_equal(first.memory.id, second.memory.id);
	close(first.memory.fd);
	close(second.memory.fd);
	await(has_freed);
	first = make(USER, 100 * MIB);
	await(has_made_ahead);
	await(has_given_up);
	close(first.memory.fd);
}

/* Also of memory that is in use nowhere but in a mapping. */
static void test_the_share_holds(void **state)
{
	void *mappings[16];
	struct memory_order made, more;
	unsigned int nr = 0, i;

	(void)state;
	for (made = make(USER, 16 * MIB); !made.failed && nr < 16; made = make(USER, 16 * MIB)) {
		mappings[nr] = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, made.memory.fd, 0);
		assert_ptr_not_equal(mappings[nr], MAP_FAILED);
		close(made.memory.fd);
		nr++;
	}
	assert_int_equal(made.failed, EBUSY);
	assert_in_range(nr, 2, (16 * MIB + SMALL_CHANGE) / BYTES);
	/* Other users have theirs, but all together no more than all may have. */
	made = make(OTHER, 100 * MIB);
	assert_int_equal(made.failed, 0);
	close(made.memory.fd);
	more = order_of(OTHER, 1);
	/* Not what was made ahead. */
	more.bytes = BYTES / 2;
	assert_true(memory_makers_order(&makers, &more));
	made = await_answer();
	assert_int_equal(made.failed, EBUSY);
	for (i = 0; i < nr; i++)
		munmap(mappings[i], BYTES);
	await(has_freed);
	made = make(USER, 16 * MIB);
	assert_int_equal(made.failed, 0);
	close(made.memory.fd);
}

static void test_the_recorders_own(void **state)
{
	const struct memory_order made = make(MEMORY_OF_NO_USER, UINT64_MAX);

	(void)state;
	assert_int_equal(made.failed, 0);
	assert_true(has_no_group() && !has_group(MEMORY_OF_NO_USER));
	close(made.memory.fd);
}

static void test_a_maker_that_is_killed(void **state)
{
	struct memory_order made = make(USER, 100 * MIB);
	const pid_t maker = maker_of(USER);

	(void)state;
	/* It has one made ahead, which it would give. */
	await(has_made_ahead);
	close(made.memory.fd);
	kill(maker, SIGSTOP);
	order(USER, 100 * MIB);
	/* The helper has passed that on when it passes the next one on. */
	made = make(OTHER, 100 * MIB);
	close(made.memory.fd);
	kill(maker, SIGKILL);
	made = await_answer_to(last_number - 1);
	assert_int_equal(made.failed, EAGAIN);
	assert_int_equal(made.memory.fd, -1);
	made = make(USER, 100 * MIB);
	assert_int_equal(made.failed, 0);
	assert_int_not_equal(maker_of(USER), maker);
	close(made.memory.fd);
}

static void test_a_helper_that_is_killed(void **state)
{
	struct pollfd news = { .fd = makers.socket, .events = POLLIN };
	const pid_t helper = makers.helper;
	struct memory_order made = make(USER, 100 * MIB);
	struct strata_error error;
	bool ended = false;

	(void)state;
	close(made.memory.fd);
	kill(helper, SIGKILL);
	assert_int_equal(waitpid(helper, NULL, 0), helper);
	/* The makers end with it, and with them the other end. */
	assert_int_equal(poll(&news, 1, 60000), 1);
	assert_false(memory_makers_answer(&makers, &made, &ended));
	assert_true(ended);
	memory_makers_close(&makers);
	assert_int_equal(memory_makers_open(&makers, &error), 0);
	made = make(USER, 100 * MIB);
	assert_int_equal(made.failed, 0);
	close(made.memory.fd);
}

static bool has_hardly_any(void)
{
	return usage(USER) < MIB;
}

static void test_the_helper_tidies(void **state)
{
	const struct memory_order made = make(USER, 100 * MIB);

	(void)state;
	close(made.memory.fd);
	await(has_hardly_any);
	memory_makers_close(&makers);
	await(has_no_group);
}

static bool has_hardly_any_of_other(void)
{
	return usage(OTHER) < MIB;
}

/* What is in use keeps its group, where the next recorder of that number finds it; and with it the
 * others, whose remains would count in the shares of all. */
static void test_memory_that_stays(void **state)
{
	const struct memory_order kept = make(USER, 100 * MIB);
	struct memory_order made;
	struct strata_error error;

	(void)state;
	made = make(OTHER, 100 * MIB);
	close(made.memory.fd);
	memory_makers_close(&makers);
	await(has_hardly_any_of_other);
	assert_false(user_groups_tidy(RECORDER));
	assert_true(has_group(OTHER));
	assert_true(has_group(USER));
	assert_true(usage(USER) >= BYTES);
	assert_int_equal(memory_makers_open(&makers, &error), 0);
	made = make(USER, 1);
	assert_int_equal(made.failed, kept.failed);
	assert_true(usage(USER) >= 2 * BYTES);
	close(made.memory.fd);
	close(kept.memory.fd);
	await(has_freed);
}

#define DEAD_PATH_BYTES (USER_GROUP_PATH_BYTES + 16)

/* A group of a recorder that was killed with its helper, of another /run. */
static const char *dead_group(char path[DEAD_PATH_BYTES], const char *user)
{
	char own[USER_GROUP_PATH_BYTES];

	assert_true(user_group_path(own, RECORDER, USER));
	*strrchr(own, '/') = '\0';
	snprintf(path, DEAD_PATH_BYTES, "%s-dead%s%s", own, *user ? "/" : "", user);
	return path;
}

static bool is_dead_group_removed(void)
{
	char path[DEAD_PATH_BYTES];

	return access(dead_group(path, ""), F_OK) && errno == ENOENT;
}

/* A process that stays in the dead recorder's group. */
static pid_t begin_in_dead_group(void)
{
	char path[DEAD_PATH_BYTES], file[200];
	const pid_t process = fork();
	FILE *processes;

	if (process == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	snprintf(file, sizeof(file), "%s/cgroup.procs", dead_group(path, "100000"));
	processes = fopen(file, "w");
	assert_non_null(processes);
	fprintf(processes, "%d", process);
	assert_int_equal(fclose(processes), 0);
	return process;
}

static void test_groups_of_dead_recorders(void **state)
{
	struct memory_order made = make(USER, 100 * MIB);
	char path[DEAD_PATH_BYTES];
	struct strata_error error;
	pid_t process;

	(void)state;
	close(made.memory.fd);
	assert_int_equal(mkdir(dead_group(path, ""), 0700), 0);
	assert_int_equal(mkdir(dead_group(path, "100000"), 0700), 0);
	process = begin_in_dead_group();
	user_groups_tidy_all();
	assert_int_equal(access(path, F_OK), 0);
	kill(process, SIGKILL);
	assert_int_equal(waitpid(process, NULL, 0), process);
	assert_false(is_dead_group_removed());
	/* The next recorder that begins. */
	memory_makers_close(&makers);
	assert_int_equal(memory_makers_open(&makers, &error), 0);
	await(is_dead_group_removed);
}

/* Recorders that begin all the time remove a group that has no process yet. */
static void test_groups_that_others_remove(void **state)
{
	pid_t others[2];
	struct strata_error error;
	struct memory_order made;
	unsigned int turn, i;

	(void)state;
	for (i = 0; i < 2; i++) {
		others[i] = fork();
		if (others[i] == 0)
			prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (others[i] == 0)
			user_groups_tidy_all();
	}
	for (turn = 0; turn < 40; turn++) {
		do
			made = make(USER, 100 * MIB);
		while (made.failed == EAGAIN);
		assert_int_equal(made.failed, 0);
		assert_false(made.uncounted);
		close(made.memory.fd);
		memory_makers_close(&makers);
		assert_int_equal(memory_makers_open(&makers, &error), 0);
	}
	for (i = 0; i < 2; i++) {
		kill(others[i], SIGKILL);
		assert_int_equal(waitpid(others[i], NULL, 0), others[i]);
	}
}

static unsigned int nr_files_of_helper(void)
{
	unsigned int nr = 0;
	char path[40];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", makers.helper);
	dir = opendir(path);
	assert_non_null(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr - 2; /* without . and .. */
}

/* It keeps its socket, and an instance of /proc. */
static bool has_settled(void)
{
	return nr_files_of_helper() == 2;
}

static void limit_files(pid_t process, rlim_t nr)
{
	const struct rlimit limit = { .rlim_cur = nr, .rlim_max = 1024 };

	assert_int_equal(prlimit(process, RLIMIT_NOFILE, &limit, NULL), 0);
}

/* A maker gets no file to read what its group uses, so it cannot enter; a child of the helper's can
 * make memory. */
static void keep_makers_out(void)
{
	await(has_settled);
	limit_files(makers.helper, 4);
}

static void let_makers_in(void)
{
	char path[60];
	FILE *children;
	int pid;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", makers.helper, makers.helper);
	children = fopen(path, "r");
	assert_non_null(children);
	while (fscanf(children, "%d", &pid) == 1)
		limit_files(pid, 1024);
	fclose(children);
}

/* A recorder that begins may have removed the group. */
static bool is_empty(unsigned int user)
{
	FILE *file = open_in_group(user, "cgroup.procs", "cgroup.procs");
	int pid;
	bool empty;

	if (!file)
		return true;
	empty = fscanf(file, "%d", &pid) != 1;
	fclose(file);
	return empty;
}

/* The recorder's own group pays for half of his share, until there is a group. */
static void test_a_user_without_a_group(void **state)
{
	struct pollfd news = { .fd = makers.socket, .events = POLLIN };
	struct memory_order made;
	uint64_t first;

	(void)state;
	keep_makers_out();
	made = make(USER, 2 * BYTES);
	first = last_number;
	assert_int_equal(made.failed, 0);
	assert_true(made.memory.fd >= 0);
	assert_true(is_empty(USER));
	close(made.memory.fd);
	order(USER, 2 * BYTES);
	assert_int_equal(poll(&news, 1, 300), 0);
	let_makers_in();
	/* The first one again, which the recorder does not wait for any more. */
	made = await_answer_to(first);
	assert_int_equal(made.failed, 0);
	assert_false(made.uncounted);
	assert_true(usage(USER) >= BYTES);
	close(made.memory.fd);
	made = await_answer();
	assert_int_equal(made.failed, 0);
	close(made.memory.fd);
}

static void test_the_end_of_a_user_without_a_group(void **state)
{
	const pid_t helper = makers.helper;
	struct memory_order made;
	int status;

	(void)state;
	keep_makers_out();
	made = make(USER, 2 * BYTES);
	assert_int_equal(made.failed, 0);
	close(made.memory.fd);
	close(makers.socket);
	makers.socket = -1;
	/* It waits for its makers, and would be killed if one did not end. */
	assert_int_equal(waitpid(helper, &status, 0), helper);
	makers.helper = 0;
	assert_true(WIFEXITED(status));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_the_users_group_pays, open_makers,
						close_makers),
		cmocka_unit_test_setup_teardown(test_memory_is_made_ahead, open_makers,
						close_makers),
		cmocka_unit_test_setup_teardown(test_the_share_holds, open_makers, close_makers),
		cmocka_unit_test_setup_teardown(test_the_recorders_own, open_makers, close_makers),
		cmocka_unit_test_setup_teardown(test_a_maker_that_is_killed, open_makers,
						close_makers),
		cmocka_unit_test_setup_teardown(test_a_helper_that_is_killed, open_makers,
						close_makers),
		cmocka_unit_test_setup_teardown(test_the_helper_tidies, open_makers, close_makers),
		cmocka_unit_test_setup_teardown(test_memory_that_stays, open_makers, close_makers),
		cmocka_unit_test_setup_teardown(test_groups_of_dead_recorders, open_makers,
						close_makers),
		cmocka_unit_test_setup_teardown(test_groups_that_others_remove, open_makers,
						close_makers),
		cmocka_unit_test_setup_teardown(test_a_user_without_a_group, open_makers,
						close_makers),
		cmocka_unit_test_setup_teardown(test_the_end_of_a_user_without_a_group, open_makers,
						close_makers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
