// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hostile.c - an application that speaks the recorder's protocol correctly, and uses it to take
 * what belongs to others: hostile SOCKET ATTACK NUMBER [CPUS | UID [MORE...]].
 *
 *   silent N       N connections that never say anything
 *   started N UID  the same, as a set-user-ID program of root's that user UID has started
 *   turned N UID USER
 *                  the same, of user UID, by a process that then becomes USER
 *   queue N        N connections that never say anything; then connects again and again, sends as
 *                  many messages as the socket takes, and hangs up
 *   knock N        N connections that never say anything; then connects and hangs up, 2,000 times a
 *                  second
 *   linger N       N connections, each with a message that carries a TCP connection: closing that
 *                  waits for ten minutes
 *
 *   hold N CPUS    N connections, each with a ring for each of CPUS CPUs and one lost event in it
 *   describe N     N connections, each with 1,024 events of 40 fields, and a lost event
 *   refill N CPUS  as hold; then fills all the rings, again and again
 *   ready N        as hold, with one CPU; then sends READY without end
 *   come N         N times: connects, makes a ring, reports a lost event, hangs up
 *   pass N         the same, with nothing in the ring
 *   lies N         N times: connects, makes a ring, writes into it what no ring can hold
 *
 *   change N       as hold, with one CPU; then changes words of the rings that the recorder reads
 *                  at that moment, without end, and comes again when it hangs up
 *
 *   keep N CPUS    N times: connects, has rings made, hangs up, and keeps the memory's descriptor
 *   pin N CPUS     N times: connects, has rings made, moves references to all their pages into
 *                  sockets that nobody reads, and hangs up; prints "pinned N", the KiB
 *   holes N CPUS   as hold; then lets the recorder read all rings, whose pages nobody has touched
 *   starve N CPUS GROUP OTHER
 *                  as hold; then fills the rings as a process of the control group GROUP, goes to
 *                  OTHER, and says "filled"; at SIGUSR1 the rings are ready to be read
 *   collapse N CPUS GROUP OTHER
 *                  as starve; but the recorder reads all pages first, and then huge pages replace
 *                  them (MADV_COLLAPSE), which takes them out of the recorder's mapping; prints
 *                  "collapsed N" for each connection, the number of huge pages
 *   punch N CPUS   as hold; then tries all ways to take pages out of the memory of its rings, and
 *                  prints "punched N", the number of ways that worked
 *   seal N         as hold, with one CPU, but forbids further seals of the memory first
 *
 * It prints "connections N" when the recorder has answered the last of them, with the number of
 * those that are still connected; "come", "pass" and "lies" end then, and the others go on until
 * they are killed.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "hostile/attacks.h"
#include "hostile/connection.h"

static const struct {
	const char *name;
	int nr_more; /* arguments that it needs behind NUMBER */
	void (*attack)(const struct attack_arguments *arguments);
	bool ends; /* after the attack */
} attacks[] = {
	/* clang-format off */
	{ "silent",   0, attack_silent,   false },
	{ "started",  1, attack_started,  false },
	{ "turned",   2, attack_turned,   false },
	{ "queue",    0, attack_queue,    false },
	{ "knock",    0, attack_knock,    false },
	{ "linger",   0, attack_linger,   false },
	{ "hold",     0, attack_hold,     false },
	{ "describe", 0, attack_describe, false },
	{ "refill",   0, attack_refill,   false },
	{ "ready",    0, attack_ready,    false },
	{ "come",     0, attack_come,     true },
	{ "pass",     0, attack_pass,     true },
	{ "lies",     0, attack_lies,     true },
	{ "change",   0, attack_change,   false },
	{ "keep",     0, attack_keep,     false },
	{ "pin",      0, attack_pin,      false },
	{ "holes",    0, attack_holes,    false },
	{ "starve",   3, attack_starve,   false },
	{ "collapse", 3, attack_collapse, false },
	{ "punch",    0, attack_punch,    false },
	{ "seal",     0, attack_seal,     false },
	/* clang-format on */
};

static uint32_t number_of(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
	const struct rlimit files = { CONNECTIONS_MAX, CONNECTIONS_MAX };
	struct attack_arguments arguments;
	size_t i;

	if (argc < 4)
		return 2;
	recorder_socket = argv[1];
	arguments.nr = number_of(argv[3]);
	arguments.cpus = argc > 4 ? number_of(argv[4]) : 1;
	arguments.more = argv + 4;
	setrlimit(RLIMIT_NOFILE, &files);
	if (arguments.nr > CONNECTIONS_MAX || !arguments.cpus)
		return 2;
	for (i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++) {
		if (strcmp(argv[2], attacks[i].name) || argc - 4 < attacks[i].nr_more)
			continue;
		attacks[i].attack(&arguments);
		while (!attacks[i].ends)
			pause();
		return 0;
	}
	return 2;
}
