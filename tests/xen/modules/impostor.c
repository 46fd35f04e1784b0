// SPDX-License-Identifier: GPL-2.0-only
/*
 * impostor.c - a module from outside of the kernel with a trace point that has the name and group
 * of one of nbd's, but a number for its argument instead of pointers.  A probe of nbd's would
 * crash.
 */
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "impostor_trace.h"

static int __init impostor_init(void)
{
	trace_nbd_header_sent(1);
	pr_info("impostor: its trace point was reached\n");
	return 0;
}

static void __exit impostor_exit(void)
{
}

module_init(impostor_init);
module_exit(impostor_exit);

MODULE_DESCRIPTION("Has a trace point of the name of another module's");
MODULE_LICENSE("GPL");
