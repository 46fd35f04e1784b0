// SPDX-License-Identifier: GPL-2.0-only
/* kernel_btf.c - see kernel_btf.h. */
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "kernel_btf.h"
#include "kernel_symbols.h"

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

bool strata_kernel_btf_owner(const char *function, char *module)
{
	const unsigned long address = (unsigned long)strata_kernel_symbol(function);
	typeof(&__module_address) find_owner;
	struct module *owner;

	*module = '\0';
	if (!address)
		return false;
	STRATA_KERNEL_FUNCTION(find_owner, __module_address);
	/* No module goes meanwhile. */
	preempt_disable();
	owner = find_owner ? find_owner(address) : NULL;
	if (owner)
		strscpy(module, owner->name, MODULE_NAME_LEN);
	preempt_enable();
	return true;
}
