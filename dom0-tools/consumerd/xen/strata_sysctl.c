// SPDX-License-Identifier: GPL-2.0-or-later
/* strata_sysctl.c - see strata_sysctl.h. */
#define __XEN_TOOLS__ 1 /* before any header of Xen: it opens the sysctl interface */

#include "consumerd/xen/strata_sysctl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <xencall.h>
#include <xentoollog.h>

#include <xen/xen.h>
#include <xen/sysctl.h>

_Static_assert(sizeof(struct strata_hv_op) <= sizeof(((struct xen_sysctl *)0)->u),
	       "the operation fits into a sysctl");

int strata_sysctl_call(struct strata_sysctl *sysctl, struct strata_hv_op *op)
{
	struct xen_sysctl *buffer = sysctl->buffer;
	int result;

	memset(buffer, 0, sizeof(*buffer));
	op->abi_version = STRATA_HV_ABI_VERSION;
	buffer->cmd = XEN_SYSCTL_strata_op;
	buffer->interface_version = XEN_SYSCTL_INTERFACE_VERSION;
	memcpy(&buffer->u, op, sizeof(*op));
	do {
		result = xencall1(sysctl->call, __HYPERVISOR_sysctl, (uint64_t)(uintptr_t)buffer);
	} while (result < 0 && errno == EINTR);
	memcpy(op, &buffer->u, sizeof(*op));
	return result < 0 ? -1 : 0;
}

/* Says why the hypercall device cannot be opened. */
static enum hypervisor_support no_device(struct strata_error *error)
{
	char type[16] = "";
	FILE *file = fopen("/sys/hypervisor/type", "re");

	if (file) {
		if (!fgets(type, sizeof(type), file))
			type[0] = '\0';
		fclose(file);
	}
	if (strncmp(type, "xen", 3)) {
		strata_fail(error,
			    "this machine does not run under Xen "
			    "(/sys/hypervisor/type does not say so): here only applications "
			    "are listed and recorded (strata list --apps, record --app); for "
			    "the rest, run strata in dom0 of a Xen host");
		return HYPERVISOR_NO_XEN;
	}
	if (access("/dev/xen/privcmd", F_OK)) {
		strata_fail(
			error,
			"/dev/xen/privcmd does not exist; load its driver (modprobe xen-privcmd), and make sure that this is dom0 and not a guest");
		return HYPERVISOR_NO_XEN;
	}
	strata_fail(error, "not permitted to trace: %s; run strata as root in dom0",
		    strerror(errno));
	return HYPERVISOR_NO_RIGHT;
}

static enum hypervisor_support probe(struct strata_sysctl *sysctl, struct strata_error *error)
{
	struct strata_hv_op op = { .operation = STRATA_HV_QUERY };

	if (!strata_sysctl_call(sysctl, &op))
		return HYPERVISOR_OK;
	switch (errno) {
	case ENOSYS:
		strata_fail(error, "this Xen lacks Strata; boot one that was built with "
				   "xen-patch/ (see xen-patch/README.md)");
		return HYPERVISOR_NO_STRATA;
	case EOPNOTSUPP:
		strata_fail(error,
			    "this Xen has ABI version %u of Strata, but this tool needs "
			    "version %u; build both from the same sources",
			    op.abi_version, STRATA_HV_ABI_VERSION);
		return HYPERVISOR_OTHER_ABI;
	case EACCES:
		strata_fail(error,
			    "this Xen has another sysctl interface version than %#x; build "
			    "strata against the headers of the Xen that runs",
			    XEN_SYSCTL_INTERFACE_VERSION);
		return HYPERVISOR_OTHER_ABI;
	default:
		strata_fail(
			error,
			"not permitted to trace: Xen answers \"%s\"; run strata as root in dom0, "
			"and allow tbufcontrol if a FLASK policy is loaded",
			strerror(errno));
		return HYPERVISOR_NO_RIGHT;
	}
}

void strata_sysctl_close(struct strata_sysctl *sysctl)
{
	if (sysctl->buffer)
		xencall_free_buffer(sysctl->call, sysctl->buffer);
	if (sysctl->call)
		xencall_close(sysctl->call);
	if (sysctl->quiet)
		xtl_logger_destroy(sysctl->quiet);
	memset(sysctl, 0, sizeof(*sysctl));
}

enum hypervisor_support strata_sysctl_open(struct strata_sysctl *sysctl, struct strata_error *error)
{
	enum hypervisor_support support;

	memset(sysctl, 0, sizeof(*sysctl));
	if (access("/dev/xen/privcmd", R_OK | W_OK))
		return no_device(error);
	sysctl->quiet = (xentoollog_logger *)xtl_createlogger_stdiostream(stderr, XTL_CRITICAL, 0);
	sysctl->call = xencall_open(sysctl->quiet, 0);
	if (sysctl->call)
		sysctl->buffer = xencall_alloc_buffer(sysctl->call, sizeof(*sysctl->buffer));
	support = sysctl->buffer ? probe(sysctl, error) : no_device(error);
	if (support != HYPERVISOR_OK)
		strata_sysctl_close(sysctl);
	return support;
}
