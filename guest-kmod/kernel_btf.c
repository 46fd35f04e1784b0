// SPDX-License-Identifier: GPL-2.0-only
/* kernel_btf.c - see kernel_btf.h. */
#include <linux/kernel.h>
#include <linux/kernel_read_file.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "kernel_btf.h"
#include "kernel_symbols.h"

/* More than any module has. */
#define MODULE_BTF_BYTES_MAX (16u << 20)

const void *strata_kernel_btf(size_t *bytes)
{
	/* They stay, and each look-up goes through all symbols. */
	static const char *begin, *end;

	if (!begin)
		begin = strata_kernel_symbol("__start_BTF");
	if (!end)
		end = strata_kernel_symbol("__stop_BTF");
	*bytes = begin && end > begin ? end - begin : 0;
	return *bytes ? begin : NULL;
}

/* Finds the module that has an address, and holds it.  NULL: the kernel itself has it.  False: the
 * module is being loaded or unloaded, and the kernel may free it, whoever holds it. */
static bool hold_module(unsigned long address, struct module **module)
{
	typeof(&__module_address) find_owner;
	bool held;

	STRATA_KERNEL_FUNCTION(find_owner, __module_address);
	/* No module is freed meanwhile. */
	preempt_disable();
	*module = find_owner ? find_owner(address) : NULL;
	held = !*module || ((*module)->state == MODULE_STATE_LIVE && try_module_get(*module));
	preempt_enable();
	return held;
}

/* Reads it as the kernel's first process would. */
static void read_data(struct strata_btf_owner *owner)
{
	char path[sizeof("/sys/kernel/btf/") + MODULE_NAME_LEN];
	ssize_t bytes;

	/* One from elsewhere may bring its own idea of the kernel's types. */
	if (test_bit(TAINT_OOT_MODULE, &owner->module->taints))
		return;
	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", owner->name);
	bytes = kernel_read_file_from_path_initns(path, 0, &owner->data, MODULE_BTF_BYTES_MAX, NULL,
						  READING_UNKNOWN);
	if (bytes < 0)
		owner->data = NULL;
	else
		owner->bytes = bytes;
}

bool strata_kernel_btf_owner(const char *function, struct strata_btf_owner *owner)
{
	const unsigned long address = (unsigned long)strata_kernel_symbol(function);

	memset(owner, 0, sizeof(*owner));
	if (!address || !hold_module(address, &owner->module)) {
		owner->module = NULL;
		return false;
	}
	if (owner->module) {
		strscpy(owner->name, owner->module->name, sizeof(owner->name));
		read_data(owner);
	}
	return true;
}

void strata_kernel_btf_put(struct strata_btf_owner *owner)
{
	vfree(owner->data);
	module_put(owner->module);
	owner->data = NULL;
	owner->module = NULL;
}
