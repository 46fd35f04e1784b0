// SPDX-License-Identifier: GPL-2.0-or-later
/* select.c - see select.h. */
#include "select.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define XEN_SUBCLASSES 0x0000f000u /* all of them, within a class */

static const struct {
	const char *name;
	uint32_t mask;
	const char *what;
} xen_classes[] = {
	{ "all", 0x07fff000u, "everything but guest" },
	{ "gen", 0x00010000u | XEN_SUBCLASSES, "the tracing itself" },
	{ "sched", 0x00020000u | XEN_SUBCLASSES, "scheduler, run states of vCPUs" },
	{ "dom0op", 0x00040000u | XEN_SUBCLASSES, "domains made, changed and destroyed" },
	{ "hvm", 0x00080000u | XEN_SUBCLASSES, "VM entry and exit, emulation, interrupts" },
	{ "mem", 0x00100000u | XEN_SUBCLASSES, "page grants, populate on demand" },
	{ "pv", 0x00200000u | XEN_SUBCLASSES, "hypercalls, traps and page faults of PV domains" },
	{ "shadow", 0x00400000u | XEN_SUBCLASSES, "shadow page tables" },
	{ "hw", 0x00800000u | XEN_SUBCLASSES, "physical interrupts, power states" },
	{ "guest", 0x08000000u | XEN_SUBCLASSES,
	  "what guests trace by hypercall, as many events as they like; not in all" },
	{ "none", 0, "nothing: leave the hypervisor out" },
};

#define NR_XEN_CLASSES (sizeof(xen_classes) / sizeof(xen_classes[0]))

static int add_xen_class(const char *word, size_t length, uint32_t *mask,
			 struct strata_error *error)
{
	char copy[32];
	char *end;
	unsigned long number;
	size_t i;

	for (i = 0; i < NR_XEN_CLASSES; i++) {
		if (strlen(xen_classes[i].name) == length &&
		    !strncmp(xen_classes[i].name, word, length)) {
			*mask |= xen_classes[i].mask;
			return 0;
		}
	}
	if (length < sizeof(copy)) {
		memcpy(copy, word, length);
		copy[length] = '\0';
		errno = 0;
		number = strtoul(copy, &end, 0);
		if (length && !*end && !errno && number <= 0x0fffffffu) {
			*mask |= (uint32_t)number;
			return 0;
		}
	}
	return strata_fail(error,
			   "--xen: \"%.*s\" is no class of Xen's events; `strata list --events` "
			   "lists them",
			   (int)length, word);
}

int select_xen(const char *events, uint32_t *mask, struct strata_error *error)
{
	*mask = 0;
	while (true) {
		size_t length = strcspn(events, ",");

		if (add_xen_class(events, length, mask, error))
			return -1;
		if (!events[length])
			return 0;
		events += length + 1;
	}
}

void select_print_xen_classes(FILE *out, const char *indent)
{
	size_t i;

	for (i = 0; i < NR_XEN_CLASSES; i++)
		fprintf(out, "%s%-8s %s\n", indent, xen_classes[i].name, xen_classes[i].what);
}
