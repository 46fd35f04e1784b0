/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * function_set.h - the functions of the kernel and of its modules whose names match a pattern, and
 * that the function tracer can hook.
 */
#ifndef STRATA_KMOD_FUNCTION_SET_H
#define STRATA_KMOD_FUNCTION_SET_H

#include <linux/types.h>

struct strata_function {
	unsigned long hook;    /* address of the call that the function tracer replaces */
	unsigned long address; /* of the function */
	const char *name;
	unsigned int name_bytes; /* with its zero byte */
};

struct strata_function_set {
	u32 nr;
	struct strata_function functions[]; /* in order of `hook`, all different */
};

/*
 * Finds the functions of a pattern as glob_match() has it.  Of two names of one function it takes
 * one.
 * Returns the set, or an ERR_PTR(): -ENOENT: no function matches; -E2BIG: more than
 * STRATA_GUEST_FUNCTIONS_MAX names do; -EOPNOTSUPP: this kernel has no function tracer, or does not
 * list its functions; -ENOMEM.  One caller at a time; may sleep.
 */
struct strata_function_set *strata_function_set_make(const char *pattern);

void strata_function_set_free(struct strata_function_set *set);

/* The function that has its hook at an address; NULL: the set has none.  Any context. */
const struct strata_function *strata_function_set_find(const struct strata_function_set *set,
						       unsigned long hook);

#endif /* STRATA_KMOD_FUNCTION_SET_H */
