/* SPDX-License-Identifier: GPL-2.0-or-later */
/* guest_access.h - see lib.h. */
#include <xen/lib.h>
