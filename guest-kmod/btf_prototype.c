// SPDX-License-Identifier: GPL-2.0-only
/* btf_prototype.c - see btf_prototype.h. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "btf_prototype.h"

/* Of a kernel's function. */
#define FUNCTION_BYTES 256u

/* Places that have no parameters, by their notation. */
static int check_place(struct strata_btf_names *names)
{
	if (strpbrk(names->place, "*?["))
		return strata_btf_refuse(
			names,
			"'%s' is a pattern, and names are those of one function; use $arg1 to $arg6",
			names->place);
	if (strchr(names->place, '+'))
		return strata_btf_refuse(
			names,
			"parameters are known by name where a function begins, not at %s; use registers such as %%di",
			names->place);
	if (strchr(names->place, '.'))
		return strata_btf_refuse(
			names,
			"'%s' is a variant of a function that the compiler made, with other parameters; use $arg1 to $arg6",
			names->place);
	return 0;
}

/* The function of the kernel that has the parameters: with a trace point's name, the one that calls
 * its probes.  Its first parameter is then the probe's own. */
static int find_function(struct strata_btf_names *names, char function[FUNCTION_BYTES])
{
	const char *prefix = names->of == STRATA_ARGS_OF_TRACEPOINT ? "__traceiter_" : "";
	const int length = snprintf(function, FUNCTION_BYTES, "%s%s", prefix, names->place);

	return length < (int)FUNCTION_BYTES
		       ? 0
		       : strata_btf_refuse(names, "'%s' is too long for a name", names->place);
}

static u32 skipped_parameters(const struct strata_btf_names *names)
{
	return names->of == STRATA_ARGS_OF_TRACEPOINT ? 1 : 0;
}

const struct btf_param *strata_btf_parameters(const struct strata_btf_names *names, u32 *nr)
{
	const u32 all = BTF_INFO_VLEN(names->prototype->info), skipped = skipped_parameters(names);

	*nr = all > skipped ? all - skipped : 0;
	return (const struct btf_param *)strata_btf_parts(names->prototype) + skipped;
}

/* BTF does not describe the function. */
static int refuse_function(struct strata_btf_names *names, u32 nr)
{
	if (nr > 1)
		return strata_btf_refuse(
			names,
			"the kernel has %u functions '%s' with different parameters; use $arg1 to $arg6",
			nr, names->place);
	if (names->owner.module && !names->owner.data)
		return strata_btf_refuse(
			names,
			"'%s' is of module %s, whose BTF is not in /sys/kernel/btf/%s, or that is not of this kernel; use $arg1, $arg2...",
			names->place, names->owner.name, names->owner.name);
	return strata_btf_refuse(
		names, "the BTF of the kernel%s%s does not describe '%s'; use $arg1, $arg2...",
		names->owner.module ? "'s module " : "", names->owner.name, names->place);
}

/* Finds the BTF of the module that has the function, if one has. */
static int open_module(struct strata_btf_names *names, const char *function)
{
	if (!strata_kernel_btf_owner(function, &names->owner))
		return strata_btf_refuse(
			names,
			"the kernel has no function '%s' (or only a variant such as %s.isra.0, or it is inlined); see /proc/kallsyms",
			names->place, names->place);
	if (names->owner.data &&
	    strata_btf_open(&names->module, &names->kernel, names->owner.data, names->owner.bytes))
		return strata_btf_refuse(
			names,
			"the BTF of module %s cannot be read, which names need; use $arg1, $arg2...",
			names->owner.name);
	return 0;
}

/* Finds the function in the kernel's BTF, or else in that of its module. */
static int look_up(struct strata_btf_names *names, const char *function)
{
	u32 nr;
	int err;

	names->btf = &names->kernel;
	names->prototype = strata_btf_function(&names->kernel, function, &nr);
	if (names->prototype || nr)
		return names->prototype ? 0 : refuse_function(names, nr);
	if (!names->owner.module) {
		err = open_module(names, function);
		if (err)
			return err;
	}
	if (names->owner.data) {
		names->btf = &names->module;
		names->prototype = strata_btf_function(&names->module, function, &nr);
	}
	return names->prototype ? 0 : refuse_function(names, nr);
}

int strata_btf_prototype_find(struct strata_btf_names *names)
{
	char function[FUNCTION_BYTES];
	const void *data;
	size_t bytes;
	int err;

	if (names->prototype)
		return 0;
	err = check_place(names) ?: find_function(names, function);
	if (err)
		return err;
	data = strata_kernel_btf(&bytes);
	if (!data)
		return strata_btf_refuse(
			names,
			"this kernel has no BTF (CONFIG_DEBUG_INFO_BTF), which names need; use $arg1, $arg2...");
	if (!names->kernel.place && strata_btf_open(&names->kernel, NULL, data, bytes))
		return strata_btf_refuse(
			names,
			"this kernel's BTF cannot be read, which names need; use $arg1, $arg2...");
	return look_up(names, function);
}
