/* SPDX-License-Identifier: GPL-2.0-or-later */
/* msr.h - see ../xen/lib.h. */
#include <xen/lib.h>
