// SPDX-License-Identifier: GPL-2.0-or-later
// messages_library.cc - a library with messages, for messages_loader.c: LIBRARY is its name.  All of them have be_shared(), and with
// clang++ they share its call, which is the first of each.
#include <strata/printf.h>

#define TEXT_(name) #name
#define TEXT(name)  TEXT_(name)

inline void be_shared(const char *from)
{
	strata_printf("shared, from %s", from);
}

// clang++ keeps calls of inline functions behind all others.
namespace LIBRARY
{
inline void be_own()
{
	strata_printf("own message of %s", TEXT(LIBRARY));
}
} // namespace LIBRARY

extern "C" void library_write();

void library_write()
{
	be_shared(TEXT(LIBRARY));
	LIBRARY::be_own();
}
