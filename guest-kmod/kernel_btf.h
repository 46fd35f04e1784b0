/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel_btf.h - finds the BTF of the running kernel in its memory, where /sys/kernel/btf/vmlinux
 * reads it, too, and that of its modules in their files there: the kernel frees what it loaded with
 * a module, and shows a copy of its own if that fits the kernel.
 */
#ifndef STRATA_KMOD_KERNEL_BTF_H
#define STRATA_KMOD_KERNEL_BTF_H

#include <linux/module.h>
#include <linux/types.h>

/* Returns the BTF, which stays; NULL: this kernel has none.  One caller at a time; may sleep. */
const void *strata_kernel_btf(size_t *bytes);

/* Where a function is. */
struct strata_btf_owner {
	struct module *module; /* held until strata_kernel_btf_put(); NULL: the kernel itself */
	char name[MODULE_NAME_LEN];
	/* The module's BTF, which continues the kernel's; NULL: it has none that fits. */
	void *data;
	size_t bytes;
};

/* Finds the owner of a function, also if the kernel does not export it.  False: no part of the
 * kernel has a function of that name.  One caller at a time; may sleep. */
bool strata_kernel_btf_owner(const char *function, struct strata_btf_owner *owner);

void strata_kernel_btf_put(struct strata_btf_owner *owner);

#endif /* STRATA_KMOD_KERNEL_BTF_H */
