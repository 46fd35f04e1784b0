// SPDX-License-Identifier: GPL-2.0-or-later
// messages_inline.cc - calls of strata_printf() where C++ keeps them: templates, members, lambdas, inline functions.
#include <strata/printf.h>

namespace
{
enum colour { red, green };

struct bits {
	unsigned int low : 3;
};

struct thing {
	const char *name;
	void tell() const { strata_printf("thing %s", name); }
};

template <typename T> void show(T value)
{
	strata_printf_level(STRATA_LOG_INFO, "value %d", static_cast<int>(value));
}
} // namespace

inline void be_inline(int number)
{
	strata_printf("inline %d", number);
}

// Addresses of functions, and strings of bytes.
static void write_pointers()
{
	unsigned char bytes[] = "bytes";
	const signed char code[] = "code";
	void *const itself = reinterpret_cast<void *>(&be_inline);

	strata_printf("function %p is %p", &be_inline, itself);
	strata_printf("function %p has any arguments", static_cast<int (*)(const char *, ...)>(nullptr));
	strata_printf("strings %s %s", bytes, code);
}

int main()
{
	char name[] = "bob";
	const bits packed = { 5 };
	const auto lambda = [](int number) { strata_printf("lambda %d", number); };

	strata_printf("types %s %d %u %c %llu %g %p", name, green, packed.low, 'c', 5ull, 2.5f, nullptr);
	thing{ "one" }.tell();
	show(1);
	show(2L);
	be_inline(3);
	lambda(4);
	write_pointers();
	return 0;
}
