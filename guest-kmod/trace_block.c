// SPDX-License-Identifier: GPL-2.0-only
/* trace_block.c - events of block devices and asynchronous requests. */
#include "trace_helpers.h"

#include <linux/dma-fence.h>
#include <linux/io_uring_types.h>
#include <linux/io_uring.h>

/* The names of operations are io_uring's own; the field opcode says which one it is. */
#define io_uring_get_opcode(opcode) "unnamed"

#define CREATE_TRACE_POINTS
#include <trace/events/block.h>
#include <trace/events/dma_fence.h>
#include <trace/events/io_uring.h>
