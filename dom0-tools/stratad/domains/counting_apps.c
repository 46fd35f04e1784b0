// SPDX-License-Identifier: GPL-2.0-or-later
/* counting_apps.c - see counting_apps.h. */
#include "stratad/domains/counting_apps.h"

#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"

#include "consumerd/host/file_limit.h"
#include "consumerd/host/hang_up.h"
#include "stratad/domains/apps.h"

/* How long programs may take to begin, and to stop. */
#define SETTLE_MS 2000u
#define TURN_MS   20u

/* Open files apart from applications'. */
#define FILES_OWN 64u

struct counting_apps {
	struct apps apps;
	struct aggregated_apps sums;
	struct peer_looks looks;
	struct memory_makers makers;
	bool stopped;
};

struct counting_apps *counting_apps_new(const struct aggregate_choice *what,
					struct app_selection *selections, size_t nr_selections,
					struct strata_error *error)
{
	struct counting_apps *counting = calloc(1, sizeof(*counting));

	if (!counting) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	counting->looks.socket = counting->makers.socket = -1;
	counting->apps = (struct apps){ .counting = &counting->sums,
					.looks = &counting->looks,
					.makers = &counting->makers,
					.selections = selections,
					.nr_selections = nr_selections,
					.listener = -1,
					.epoll = -1,
					.spare = -1 };
	if (!peer_looks_open(&counting->looks, 0, error) &&
	    !memory_makers_open(&counting->makers, error) &&
	    !aggregated_apps_open(&counting->sums, what, error))
		return counting;
	peer_looks_close(&counting->looks);
	memory_makers_close(&counting->makers);
	aggregated_apps_close(&counting->sums);
	free(counting);
	return NULL;
}

/* Serves applications until all have answered, or a while. */
static void settle(struct counting_apps *counting)
{
	const uint64_t end_ms = clock_now_ms(CLOCK_MONOTONIC) + SETTLE_MS;

	do
		counting_apps_wait(counting, TURN_MS);
	while (!apps_settled(&counting->apps) && clock_now_ms(CLOCK_MONOTONIC) < end_ms);
}

int counting_apps_start(struct counting_apps *counting, unsigned int number,
			struct strata_error *error)
{
	const unsigned long limit = file_limit_raise();
	unsigned long files = limit > FILES_OWN ? limit - FILES_OWN : 1;
	const unsigned long leaving = hang_up_limit(files);

	files = files > leaving ? files - leaving : 1;
	/* A connection needs two: its socket, and its process. */
	principals_lower_total(counting->sums.principals, PRINCIPAL_CONNECTIONS, files / 4);
	counting->apps.number = number;
	if (apps_open(&counting->apps, error))
		return -1;
	settle(counting);
	return 0;
}

void counting_apps_wait(struct counting_apps *counting, unsigned int ms)
{
	struct pollfd work = { .fd = counting->apps.epoll, .events = POLLIN };
	const uint64_t end_ms = clock_now_ms(CLOCK_MONOTONIC) + ms;
	uint64_t now = clock_now_ms(CLOCK_MONOTONIC);

	do {
		/* What is not due to a message, such as a time limit, waits for a turn. */
		const uint64_t left = end_ms - now;

		poll(&work, 1, (int)(left < TURN_MS ? left : TURN_MS));
		principals_begin_turn(counting->sums.principals);
		apps_tend(&counting->apps);
		now = clock_now_ms(CLOCK_MONOTONIC);
	} while (now < end_ms && !counting->stopped);
}

const struct aggregated_apps *counting_apps_read(struct counting_apps *counting,
						 struct strata_error *error)
{
	return aggregated_apps_read(&counting->sums, error) ? NULL : &counting->sums;
}

void counting_apps_stop(struct counting_apps *counting)
{
	apps_stop(&counting->apps);
	counting->stopped = true;
	settle(counting);
}

bool counting_apps_end(struct counting_apps *counting)
{
	bool left_out;

	if (!counting)
		return false;
	if (counting->stopped)
		apps_name_missing(&counting->apps);
	left_out = counting->apps.left_out;
	principals_sum_up(counting->sums.principals);
	apps_release(&counting->apps, true);
	peer_looks_close(&counting->looks);
	memory_makers_close(&counting->makers);
	aggregated_apps_close(&counting->sums);
	free(counting);
	return left_out;
}
