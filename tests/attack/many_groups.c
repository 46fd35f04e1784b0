// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * many_groups.c - a user whose processes take long to look at: MANY_GROUPS SOCKET UID NUMBER.
 *
 * /proc/PID/status names all groups of a process, of which /etc/subgid gives a user 65,536. Becomes
 * user UID with NUMBER groups; then four processes connect to SOCKET without end, and keep 64
 * connections each.  Prints "connections" when they begin.
 */
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define PROCESSES 4
#define KEPT      64

static gid_t groups[65536];

static void connect_without_end(const struct sockaddr_un *address)
{
	int sockets[KEPT] = { 0 };
	unsigned int i;

	for (i = 0;; i = (i + 1) % KEPT) {
		if (sockets[i])
			close(sockets[i]);
		sockets[i] = socket(AF_UNIX, SOCK_SEQPACKET, 0);
		connect(sockets[i], (const struct sockaddr *)address, sizeof(*address));
		if (!i)
			usleep(5000);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	unsigned int i, nr;

	if (argc != 4 || strlen(argv[1]) >= sizeof(address.sun_path))
		return 2;
	strcpy(address.sun_path, argv[1]);
	nr = (unsigned int)atoi(argv[3]);
	for (i = 0; i < nr && i < 65536; i++)
		groups[i] = 100000 + i;
	if (setgroups(i, groups) || setgid((gid_t)atoi(argv[2])) || setuid((uid_t)atoi(argv[2]))) {
		perror("many_groups");
		return 1;
	}
	for (i = 1; i < PROCESSES; i++) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		connect_without_end(&address);
	}
	printf("connections\n");
	fflush(stdout);
	connect_without_end(&address);
}
