// SPDX-License-Identifier: GPL-2.0-only
/* function_set.c - see function_set.h. */
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/glob.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include <strata/abi/guest.h>

#include "function_set.h"
#include "kernel_symbols.h"

/* The kernel's, which it does not export. */
static typeof(&kallsyms_on_each_symbol) on_each_symbol;
static typeof(&module_kallsyms_on_each_symbol) on_each_symbol_of_modules;
static typeof(&ftrace_location) location;

struct search {
	const char *pattern;
	struct strata_function_set *set;
};

/* Takes a function into the set.  0, or what ends the search: -E2BIG where the set is full, because
 * a look-up of all functions of a kernel takes long, or -ENOMEM. */
static int take(void *context, const char *name, struct module *module, unsigned long address)
{
	struct search *search = context;
	struct strata_function *function;
	unsigned long hook;

	if (!glob_match(search->pattern, name))
		return 0;
	hook = location(address);
	if (!hook)
		return 0;
	if (search->set->nr == STRATA_GUEST_FUNCTIONS_MAX)
		return -E2BIG;
	function = &search->set->functions[search->set->nr];
	*function = (struct strata_function){ .hook = hook, .address = address };
	function->name = kstrdup(name, GFP_KERNEL);
	if (!function->name)
		return -ENOMEM;
	function->name_bytes = strlen(name) + 1;
	search->set->nr++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct strata_function *one = a, *other = b;

	return one->hook < other->hook ? -1 : one->hook > other->hook;
}

/* Sorts the functions, and leaves one of those with the same hook. */
static void order(struct strata_function_set *set)
{
	u32 i, nr = 0;

	sort(set->functions, set->nr, sizeof(set->functions[0]), compare, NULL);
	for (i = 0; i < set->nr; i++) {
		if (nr > 0 && set->functions[nr - 1].hook == set->functions[i].hook)
			kfree(set->functions[i].name);
		else
			set->functions[nr++] = set->functions[i];
	}
	set->nr = nr;
}

static bool find_interfaces(void)
{
	return on_each_symbol ||
	       (STRATA_KERNEL_FUNCTION(location, ftrace_location) &&
		STRATA_KERNEL_FUNCTION(on_each_symbol_of_modules, module_kallsyms_on_each_symbol) &&
		STRATA_KERNEL_FUNCTION(on_each_symbol, kallsyms_on_each_symbol));
}

static int find(struct search *search)
{
	int err = on_each_symbol(take, search);

	if (!err)
		err = on_each_symbol_of_modules(take, search);
	if (err)
		return err;
	return search->set->nr ? 0 : -ENOENT;
}

static struct strata_function_set *alloc(u32 nr)
{
	struct strata_function_set *set = NULL;

	return kvzalloc(struct_size(set, functions, nr), GFP_KERNEL);
}

/* Moves a set to memory of its length: most patterns match few functions.  The set, which is where
 * it was if there is no such memory. */
static struct strata_function_set *fit(struct strata_function_set *set)
{
	struct strata_function_set *moved = alloc(set->nr);

	if (!moved)
		return set;
	memcpy(moved, set, struct_size(set, functions, set->nr));
	kvfree(set);
	return moved;
}

struct strata_function_set *strata_function_set_make(const char *pattern)
{
	struct search search = { .pattern = pattern };
	int err;

	if (!find_interfaces())
		return ERR_PTR(-EOPNOTSUPP);
	search.set = alloc(STRATA_GUEST_FUNCTIONS_MAX);
	if (!search.set)
		return ERR_PTR(-ENOMEM);
	err = find(&search);
	if (err) {
		strata_function_set_free(search.set);
		return ERR_PTR(err);
	}
	order(search.set);
	return fit(search.set);
}

void strata_function_set_free(struct strata_function_set *set)
{
	u32 i;

	if (!set)
		return;
	for (i = 0; i < set->nr; i++)
		kfree(set->functions[i].name);
	kvfree(set);
}

const struct strata_function *strata_function_set_find(const struct strata_function_set *set,
						       unsigned long hook)
{
	u32 low = 0, high = set->nr;

	/* Not bsearch(), which the function tracer may hook. */
	while (low < high) {
		const u32 middle = low + (high - low) / 2;

		if (set->functions[middle].hook < hook)
			low = middle + 1;
		else
			high = middle;
	}
	return low < set->nr && set->functions[low].hook == hook ? &set->functions[low] : NULL;
}
