// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_traces_symbols.c - a recording keeps the symbols of dom0's kernel; who reads it uses them,
 * and refuses a file of another kernel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "outputs/shown.h"
#include "recording/recording_remove.h"
#include "saved.h"
#include "strata/read/traces.h"
#include "strata/read/traces_symbols.h"
#include "stratad/kallsyms.h"
#include "symbols/symbols.h"
#include "synthetic.h"

#define KALLSYMS                                \
	"ffffffff81000000 T _stext\n"           \
	"ffffffff81000000 A absolute\n"         \
	"ffffffff81000100 t a_function\n"       \
	"ffffffff81000200 D data\n"             \
	"ffffffff81000300 W of_module\t[nfs]\n" \
	"0000000000000000 t hidden\n"

static struct synthetic rec, other;
static char path[4200], given[4200];

static void write_text(const char *file, const char *text)
{
	FILE *out = fopen(file, "w");

	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

static void save(const char *kallsyms)
{
	struct strata_error error = { "" };
	struct strata_dir dir;

	write_text(given, kallsyms);
	assert_int_equal(strata_dir_open(&dir, rec.dir, &error), 0);
	if (kallsyms_save(&dir, given, &error))
		fail_msg("%s", error.text);
	strata_dir_close(&dir);
}

/* Makes a recording of two kernels. */
static void make_recording(struct synthetic *made)
{
	struct strata_recording table;
	struct strata_error error = { "" };
	size_t i;

	synthetic_init(made);
	synthetic_add_source(made, "dom0", "kernel", 0);
	synthetic_timer(made, "dom0", 0, SYNTHETIC_ANCHOR_TICKS + 1000);
	synthetic_add_source(made, "g1", "kernel", 1);
	synthetic_timer(made, "g1", 0, SYNTHETIC_ANCHOR_TICKS + 2000);
	synthetic_write(made);
	assert_int_equal(loaded_recording(&table, made->dir, &error), 0);
	for (i = 0; i < table.nr_sources; i++)
		assert_int_equal(saved_metadata(&table, &table.sources[i], made->dir, &error), 0);
	strata_recording_clear(&table);
}

static void clear_own(struct strata_trace_set *set)
{
	size_t i;

	for (i = 0; i < set->nr_traces; i++)
		set->traces[i]->symbols.own = NULL;
}

/* Opens the recording.  The result of adding symbols; of the source's own the name of an address.
 */
static int add(const char *option, const char *source, char name[STRATA_SYMBOL_BYTES],
	       struct strata_error *error)
{
	char *const paths[] = { rec.dir };
	struct strata_shown shown;
	struct traces traces;
	size_t i;
	int status;

	*name = '\0';
	assert_int_equal(traces_open(&traces, "test", NULL, NULL, paths, 1, error), 0);
	assert_int_equal(strata_shown_init(&shown, &traces.set, error), 0);
	status = traces_add_symbols(&traces.symbols, &shown, &option, option != NULL, error);
	for (i = 0; i < shown.nr_sources; i++) {
		const struct strata_symbols *own = traces.set.traces[i]->symbols.own;

		if (strcmp(shown.sources[i].name, source) == 0 && own)
			strata_symbols_name(own, 0xffffffff81000104u, name);
	}
	strata_shown_clear(&shown);
	traces_close(&traces);
	return status;
}

static void given_kallsyms_then_functions_are_kept_for_root_alone(void **state)
{
	struct strata_symbols *symbols;
	struct strata_error error;
	struct stat status;
	uint64_t address;
	bool has_room;

	(void)state;
	save(KALLSYMS);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	symbols = strata_symbols_load_recorded(path, 1, &has_room, &error);
	assert_non_null(symbols);
	assert_true(strata_symbols_find(symbols, "a_function", &address));
	assert_true(strata_symbols_find(symbols, "of_module", &address));
	assert_false(strata_symbols_find(symbols, "data", &address));
	assert_false(strata_symbols_find(symbols, "hidden", &address));
	strata_symbols_free(symbols);
}

static void given_hidden_addresses_then_there_is_no_file(void **state)
{
	(void)state;
	save(KALLSYMS);
	save("0000000000000000 T _stext\n0000000000000000 t a_function\n");
	assert_int_equal(access(path, F_OK), -1);
}

static void given_a_recording_with_symbols_then_dom0_has_them(void **state)
{
	struct strata_error error = { "" };
	char name[STRATA_SYMBOL_BYTES];

	(void)state;
	assert_int_equal(add(NULL, "dom0", name, &error), 0);
	assert_string_equal(name, "");
	save(KALLSYMS);
	assert_int_equal(add(NULL, "dom0", name, &error), 0);
	assert_string_equal(name, "a_function+0x4");
	assert_int_equal(add(NULL, "g1", name, &error), 0);
	assert_string_equal(name, "");
}

static void given_a_file_of_another_kernel_then_it_is_refused(void **state)
{
	struct strata_error error = { "" };
	char name[STRATA_SYMBOL_BYTES], option[4300];

	(void)state;
	save(KALLSYMS);
	write_text(given, "ffffffff82000000 T _stext\nffffffff81000100 t wrong\n");
	snprintf(option, sizeof(option), "dom0=%s", given);
	assert_int_equal(add(option, "dom0", name, &error), -1);
	assert_non_null(strstr(error.text, "its _stext is at 0xffffffff82000000, the recording's "
					   "at 0xffffffff81000000"));
	/* The same kernel with more names is what somebody may want. */
	write_text(given, "ffffffff81000000 T _stext\nffffffff81000102 t local\n");
	assert_int_equal(add(option, "dom0", name, &error), 0);
	assert_string_equal(name, "local+0x2");
	/* Of a guest's kernel nothing is known. */
	snprintf(option, sizeof(option), "g1=%s", given);
	assert_int_equal(add(option, "g1", name, &error), 0);
	assert_string_equal(name, "local+0x2");
}

static void given_a_link_or_damage_then_there_are_no_names(void **state)
{
	struct strata_error error = { "" };
	char name[STRATA_SYMBOL_BYTES];

	(void)state;
	write_text(given, KALLSYMS);
	assert_int_equal(symlink(given, path), 0);
	assert_int_equal(add(NULL, "dom0", name, &error), 0);
	assert_string_equal(name, "");
	unlink(path);
	write_text(path, "\x7f"
			 "ELF and nothing else");
	assert_int_equal(add(NULL, "dom0", name, &error), 0);
	assert_string_equal(name, "");
}

/* As the parts of a recording that was rotated. */
static void given_two_recordings_with_one_file_then_it_is_loaded_once(void **state)
{
	char *const paths[] = { rec.dir, other.dir };
	struct strata_error error = { "" };
	struct strata_shown shown;
	struct traces traces;
	char link_path[4200];

	(void)state;
	save(KALLSYMS);
	make_recording(&other);
	snprintf(link_path, sizeof(link_path), "%s/" STRATA_RECORDING_KALLSYMS, other.dir);
	assert_int_equal(link(path, link_path), 0);
	assert_int_equal(traces_open(&traces, "test", NULL, NULL, paths, 2, &error), 0);
	assert_int_equal(strata_shown_init(&shown, &traces.set, &error), 0);
	assert_int_equal(traces_add_symbols(&traces.symbols, &shown, NULL, 0, &error), 0);
	assert_int_equal(traces.symbols.nr, 1);
	/* One of them is another file. */
	assert_int_equal(unlink(link_path), 0);
	write_text(link_path, KALLSYMS);
	traces_symbols_clear(&traces.symbols);
	clear_own(&traces.set);
	assert_int_equal(traces_add_symbols(&traces.symbols, &shown, NULL, 0, &error), 0);
	assert_int_equal(traces.symbols.nr, 2);
	strata_shown_clear(&shown);
	traces_close(&traces);
	unlink(link_path);
	synthetic_free(&other);
}

static void given_a_recording_that_is_removed_then_its_symbols_are(void **state)
{
	struct strata_error error = { "" };
	struct strata_dir dir;

	(void)state;
	save(KALLSYMS);
	assert_int_equal(strata_dir_open(&dir, rec.dir, &error), 0);
	assert_int_equal(strata_recording_remove(&dir, &error), 0);
	assert_int_equal(access(path, F_OK), -1);
	strata_dir_close(&dir);
}

static int set_up(void **state)
{
	(void)state;
	make_recording(&rec);
	snprintf(path, sizeof(path), "%s/" STRATA_RECORDING_KALLSYMS, rec.dir);
	snprintf(given, sizeof(given), "%s/given", rec.dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(given);
	unlink(path);
	synthetic_free(&rec);
	return 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(given_kallsyms_then_functions_are_kept_for_root_alone),
		TEST(given_hidden_addresses_then_there_is_no_file),
		TEST(given_a_recording_with_symbols_then_dom0_has_them),
		TEST(given_a_file_of_another_kernel_then_it_is_refused),
		TEST(given_a_link_or_damage_then_there_are_no_names),
		TEST(given_two_recordings_with_one_file_then_it_is_loaded_once),
		TEST(given_a_recording_that_is_removed_then_its_symbols_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
