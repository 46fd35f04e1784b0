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
	return 0;
}
