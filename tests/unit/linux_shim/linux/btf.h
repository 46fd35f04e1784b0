/* SPDX-License-Identifier: GPL-2.0-only */
/* The C library's headers have this one, too. */
#include_next <linux/btf.h>
