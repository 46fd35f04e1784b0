/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.h - see lib.h. */
#include <xen/lib.h>
