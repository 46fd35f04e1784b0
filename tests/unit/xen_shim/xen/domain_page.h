/* SPDX-License-Identifier: GPL-2.0-or-later */
/* domain_page.h - see lib.h. */
#include <xen/lib.h>
