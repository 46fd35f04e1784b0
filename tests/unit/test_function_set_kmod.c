// SPDX-License-Identifier: GPL-2.0-only
/* test_function_set_kmod.c - which functions the module finds for a pattern, among those that a
 * kernel and its modules list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fnmatch.h>
#include <sys/types.h>

#include <linux/shim.h>

/* What the file needs of a kernel. */
typedef uint32_t u32;
#define GFP_KERNEL                        0
#define kvfree(memory)                    free(memory)
#define kfree(memory)                     free((void *)(memory))
#define struct_size(object, member, nr)   (sizeof(*(object)) + (nr) * sizeof((object)->member[0]))
#define sort(base, nr, size, compare, no) qsort(base, nr, size, compare)
#define ERR_PTR(error)                    ((void *)(intptr_t)(error))
#define PTR_ERR(pointer)                  ((long)(intptr_t)(pointer))

struct module;

/* Allocations of sets, and copies of names, of which a number succeed. */
static unsigned int allocations, copies;
static size_t allocated;

static void *kvzalloc(size_t bytes, int flags)
{
	(void)flags;
	allocated = bytes;
	return allocations-- ? calloc(1, bytes) : NULL;
}

static char *kstrdup(const char *text, int flags)
{
	(void)flags;
	return copies-- ? strdup(text) : NULL;
}

static bool glob_match(const char *pattern, const char *text)
{
	return !fnmatch(pattern, text, 0);
}

/* The symbols of a kernel.  Its hook is 4 bytes behind a function's beginning. */
static const struct symbol {
	const char *name;
	unsigned long address;
	bool hooked;
} of_kernel[] = {
	{ "vfs_write", 0x3000, true }, { "vfs_data", 0x9000, false }, { "vfs_read", 0x1000, true },
	{ "vfs_alias", 0x3000, true }, { "tcp_sendmsg", 0x2000, true },
}, of_module = { "vfs_of_module", 0x800, true };

/* So many more functions, many_0 and so on. */
static unsigned int many;
static bool listed = true;

static unsigned long ftrace_location(unsigned long address)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(of_kernel); i++)
		if (of_kernel[i].address == address)
			return of_kernel[i].hooked ? address + 4 : 0;
	return address + 4;
}

static int kallsyms_on_each_symbol(int (*fn)(void *, const char *, struct module *, unsigned long),
				   void *data)
{
	char name[32];
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(of_kernel); i++)
		err = fn(data, of_kernel[i].name, NULL, of_kernel[i].address);
	for (i = 0; !err && i < many; i++) {
		snprintf(name, sizeof(name), "many_%u", i);
		err = fn(data, name, NULL, 0x10000 + i * 16ul);
	}
	return err;
}

static int module_kallsyms_on_each_symbol(int (*fn)(void *, const char *, struct module *,
						    unsigned long),
					  void *data)
{
	return fn(data, of_module.name, NULL, of_module.address);
}

static void *strata_kernel_symbol(const char *name)
{
	if (!listed)
		return NULL;
	if (!strcmp(name, "ftrace_location"))
		return (void *)ftrace_location;
	if (!strcmp(name, "kallsyms_on_each_symbol"))
		return (void *)kallsyms_on_each_symbol;
	assert_string_equal(name, "module_kallsyms_on_each_symbol");
	return (void *)module_kallsyms_on_each_symbol;
}

#define STRATA_KMOD_KERNEL_SYMBOLS_H
#define STRATA_KERNEL_FUNCTION(pointer, name) \
	((pointer) = (typeof(&name))strata_kernel_symbol(#name))

/* The kernel calls it with more than it needs. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../guest-kmod/function_set.c"

static struct strata_function_set *make(const char *pattern)
{
	allocations = copies = UINT_MAX;
	return strata_function_set_make(pattern);
}

static void a_kernel_that_lists_no_functions_is_told(void **state)
{
	(void)state;
	listed = false;
	assert_int_equal(PTR_ERR(make("vfs_*")), -EOPNOTSUPP);
	listed = true;
}

static void functions_of_kernel_and_modules_are_found_once_each(void **state)
{
	static const char *const names[] = { "vfs_of_module", "vfs_read", NULL };
	static const unsigned long addresses[] = { 0x800, 0x1000, 0x3000 };
	struct strata_function_set *set;
	u32 i;

	(void)state;
	set = make("vfs_*");
	assert_int_equal(set->nr, 3);
	/* It takes no more memory than it needs. */
	assert_int_equal(allocated, sizeof(*set) + 3 * sizeof(set->functions[0]));
	for (i = 0; i < set->nr; i++) {
		const struct strata_function *function = &set->functions[i];

		assert_int_equal(function->address, addresses[i]);
		assert_int_equal(function->hook, addresses[i] + 4);
		if (names[i])
			assert_string_equal(function->name, names[i]);
		assert_int_equal(function->name_bytes, strlen(function->name) + 1);
		assert_ptr_equal(strata_function_set_find(set, addresses[i] + 4), function);
		assert_null(strata_function_set_find(set, addresses[i]));
		assert_null(strata_function_set_find(set, addresses[i] + 5));
	}
	strata_function_set_free(set);
}

static void what_cannot_be_hooked_is_no_function(void **state)
{
	(void)state;
	assert_int_equal(PTR_ERR(make("no_such")), -ENOENT);
	assert_int_equal(PTR_ERR(make("vfs_data")), -ENOENT);
}

static void there_is_a_limit(void **state)
{
	struct strata_function_set *set;

	(void)state;
	many = STRATA_GUEST_FUNCTIONS_MAX;
	set = make("many_*");
	assert_int_equal(set->nr, STRATA_GUEST_FUNCTIONS_MAX);
	assert_ptr_equal(strata_function_set_find(set, 0x10004), &set->functions[0]);
	assert_ptr_equal(strata_function_set_find(set, 0x10004 + (many - 1) * 16ul),
			 &set->functions[many - 1]);
	strata_function_set_free(set);
	many = 1 + STRATA_GUEST_FUNCTIONS_MAX;
	assert_int_equal(PTR_ERR(make("many_*")), -E2BIG);
	many = 0;
}

static void without_memory_nothing_is_left(void **state)
{
	(void)state;
	allocations = 0;
	assert_int_equal(PTR_ERR(strata_function_set_make("vfs_*")), -ENOMEM);
	allocations = UINT_MAX;
	copies = 2;
	assert_int_equal(PTR_ERR(strata_function_set_make("vfs_*")), -ENOMEM);
	copies = 3;
	assert_int_equal(PTR_ERR(strata_function_set_make("vfs_*")), -ENOMEM);
}

static void a_set_that_cannot_be_moved_stays(void **state)
{
	struct strata_function_set *set;

	(void)state;
	copies = UINT_MAX;
	allocations = 1;
	set = strata_function_set_make("vfs_*");
	assert_int_equal(set->nr, 3);
	assert_string_equal(strata_function_set_find(set, 0x1004)->name, "vfs_read");
	strata_function_set_free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First: the interfaces stay found. */
		cmocka_unit_test(a_kernel_that_lists_no_functions_is_told),
		cmocka_unit_test(functions_of_kernel_and_modules_are_found_once_each),
		cmocka_unit_test(what_cannot_be_hooked_is_no_function),
		cmocka_unit_test(there_is_a_limit),
		cmocka_unit_test(without_memory_nothing_is_left),
		cmocka_unit_test(a_set_that_cannot_be_moved_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
