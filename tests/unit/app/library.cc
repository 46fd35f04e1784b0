// SPDX-License-Identifier: GPL-2.0-or-later
/* library.cc - a library in C++ that program.c loads: its events come, and go with it. */
#include <strata/tracepoint.h>

STRATA_EVENT(library, loaded, strata_u64(number), strata_string(text));

extern "C" void library_write(uint64_t number);

void library_write(uint64_t number)
{
	for (uint64_t i = 0; i < number; i++)
		STRATA_TRACE(library, loaded, i, "from C++");
}
