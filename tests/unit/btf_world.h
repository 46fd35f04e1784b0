/* SPDX-License-Identifier: GPL-2.0-only */
/* btf_world.h - what the module's reader of BTF needs of a kernel, whose BTF is the test's. */
#ifndef STRATA_TESTS_BTF_WORLD_H
#define STRATA_TESTS_BTF_WORLD_H

#include <linux/shim.h>

#define GFP_KERNEL                       0
#define MODULE_NAME_LEN                  56
#define kvmalloc_array(nr, bytes, flags) calloc(nr, bytes)
#define kvfree(memory)                   free(memory)

/* NULL: the kernel has none. */
static const void *kernel_btf;
static size_t kernel_btf_bytes;

#include "../../guest-kmod/btf_names.c"
#include "../../guest-kmod/btf_types.c"

const void *strata_kernel_btf(size_t *bytes)
{
	*bytes = kernel_btf_bytes;
	return kernel_btf;
}

/* It has functions called known_..., and modules those called module_... */
bool strata_kernel_btf_owner(const char *function, char *module)
{
	const bool of_module = !strncmp(function, "module_", 7);

	strcpy(module, of_module ? "ext4" : "");
	return of_module || !strncmp(function, "known_", 6);
}

#endif /* STRATA_TESTS_BTF_WORLD_H */
