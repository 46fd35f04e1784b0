// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_modules.c - events of modules of the kernel, which may be loaded later
 * (module_tracepoints.h).
 *
 * Of file systems with private structures (btrfs, ext4, xfs) and of drivers with headers of their
 * own none can be here (tracepoint_probes.h records those by name); nor of kvm, whose header is at
 * odds with Xen's, nor of sunrpc, whose events call its functions, nor of 9p, whose names are not
 * identifiers.
 */
#define STRATA_OF_MODULES true
#include "trace_helpers.h"

#include <linux/jbd2.h>
#include <linux/mdio.h>
#include <linux/netfs.h>
#include <linux/phy.h>
#include <linux/virtio_vsock.h>
#include <scsi/scsi_cmnd.h>
#include <scsi/scsi_device.h>
#include <scsi/scsi_host.h>

/* nbd's own; only its address is recorded. */
struct nbd_request;

#define CREATE_TRACE_POINTS
#include <trace/events/jbd2.h>
#include <trace/events/kyber.h>
#include <trace/events/libata.h>
#include <trace/events/mdio.h>
#include <trace/events/mmc.h>
#include <trace/events/nbd.h>
#include <trace/events/netfs.h>
/* libata.h has another one. */
#undef show_opcode_name
#include <trace/events/scsi.h>
#include <trace/events/vsock_virtio_transport_common.h>
