// SPDX-License-Identifier: GPL-2.0-only
/* kernel_symbols.c - see kernel_symbols.h. */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>

#include "kernel_symbols.h"

/* Registering a kprobe finds its symbol's address. */
static void *find_look_up(void)
{
	struct kprobe kprobe = { .symbol_name = "kallsyms_lookup_name",
				 .flags = KPROBE_FLAG_DISABLED };
	void *address;

	if (register_kprobe(&kprobe))
		return NULL;
	address = kprobe.addr;
	unregister_kprobe(&kprobe);
	return address;
}

void *strata_kernel_symbol(const char *name)
{
	static typeof(&kallsyms_lookup_name) look_up;

	if (!look_up)
		look_up = (typeof(look_up))find_look_up();
	return look_up ? (void *)look_up(name) : NULL;
}
