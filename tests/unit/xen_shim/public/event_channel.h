/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event_channel.h - see ../xen/lib.h. */
#include <xen/lib.h>
