/* SPDX-License-Identifier: GPL-2.0-only */
/* The C library includes this one, too. */
#include_next <linux/errno.h>
