// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * peek DOMAIN - reads the registers of a domain's first vCPU, as a debugger does: Xen pauses it for
 * that, and unpauses it.
 *
 * Test scripts start it in dom0.
 */
#define __XEN_TOOLS__ 1

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xencall.h>

#include <xen/xen.h>
#include <xen/domctl.h>

int main(int argc, char **argv)
{
	xencall_handle *call = xencall_open(NULL, 0);
	struct xen_domctl *domctl = call ? xencall_alloc_buffer(call, sizeof(*domctl)) : NULL;
	vcpu_guest_context_t *context = call ? xencall_alloc_buffer(call, sizeof(*context)) : NULL;

	if (argc != 2 || !domctl || !context) {
		fprintf(stderr, "usage: peek DOMAIN, as root in dom0\n");
		return 1;
	}
	memset(domctl, 0, sizeof(*domctl));
	domctl->cmd = XEN_DOMCTL_getvcpucontext;
	domctl->interface_version = XEN_DOMCTL_INTERFACE_VERSION;
	domctl->domain = (domid_t)atoi(argv[1]);
	set_xen_guest_handle(domctl->u.vcpucontext.ctxt, context);
	if (xencall1(call, __HYPERVISOR_domctl, (uint64_t)(uintptr_t)domctl)) {
		perror("peek: getvcpucontext");
		return 1;
	}
	printf("rip %#lx\n", (unsigned long)context->user_regs.rip);
	return 0;
}
