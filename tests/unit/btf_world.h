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
/* Of its module ext4; NULL: that has none. */
static void *module_btf;
static size_t module_btf_bytes;
/* References of that module. */
static int module_held;

struct module {
	int nothing;
};

#include "../../guest-kmod/btf_names.c"
#include "../../guest-kmod/btf_prototype.c"
#include "../../guest-kmod/btf_types.c"

const void *strata_kernel_btf(size_t *bytes)
{
	*bytes = kernel_btf_bytes;
	return kernel_btf;
}

/* It has functions called known_..., and its module ext4 those called module_..., and trace points
 * called likewise. */
bool strata_kernel_btf_owner(const char *function, struct strata_btf_owner *owner)
{
	static struct module ext4;
	const char *name = !strncmp(function, "__traceiter_", 12) ? function + 12 : function;

	memset(owner, 0, sizeof(*owner));
	if (!strncmp(name, "module_", 7)) {
		strcpy(owner->name, "ext4");
		owner->module = &ext4;
		owner->data = module_btf;
		owner->bytes = module_btf_bytes;
		module_held++;
	}
	return owner->module || !strncmp(name, "known_", 6);
}

void strata_kernel_btf_put(struct strata_btf_owner *owner)
{
	module_held -= owner->module != NULL;
	owner->module = NULL;
}

#endif /* STRATA_TESTS_BTF_WORLD_H */
