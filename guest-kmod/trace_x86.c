// SPDX-License-Identifier: GPL-2.0-only
/* trace_x86.c - events of the processor and of Xen, as a kernel sees them. */
#include "trace_helpers.h"

#include <xen/interface/xen.h>

#define CREATE_TRACE_POINTS
#include <asm/msr-trace.h>
#include <asm/trace/exceptions.h>
#include <asm/trace/fpu.h>
#include <asm/trace/irq_vectors.h>
#include <trace/events/xen.h>
