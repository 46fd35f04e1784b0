// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpuid - executes CPUID without end: in a PVH guest each is a VM exit.
 *
 * A case of the gallery starts it in a guest.
 */
#include <cpuid.h>

int main(void)
{
	unsigned int a, b, c, d;

	for (;;)
		__cpuid(0x40000000, a, b, c, d);
}
