// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hotadd N - tells Xen that processor N was added to the host: N is its number for ACPI and for its
 * local APIC.  A kernel of dom0 that follows ACPI's notifications would do the same.
 *
 * A test script starts it in dom0.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xencall.h>

#include <xen/xen.h>
#include <xen/platform.h>

int main(int argc, char **argv)
{
	xencall_handle *call = xencall_open(NULL, 0);
	struct xen_platform_op *op;
	uint32_t number;

	if (argc != 2) {
		fprintf(stderr, "usage: hotadd N\n");
		return 2;
	}
	number = (uint32_t)strtoul(argv[1], NULL, 10);
	op = call ? xencall_alloc_buffer(call, sizeof(*op)) : NULL;
	if (!op) {
		fprintf(stderr, "hotadd: no hypercalls: %s\n", strerror(errno));
		return 1;
	}
	memset(op, 0, sizeof(*op));
	op->cmd = XENPF_cpu_hotadd;
	op->interface_version = XENPF_INTERFACE_VERSION;
	op->u.cpu_add.apic_id = number;
	op->u.cpu_add.acpi_id = number;
	if (xencall1(call, __HYPERVISOR_platform_op, (uint64_t)(uintptr_t)op) < 0) {
		fprintf(stderr, "hotadd: Xen does not add processor %u: %s\n", number,
			strerror(errno));
		return 1;
	}
	return 0;
}
