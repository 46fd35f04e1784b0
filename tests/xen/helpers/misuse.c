// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * misuse - asks the hypervisor for what its ABI does not offer (unknown flags, reserved fields that
 * are not 0, the number with which only the hypervisor goes on), and checks that it refuses; and
 * that it takes the same calls without that.
 *
 * Test scripts start it in dom0 while nobody records.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumerd/xen/strata_sysctl.h"

static struct strata_sysctl sysctl;
static int failures, calls;

/* Checks that @op ends with @wanted, 0 or an errno. */
static void expect(const char *what, struct strata_hv_op op, int wanted)
{
	int got = strata_sysctl_call(&sysctl, &op) ? errno : 0;

	calls++;
	if (got == wanted)
		return;
	failures++;
	printf("misuse: %s: %s, and not %s\n", what, got ? strerror(got) : "accepted",
	       wanted ? strerror(wanted) : "accepted");
}

static struct strata_hv_op create_op(void)
{
	struct strata_hv_op op = { .operation = STRATA_HV_CREATE };

	op.u.create.subbuf_bits = 12;
	op.u.create.nr_subbufs_bits = 3;
	strcpy(op.u.create.owner, "misuse");
	return op;
}

int main(void)
{
	const uint32_t begin_and_apply = STRATA_HV_SELECT_BEGIN | STRATA_HV_SELECT_APPLY;
	struct strata_error error = { "" };
	struct strata_hv_op op;

	if (strata_sysctl_open(&sysctl, &error) != HYPERVISOR_OK) {
		fprintf(stderr, "misuse: %s\n", error.text);
		return 1;
	}

	op = create_op();
	op.u.create.flags = 2;
	expect("CREATE with an unknown flag", op, EINVAL);
	op = create_op();
	op.u.create.reserved = 1;
	expect("CREATE with a reserved field", op, EINVAL);
	expect("CREATE", create_op(), 0);

	op = (struct strata_hv_op){ .operation = STRATA_HV_SELECT };
	op.u.select.flags = begin_and_apply | 4;
	expect("SELECT with the flag that once said that it goes on", op, EINVAL);
	op.u.select.flags = 0x80000000u;
	expect("SELECT with an unknown flag", op, EINVAL);
	op.u.select.flags = begin_and_apply;
	op.u.select.continued = 7;
	expect("SELECT that pretends to go on", op, EINVAL);
	op.u.select.continued = UINT32_MAX;
	expect("SELECT that pretends to go on with another number", op, EINVAL);
	op.u.select.continued = 0;
	expect("SELECT", op, 0);

	op = (struct strata_hv_op){ .operation = STRATA_HV_START };
	op.u.start.reserved = 1;
	expect("START with a reserved field", op, EINVAL);
	op.u.start.reserved = 0;
	expect("START", op, 0);
	expect("STOP", (struct strata_hv_op){ .operation = STRATA_HV_STOP }, 0);
	expect("DESTROY", (struct strata_hv_op){ .operation = STRATA_HV_DESTROY }, 0);

	printf("misuse: %d of %d calls ended as they must\n", calls - failures, calls);
	strata_sysctl_close(&sysctl);
	return failures ? 1 : 0;
}
