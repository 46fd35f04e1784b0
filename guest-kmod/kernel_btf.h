/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel_btf.h - finds the BTF of the running kernel in its memory, where /sys/kernel/btf/vmlinux
 * reads it, too.
 */
#ifndef STRATA_KMOD_KERNEL_BTF_H
#define STRATA_KMOD_KERNEL_BTF_H

#include <linux/types.h>

/* Returns the BTF, which stays; NULL: this kernel has none.  One caller at a time; may sleep. */
const void *strata_kernel_btf(size_t *bytes);

/* Whether a function of that name is in the kernel's own code or in a module's.
 * @module: OUT, the module's name, of MODULE_NAME_LEN; "": the kernel's own */
bool strata_kernel_btf_owner(const char *function, char *module);

#endif /* STRATA_KMOD_KERNEL_BTF_H */
