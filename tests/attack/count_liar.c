// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * count_liar.c - an application that counts for an aggregator and lies: COUNT_LIAR SOCKET FILE.
 *
 * It describes an event of the name that another user's program has, takes its tables, and writes
 * anything into all of their words until it is killed.  FILE comes when it has begun.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../raw_app.h"

static uint64_t *take_tables(int fd, size_t *words)
{
	struct strata_app_packet packet;
	int given = raw_app_receive_memory(fd, &packet);
	uint64_t *tables;

	if (given < 0 || packet.head.value != STRATA_APP_COUNT) {
		fprintf(stderr, "no tables came\n");
		exit(1);
	}
	/* It can be made no smaller under the aggregator's feet. */
	if (!ftruncate(given, 4096)) {
		fprintf(stderr, "the memory can be shrunk\n");
		exit(1);
	}
	*words = packet.head.count * strata_app_table_bytes(&packet.u.spec) / sizeof(*tables);
	tables = mmap(NULL, *words * sizeof(*tables), PROT_READ | PROT_WRITE, MAP_SHARED, given,
		      (off_t)packet.head.first_page * STRATA_PAGE_BYTES);
	if (tables == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return tables;
}

int main(int argc, char **argv)
{
	struct strata_event_desc event = { .name = "plain", .group = "test" };
	uint64_t word = 88172645463325252u;
	volatile uint64_t *tables;
	size_t words, i;
	int fd;

	if (argc < 3)
		return 2;
	fd = raw_app_connect(argv[1]);
	raw_app_say(fd, STRATA_APP_HELLO, STRATA_APP_WRITE_MODES,
		    (uint32_t)sysconf(_SC_NPROCESSORS_CONF), NULL, 0, 0);
	raw_app_say(fd, STRATA_APP_EVENT, 0, 0, &event, strata_event_desc_bytes(0), 0);
	raw_app_say(fd, STRATA_APP_READY, 0, 0, NULL, 0, 0);
	tables = take_tables(fd, &words);
	raw_app_say(fd, STRATA_APP_ATTACHED, 0, 0, NULL, 0, 0);
	for (;;) {
		for (i = 0; i < words; i++) {
			word ^= word << 13;
			word ^= word >> 7;
			word ^= word << 17;
			tables[i] = word;
		}
		close(open(argv[2], O_WRONLY | O_CREAT, 0644));
	}
}
