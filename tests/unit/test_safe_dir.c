// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_safe_dir.c - directories for output that other users cannot redirect
 * (merge/files/safe_dir.h).
 *
 * Another user is one that this process is for a moment: so it runs as root.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/out_file.h"
#include "files/safe_dir.h"

#define OTHER 61001u

/* A directory that all may write to, as /tmp is. */
static char top[64];

static const char *in_top(const char *name)
{
	static char paths[4][256];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", top, name);
	return path;
}

static void become(uid_t user)
{
	assert_int_equal(seteuid(user), 0);
}

static int set_up(void **state)
{
	(void)state;
	umask(022);
	strcpy(top, "/tmp/strata-safe-XXXXXX");
	if (geteuid() || !mkdtemp(top) || chmod(top, 01777))
		return -1;
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	become(0);
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command);
}

static void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *path, const char *text)
{
	char found[64] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_true(fread(found, 1, sizeof(found) - 1, file) > 0 || !*text);
	fclose(file);
	assert_string_equal(found, text);
}

static void assert_refused(const char *path, const char *why)
{
	struct strata_error error = { "" };
	struct strata_dir dir;

	assert_int_equal(strata_dir_make(&dir, path, 0755, NULL, &error), -1);
	assert_int_equal(dir.fd, -1);
	if (!strstr(error.text, why))
		fail_msg("\"%s\" does not say \"%s\"", error.text, why);
}

static void assert_opened(const char *path)
{
	struct strata_error error = { "" };
	struct strata_dir dir;

	if (strata_dir_make(&dir, path, 0755, NULL, &error))
		fail_msg("%s", error.text);
	strata_dir_close(&dir);
}

static void a_directory_is_made_and_found_again(void **state)
{
	struct strata_error error;
	struct strata_dir dir;
	bool made = false;

	(void)state;
	assert_int_equal(strata_dir_make(&dir, in_top("new"), 0750, &made, &error), 0);
	assert_true(made);
	strata_dir_close(&dir);
	assert_int_equal(strata_dir_make(&dir, in_top("new"), 0750, &made, &error), 0);
	assert_false(made);
	strata_dir_close(&dir);
	/* In every way that it can be named. */
	assert_opened(in_top("new/"));
	assert_opened(in_top("new/."));
	assert_opened(in_top("new/../new"));
	assert_opened(in_top(".//new"));
}

static void a_directory_of_another_user_is_refused(void **state)
{
	(void)state;
	become(OTHER);
	assert_int_equal(mkdir(in_top("theirs"), 0777), 0);
	become(0);
	assert_refused(in_top("theirs"), "belongs to user 61001");
	/* Nor is one made in it: they could rename it. */
	assert_refused(in_top("theirs/new"), "\"theirs\" in the path is a directory of user 61001");
	assert_true(access(in_top("theirs/new"), F_OK) != 0);
}

static void a_home_that_root_made_for_its_user_is_gone_through(void **state)
{
	(void)state;
	assert_int_equal(mkdir(in_top("home"), 0755), 0);
	assert_int_equal(mkdir(in_top("home/them"), 0755), 0);
	assert_int_equal(chown(in_top("home/them"), OTHER, OTHER), 0);
	assert_opened(in_top("home/them/new"));
}

static void a_directory_that_others_may_write_to_is_refused(void **state)
{
	(void)state;
	assert_int_equal(mkdir(in_top("open"), 0755), 0);
	assert_int_equal(chmod(in_top("open"), 0777), 0);
	assert_refused(in_top("open"), "others may write there");
	assert_refused(in_top("open/new"), "not sticky");
	assert_int_equal(chmod(in_top("open"), 01777), 0);
	assert_refused(in_top("open"), "others may write there");
	assert_opened(in_top("open/new"));
	/* A group of more than its user. */
	assert_int_equal(chown(in_top("open"), 0, 100), 0);
	assert_int_equal(chmod(in_top("open"), 0775), 0);
	assert_refused(in_top("open"), "others may write there");
}

static void links_of_others_are_not_followed(void **state)
{
	(void)state;
	assert_int_equal(mkdir(in_top("real"), 0755), 0);
	become(OTHER);
	assert_int_equal(symlink(in_top("real"), in_top("lure")), 0);
	become(0);
	assert_refused(in_top("lure"), "\"lure\" in the path is a link of user 61001");
	assert_refused(in_top("lure/new"), "link of user 61001");
	assert_refused(in_top("lure/../other"), "link of user 61001");
	/* Ours and root's are. */
	assert_int_equal(symlink("real", in_top("mine")), 0);
	assert_opened(in_top("mine/new"));
	assert_int_equal(access(in_top("real/new"), F_OK), 0);
	/* Also for files that do not exist yet. */
	assert_int_equal(symlink("real/later", in_top("ahead")), 0);
	assert_opened(in_top("ahead"));
	assert_int_equal(access(in_top("real/later"), F_OK), 0);
	/* A circle ends. */
	assert_int_equal(symlink("round", in_top("round")), 0);
	assert_refused(in_top("round"), "leads nowhere");
}

static void a_user_trusts_root_and_himself(void **state)
{
	(void)state;
	assert_int_equal(mkdir(in_top("roots"), 0755), 0);
	assert_int_equal(symlink(in_top("roots"), in_top("roots-link")), 0);
	become(OTHER);
	assert_int_equal(mkdir(in_top("own"), 0755), 0);
	assert_int_equal(symlink("own", in_top("own-link")), 0);
	assert_opened(in_top("own/new"));
	assert_opened(in_top("own-link/more"));
	assert_refused(in_top("roots-link/new"), "Permission denied");
	become(0);
	/* But root does not trust him. */
	assert_refused(in_top("own-link/more"), "61001");
}

static void names_lead_nowhere_else(void **state)
{
	static const char *const names[] = { "", ".", "..", "a/b", "/etc", "../x" };
	struct strata_error error;
	struct strata_dir dir, sub;
	size_t i;

	(void)state;
	assert_int_equal(strata_dir_make(&dir, in_top("names"), 0755, NULL, &error), 0);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(strata_dir_create(&dir, names[i], 0644, &error), -1);
		assert_int_equal(strata_dir_sub(&sub, &dir, names[i], 0755, &error), -1);
		assert_false(strata_dir_find(&sub, &dir, names[i]));
		assert_int_equal(strata_dir_remove(&dir, names[i]), -1);
	}
	strata_dir_close(&dir);
}

static void files_are_made_through_no_link(void **state)
{
	struct strata_error error;
	struct strata_dir dir, sub;

	(void)state;
	put_file(in_top("victim"), "kept");
	assert_int_equal(mkdir(in_top("victims"), 0755), 0);
	assert_int_equal(strata_dir_make(&dir, in_top("linked"), 0755, NULL, &error), 0);
	assert_int_equal(symlinkat("../victim", dir.fd, "file"), 0);
	assert_int_equal(symlinkat("../victim", dir.fd, "file" STRATA_DIR_NEW_SUFFIX), 0);
	assert_int_equal(symlinkat("../victims", dir.fd, "folder"), 0);
	assert_int_equal(strata_dir_create(&dir, "file", 0644, &error), -1);
	assert_int_equal(strata_dir_sub(&sub, &dir, "folder", 0755, &error), -1);
	assert_false(strata_dir_find(&sub, &dir, "folder"));
	/* The link is replaced, and not its target. */
	assert_int_equal(strata_dir_replace(&dir, "file", "new", 3, &error), 0);
	assert_holds(in_top("linked/file"), "new");
	assert_holds(in_top("victim"), "kept");
	/* What is removed, too. */
	assert_int_equal(strata_dir_remove(&dir, "folder"), 0);
	assert_int_equal(access(in_top("victims"), F_OK), 0);
	strata_dir_close(&dir);
}

static void a_directory_stays_the_same_when_its_name_leads_elsewhere(void **state)
{
	struct strata_error error;
	struct strata_dir dir;

	(void)state;
	assert_int_equal(mkdir(in_top("elsewhere"), 0755), 0);
	assert_int_equal(strata_dir_make(&dir, in_top("moved"), 0755, NULL, &error), 0);
	assert_int_equal(rename(in_top("moved"), in_top("away")), 0);
	assert_int_equal(symlink("elsewhere", in_top("moved")), 0);
	assert_int_equal(strata_dir_replace(&dir, "file", "new", 3, &error), 0);
	assert_holds(in_top("away/file"), "new");
	assert_true(access(in_top("elsewhere/file"), F_OK) != 0);
	strata_dir_close(&dir);
}

static void a_new_directory_takes_a_name_that_is_free(void **state)
{
	struct strata_error error;
	struct strata_dir first, second;
	char taken[64];
	unsigned int i;

	(void)state;
	assert_int_equal(strata_dir_make_new(&first, in_top("dated"), 0755, &error), 0);
	assert_int_equal(strata_dir_make_new(&second, in_top("dated"), 0755, &error), 0);
	assert_string_equal(first.path, in_top("dated"));
	assert_string_equal(second.path, in_top("dated-2"));
	strata_dir_close(&first);
	strata_dir_close(&second);
	/* Another user takes every name that can be foreseen. */
	become(OTHER);
	assert_int_equal(symlink("/etc", in_top("squatted")), 0);
	for (i = 2; i < 200; i++) {
		snprintf(taken, sizeof(taken), "squatted-%u", i);
		assert_int_equal(mkdir(in_top(taken), 0777), 0);
	}
	become(0);
	assert_int_equal(strata_dir_make_new(&first, in_top("squatted"), 0755, &error), 0);
	assert_int_equal(strlen(first.path), strlen(in_top("squatted-0123456789abcdef")));
	strata_dir_close(&first);
}

static struct strata_out_file *open_out(const char *path, bool force, struct strata_error *error)
{
	error->text[0] = '\0';
	return strata_out_open(path, force, error);
}

static void a_file_that_is_there_is_replaced_only_by_force(void **state)
{
	struct strata_out_file *out;
	struct strata_error error;

	(void)state;
	put_file(in_top("out"), "old");
	assert_null(open_out(in_top("out"), false, &error));
	assert_non_null(strstr(error.text, "already exists (use --force, or another -o)"));
	out = open_out(in_top("out"), true, &error);
	assert_non_null(out);
	strata_out_print(out, "new");
	/* Not before it is whole. */
	assert_holds(in_top("out"), "old");
	assert_int_equal(strata_out_close(out, &error), 0);
	assert_holds(in_top("out"), "new");
	/* Nor if it does not become so. */
	out = open_out(in_top("out"), true, &error);
	assert_non_null(out);
	strata_out_print(out, "torn");
	strata_out_abandon(out);
	assert_holds(in_top("out"), "new");
}

static void a_file_is_written_through_no_link_of_others(void **state)
{
	struct strata_out_file *out;
	struct strata_error error;

	(void)state;
	put_file(in_top("roots-file"), "kept");
	become(OTHER);
	assert_int_equal(symlink("roots-file", in_top("lure-file")), 0);
	put_file(in_top("their-file"), "theirs");
	assert_int_equal(mkfifo(in_top("their-pipe"), 0666), 0);
	become(0);
	assert_null(open_out(in_top("lure-file"), true, &error));
	assert_non_null(strstr(error.text, "link of user 61001"));
	assert_null(open_out(in_top("their-file"), true, &error));
	assert_non_null(strstr(error.text, "belongs to user 61001"));
	assert_null(open_out(in_top("their-pipe"), true, &error));
	assert_non_null(strstr(error.text, "belongs to user 61001"));
	assert_holds(in_top("roots-file"), "kept");
	/* Devices and the process's open files are written to. */
	out = open_out("/dev/null", false, &error);
	assert_non_null(out);
	assert_int_equal(strata_out_close(out, &error), 0);
	out = open_out("/dev/stderr", false, &error);
	assert_non_null(out);
	assert_int_equal(strata_out_close(out, &error), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_directory_is_made_and_found_again),
		cmocka_unit_test(a_directory_of_another_user_is_refused),
		cmocka_unit_test(a_home_that_root_made_for_its_user_is_gone_through),
		cmocka_unit_test(a_directory_that_others_may_write_to_is_refused),
		cmocka_unit_test(links_of_others_are_not_followed),
		cmocka_unit_test(a_user_trusts_root_and_himself),
		cmocka_unit_test(names_lead_nowhere_else),
		cmocka_unit_test(files_are_made_through_no_link),
		cmocka_unit_test(a_directory_stays_the_same_when_its_name_leads_elsewhere),
		cmocka_unit_test(a_new_directory_takes_a_name_that_is_free),
		cmocka_unit_test(a_file_that_is_there_is_replaced_only_by_force),
		cmocka_unit_test(a_file_is_written_through_no_link_of_others),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
