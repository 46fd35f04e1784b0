// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_symbols.c - symbols of real files: this program's own ELF file, the hypervisor's and its
 * map, the kernel's kallsyms; of texts; and of damaged files, which do no harm.
 */
#include <fcntl.h>
#include <pthread.h>
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

#include "symbols/symbols.h"
#include "symbols/symbols_room.h"
#include "ctf_maker.h"

#define MUTATIONS 400u

static struct trace_dir dir;
static char path[512];

int test_symbols_of_this_program(int number);

/* A function that is not inlined, so that it has a size. */
__attribute__((noinline)) int test_symbols_of_this_program(int number)
{
	return number * 3 + (int)getpid();
}

static struct strata_symbols *load(const char *file)
{
	struct strata_error error = { "" };
	struct strata_symbols *symbols = strata_symbols_load(file, &error);

	if (!symbols)
		fail_msg("%s", error.text);
	return symbols;
}

static void write_file(const void *bytes, size_t nr)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, nr, file), nr);
	assert_int_equal(fclose(file), 0);
}

static struct strata_symbols *load_text(const char *text)
{
	write_file(text, strlen(text));
	return load(path);
}

static void assert_named(const struct strata_symbols *symbols, uint64_t address, const char *name)
{
	char text[STRATA_SYMBOL_BYTES];

	if (!strata_symbols_name(symbols, address, text)) {
		assert_null(name);
		return;
	}
	assert_non_null(name);
	assert_string_equal(text, name);
}

static void given_a_text_then_addresses_have_the_function_they_lie_in(void **state)
{
	struct strata_symbols *symbols = load_text("ffffffff81000000 T _stext\n"
						   "ffffffff81000100 t first\n"
						   "not a symbol\n"
						   "ffffffff81000200 D data\n"
						   "ffffffff81000300 W second [module]\n"
						   "0xffffffff81000400 T third\n"
						   "ffffffff81000500 T _etext\n"
						   "ffffffff82000000 T alone\n"
						   "ffffffff81000280 t late");
	uint64_t address;

	(void)state;
	assert_named(symbols, 0, NULL);
	assert_named(symbols, 0xffffffff80ffffffu, NULL);
	assert_named(symbols, 0xffffffff81000000u, "_stext");
	assert_named(symbols, 0xffffffff810001ffu, "first+0xff");
	assert_named(symbols, 0xffffffff81000200u, NULL);
	assert_named(symbols, 0xffffffff8100027fu, NULL);
	assert_named(symbols, 0xffffffff81000281u, "late+0x1");
	assert_named(symbols, 0xffffffff81000301u, "second+0x1");
	assert_named(symbols, 0xffffffff810004ffu, "third+0xff");
	assert_named(symbols, 0xffffffff81000501u, NULL);
	assert_named(symbols, 0xffffffff820fffffu, "alone+0xfffff");
	assert_named(symbols, 0xffffffff82100000u, NULL);
	assert_named(symbols, UINT64_MAX, NULL);
	assert_true(strata_symbols_find(symbols, "third", &address));
	assert_true(address == 0xffffffff81000400u);
	assert_false(strata_symbols_find(symbols, "nobody", &address));
	strata_symbols_free(symbols);
}

static void given_texts_without_symbols_then_they_are_refused(void **state)
{
	static const char *const texts[] = { "",
					     "\n",
					     "root:x:0:0:root:/root:/bin/bash\n",
					     "ffffffff81000000 D data\n",
					     "ffffffff81000000 T \n",
					     "0000000000000000 T _text\n0000000000000000 t x\n" };
	struct strata_error error;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		write_file(texts[i], strlen(texts[i]));
		assert_null(strata_symbols_load(path, &error));
		assert_non_null(strstr(error.text, path));
	}
	assert_null(strata_symbols_load(dir.path, &error));
	assert_null(strata_symbols_load("/dev/null", &error));
	assert_null(strata_symbols_load("/nowhere/at/all", &error));
}

static void given_long_names_then_they_are_cut(void **state)
{
	char text[1200] = "1000 T ";
	struct strata_symbols *symbols;
	char name[STRATA_SYMBOL_BYTES];

	(void)state;
	memset(text + 7, 'x', 1000);
	symbols = load_text(text);
	assert_true(strata_symbols_name(symbols, 0x1fff, name));
	assert_int_equal(strlen(name), STRATA_SYMBOL_NAME_MAX + strlen("+0xfff"));
	strata_symbols_free(symbols);
}

static void given_this_program_then_its_functions_are_found(void **state)
{
	struct strata_symbols *symbols = load("/proc/self/exe");
	uint64_t address, other;

	(void)state;
	assert_true(test_symbols_of_this_program(1) > 3);
	assert_true(strata_symbols_find(symbols, "test_symbols_of_this_program", &address));
	assert_named(symbols, address, "test_symbols_of_this_program");
	assert_named(symbols, address + 4, "test_symbols_of_this_program+0x4");
	/* As far apart as they are in memory. */
	assert_true(strata_symbols_find(symbols, "strata_symbols_load", &other));
	assert_true(other - address == (uint64_t)(uintptr_t)strata_symbols_load -
					       (uint64_t)(uintptr_t)test_symbols_of_this_program);
	strata_symbols_free(symbols);
}

/* The map is made of the same file, so that both name each of its functions. */
static void given_the_hypervisor_then_its_map_says_the_same(void **state)
{
	const char *elf_path = "out/xen/tree/xen/xen-syms";
	const char *map_path = "out/xen/tree/xen/xen-syms.map";
	struct strata_symbols *elf, *map;
	uint64_t address, other;

	(void)state;
	if (access(elf_path, R_OK) || access(map_path, R_OK))
		skip();
	elf = load(elf_path);
	map = load(map_path);
	assert_true(strata_symbols_find(elf, "do_sched_op", &address));
	assert_true(strata_symbols_find(map, "do_sched_op", &other));
	assert_true(address == other);
	assert_named(elf, address + 5, "do_sched_op+0x5");
	assert_named(map, address + 5, "do_sched_op+0x5");
	assert_named(elf, 0xffffffff81000000u, NULL);
	strata_symbols_free(elf);
	strata_symbols_free(map);
}

static void given_kallsyms_then_it_is_read_or_told_why_not(void **state)
{
	struct strata_error error = { "" };
	struct strata_symbols *symbols = strata_symbols_load("/proc/kallsyms", &error);

	(void)state;
	if (symbols)
		strata_symbols_free(symbols);
	else
		assert_non_null(strstr(error.text, "/proc/kallsyms: "));
}

static void given_a_hole_or_a_zero_byte_then_the_text_ends_there(void **state)
{
	static const char text[] = "1000 T first\n2000 t sec\0ond\n3000 t third\n";
	struct strata_symbols *symbols;
	uint64_t address;

	(void)state;
	write_file(text, sizeof(text) - 1);
	symbols = load(path);
	assert_named(symbols, 0x2000, "sec");
	assert_false(strata_symbols_find(symbols, "third", &address));
	strata_symbols_free(symbols);
	write_file("1000 T first\n", 13);
	assert_int_equal(truncate(path, STRATA_SYMBOLS_BYTES + 1ll), 0);
	symbols = load(path);
	assert_named(symbols, 0x1000, "first");
	strata_symbols_free(symbols);
}

static void given_an_endless_line_then_the_file_is_refused(void **state)
{
	static char text[100000];
	struct strata_error error;

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text, "1000 T first\n", 13);
	write_file(text, sizeof(text));
	assert_null(strata_symbols_load(path, &error));
	assert_non_null(strstr(error.text, "a line of more than"));
}

/* How often something was told. */
struct told {
	unsigned int damage, no_room;
};

static void tell_damage(void *data, const char *message)
{
	assert_non_null(strstr(message, path));
	((struct told *)data)->damage++;
}

static void tell_no_room(void *data, const char *message)
{
	assert_non_null(strstr(message, "no memory is left"));
	((struct told *)data)->no_room++;
}

static struct strata_symbols *defer(uint64_t owner, struct told *told)
{
	const struct strata_symbols_told of = { .damage = tell_damage,
						.no_room = tell_no_room,
						.data = told };
	struct strata_symbols *symbols = strata_symbols_defer(path, owner, &of);

	assert_non_null(symbols);
	return symbols;
}

static void *name_one(void *symbols)
{
	char text[STRATA_SYMBOL_BYTES];

	return strata_symbols_name(symbols, 0x1004, text) ? symbols : NULL;
}

/* Names an address in several threads at once. */
static bool is_named_by_all(struct strata_symbols *symbols)
{
	pthread_t threads[8];
	bool is_named = true;
	void *result;
	size_t i;

	for (i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, name_one, symbols), 0);
	for (i = 0; i < 8; i++) {
		assert_int_equal(pthread_join(threads[i], &result), 0);
		is_named = is_named && result == symbols;
	}
	return is_named;
}

static void given_a_recording_then_its_symbols_are_loaded_when_one_is_named(void **state)
{
	struct told told = { 0 };
	struct strata_symbols *symbols;

	(void)state;
	write_file("1000 T first\n2000 t second\n", 27);
	symbols = defer(1, &told);
	assert_int_equal(strata_symbols_room_taken(), 0);
	assert_true(is_named_by_all(symbols));
	/* Two names and their zero bytes. */
	assert_int_equal(strata_symbols_room_taken(), 2 * 24 + 6 + 7);
	strata_symbols_free(symbols);
	assert_int_equal(strata_symbols_room_taken(), 0);
	assert_int_equal(told.damage + told.no_room, 0);
}

static void given_a_damaged_recording_then_it_is_told_once(void **state)
{
	struct told told = { 0 };
	struct strata_symbols *symbols;

	(void)state;
	write_file("nothing\n", 8);
	symbols = defer(1, &told);
	assert_false(is_named_by_all(symbols));
	assert_int_equal(told.damage, 1);
	strata_symbols_free(symbols);
	unlink(path);
	symbols = defer(1, &told);
	assert_false(is_named_by_all(symbols));
	assert_int_equal(told.damage, 1);
	strata_symbols_free(symbols);
}

/* Writes as many symbols as @bytes have room for. */
static void write_symbols(size_t bytes)
{
	FILE *file = fopen(path, "w");
	size_t i;

	assert_non_null(file);
	assert_true(fputs("1000 T first\n", file) >= 0);
	for (i = 1; i < bytes / (24 + 2); i++)
		assert_true(fputs("f t a\n", file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void given_many_large_recordings_then_they_share_a_limit(void **state)
{
	struct strata_symbols *large[10], *small;
	struct told told = { 0 };
	unsigned int named = 0;
	size_t i;

	(void)state;
	write_symbols(STRATA_SYMBOLS_ROOM_FILE / 8 * 7);
	for (i = 0; i < 10; i++) {
		large[i] = defer(i + 1, &told);
		named += name_one(large[i]) != NULL;
		assert_true(strata_symbols_room_taken() <= STRATA_SYMBOLS_ROOM_MAX);
	}
	assert_in_range(named, 5, 8);
	assert_int_equal(told.no_room, 10 - named);
	/* One that comes later has room for what kernels have. */
	write_symbols((size_t)10 << 20);
	small = defer(100, &told);
	assert_non_null(name_one(small));
	strata_symbols_free(small);
	for (i = 0; i < 10; i++)
		strata_symbols_free(large[i]);
	assert_int_equal(strata_symbols_room_taken(), 0);
}

static void given_too_many_symbols_of_one_recording_then_it_has_none(void **state)
{
	struct told told = { 0 };
	struct strata_symbols *symbols;

	(void)state;
	write_symbols(STRATA_SYMBOLS_ROOM_FILE + (1u << 20));
	symbols = defer(1, &told);
	assert_null(name_one(symbols));
	assert_int_equal(told.no_room, 1);
	assert_int_equal(strata_symbols_room_taken(), 0);
	strata_symbols_free(symbols);
	/* A file that the user gives has no such limit. */
	symbols = load(path);
	assert_named(symbols, 0x1000, "first");
	strata_symbols_free(symbols);
}

static void look_up(struct strata_symbols *symbols, const uint8_t *bytes, size_t nr)
{
	char text[STRATA_SYMBOL_BYTES];
	uint64_t address;
	size_t i;

	for (i = 0; symbols && i + 8 <= nr; i += nr / 64 + 1) {
		memcpy(&address, bytes + i, sizeof(address));
		if (strata_symbols_name(symbols, address, text))
			assert_true(strlen(text) < sizeof(text));
	}
	strata_symbols_free(symbols);
}

/* Of an ELF file with bytes of its headers, sections and tables changed, and cut off. */
static void given_damaged_files_then_nothing_breaks(void **state)
{
	const int fd = open("/proc/self/exe", O_RDONLY);
	struct strata_error error;
	struct stat status;
	uint8_t *bytes;
	uint64_t sections;
	size_t i, j, nr;

	(void)state;
	assert_int_equal(fstat(fd, &status), 0);
	nr = (size_t)status.st_size;
	bytes = malloc(nr);
	assert_non_null(bytes);
	assert_int_equal(read(fd, bytes, nr), nr);
	close(fd);
	memcpy(&sections, bytes + 0x28, sizeof(sections));
	srandom(8);
	for (i = 0; i < MUTATIONS; i++) {
		uint8_t saved[8];
		size_t at[8];

		for (j = 0; j < 8; j++) {
			at[j] = j % 2 ? (size_t)(sections + (size_t)random() % (nr - sections))
				      : (size_t)random() % 64;
			saved[j] = bytes[at[j]];
			bytes[at[j]] = i % 3 ? (uint8_t)random() : 0xff;
		}
		/* The magic mostly stays, so that the rest is read. */
		if (i % 8)
			memcpy(bytes,
			       "\x7f"
			       "ELF\2\1",
			       6);
		write_file(bytes, i % 5 ? nr : (size_t)random() % nr);
		look_up(strata_symbols_load(path, &error), bytes, nr);
		for (j = 8; j-- > 0;)
			bytes[at[j]] = saved[j];
		memcpy(bytes,
		       "\x7f"
		       "ELF\2\1",
		       6);
	}
	free(bytes);
}

static int set_up(void **state)
{
	(void)state;
	trace_dir_make(&dir);
	snprintf(path, sizeof(path), "%s/file", dir.path);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	trace_dir_remove(&dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(given_a_text_then_addresses_have_the_function_they_lie_in),
		cmocka_unit_test(given_texts_without_symbols_then_they_are_refused),
		cmocka_unit_test(given_long_names_then_they_are_cut),
		cmocka_unit_test(given_this_program_then_its_functions_are_found),
		cmocka_unit_test(given_the_hypervisor_then_its_map_says_the_same),
		cmocka_unit_test(given_kallsyms_then_it_is_read_or_told_why_not),
		cmocka_unit_test(given_damaged_files_then_nothing_breaks),
		cmocka_unit_test(given_a_hole_or_a_zero_byte_then_the_text_ends_there),
		cmocka_unit_test(given_an_endless_line_then_the_file_is_refused),
		cmocka_unit_test(given_a_recording_then_its_symbols_are_loaded_when_one_is_named),
		cmocka_unit_test(given_a_damaged_recording_then_it_is_told_once),
		cmocka_unit_test(given_many_large_recordings_then_they_share_a_limit),
		cmocka_unit_test(given_too_many_symbols_of_one_recording_then_it_has_none),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
