/* SPDX-License-Identifier: GPL-2.0-or-later */
/* connection.h - connections to a recorder that speak its protocol as an application does, up to
 * where its rings are attached. */
#ifndef STRATA_TESTS_HOSTILE_CONNECTION_H
#define STRATA_TESTS_HOSTILE_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <strata/abi/app.h>

#define CONNECTIONS_MAX 4096u
#define HUGE_BYTES      (2u << 20) /* to which rings are aligned */

struct connection {
	int socket;
	uint32_t cpus;
	uint64_t stride; /* bytes from one CPU's ring to the next */
	struct strata_ring_geometry geo;
	unsigned char *rings; /* NULL: none */
	size_t bytes;
	int memory; /* descriptor of the rings; -1: none */
};

/* What an application says of itself. */
struct application {
	uint32_t cpus;
	uint32_t events; /* that it describes */
	uint32_t fields; /* of each event */
	uint64_t lost;   /* events that each ring reports as lost */
	bool seals;      /* forbids further seals of its memory */
};

extern const char *recorder_socket;
extern struct connection connections[CONNECTIONS_MAX];

/* Connects, and does all that is asked of an application.  False: the recorder has hung up. */
bool attach(struct connection *connection, const struct application *application);

/* Attaches @nr applications.  Returns how many the recorder took; these are the first connections.
 */
uint32_t attach_all(uint32_t nr, const struct application *application);

/* The same, of an application with one event and a lost record for each of @cpus. */
uint32_t attach_plain(uint32_t nr, uint32_t cpus);

void hang_up(struct connection *connection);

struct strata_single_area *area_of(const struct connection *connection, uint32_t cpu);

/* Prints "connections @nr", for which the script waits. */
void print_connections(uint32_t nr);

/* Ends the program with the message of a system call that failed. */
void fail(const char *call) __attribute__((noreturn));

#endif /* STRATA_TESTS_HOSTILE_CONNECTION_H */
