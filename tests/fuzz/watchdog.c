// SPDX-License-Identifier: GPL-2.0-or-later
/* watchdog.c - see watchdog.h. */
#include "watchdog.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sanitizer/common_interface_defs.h>

/* Of the sanitizers' runtime, whose header for them gcc does not bring. */
size_t __sanitizer_get_allocated_size(const volatile void *block);
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
					      void (*on_free)(const volatile void *));

static uint64_t running;
static size_t heap_now, heap_peak;

/* The undefined-behaviour sanitizer knows no callback, but can abort(). */
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(1);
}

static void name_seed(void)
{
	char text[80];

	snprintf(text, sizeof(text), "\n# seed %" PRIu64 "; again with --one\n", running);
	say(text);
}

static void on_abort(int number)
{
	(void)number;
	name_seed();
	_exit(1);
}

static void on_alarm(int number)
{
	(void)number;
	say("\n# a run hangs\n");
	__sanitizer_print_stack_trace();
	name_seed();
	_exit(1);
}

static void on_malloc(const volatile void *block, size_t bytes)
{
	(void)block;
	const size_t now = __atomic_add_fetch(&heap_now, bytes, __ATOMIC_RELAXED);
	size_t peak = __atomic_load_n(&heap_peak, __ATOMIC_RELAXED);

	while (now > peak && !__atomic_compare_exchange_n(&heap_peak, &peak, now, true,
							  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void on_free(const volatile void *block)
{
	if (block)
		__atomic_sub_fetch(&heap_now, __sanitizer_get_allocated_size(block),
				   __ATOMIC_RELAXED);
}

void watchdog_make(void)
{
	__sanitizer_set_death_callback(name_seed);
	__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
	signal(SIGABRT, on_abort);
	signal(SIGALRM, on_alarm);
}

void watchdog_begin(uint64_t seed, unsigned int seconds)
{
	running = seed;
	heap_peak = heap_now;
	alarm(seconds);
}

size_t watchdog_end(void)
{
	alarm(0);
	return heap_peak;
}

size_t watchdog_heap(void)
{
	return heap_now;
}
