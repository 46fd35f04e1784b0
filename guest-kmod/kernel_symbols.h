/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel_symbols.h - the addresses of functions and data that the kernel does not export, by name.
 *
 * The function tracer's own interface lacks what the kernel's fprobes use: a list of the functions,
 * and hooks of returns.  The kernel's BTF has no interface for modules.
 */
#ifndef STRATA_KMOD_KERNEL_SYMBOLS_H
#define STRATA_KMOD_KERNEL_SYMBOLS_H

/*
 * Finds a symbol of the kernel, exported or not.
 * NULL: the kernel lacks it, or has no kprobes, by which the kernel's own look-up is found.  One
 * caller at a time; may sleep.
 */
void *strata_kernel_symbol(const char *name);

/* Sets a pointer to function @name, with the type of the kernel's declaration: another kernel's
 * declaration does not compile. */
#define STRATA_KERNEL_FUNCTION(pointer, name) \
	((pointer) = (typeof(&name))strata_kernel_symbol(#name))

#endif /* STRATA_KMOD_KERNEL_SYMBOLS_H */
