// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls.c - how many instructions the kernel's primitives take: those that lmbench's lat_* programs
 * measure, and the round trip of a ping.  For a machine with one CPU and instructions.h's time.
 *
 *   calls [NAME...]    prints "NAME INSTRUCTIONS" for each: the mean of a number of calls, with all
 *                      that the CPU does meanwhile, which a recorder that wakes up is part of
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <linux/icmp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "instructions.h"

#define WARM_UP_SHARE 10 /* of all calls, before they are counted */
#define SELECTED      100
#define PAGES         64
#define PAGE_BYTES    4096

static int null_fd, zero_fd, file_fd, raw_fd, pipe_to[2], pipe_from[2], unix_fd[2];
static int selected[SELECTED];
static char *read_only_page;
static sigjmp_buf after_fault;
static uint16_t ping_number;
static const char *const file_name = "calls.file";

static void null_call(void)
{
	syscall(SYS_getppid);
}

static void read_call(void)
{
	char byte;

	if (read(zero_fd, &byte, 1) != 1)
		die("read");
}

static void write_call(void)
{
	if (write(null_fd, "", 1) != 1)
		die("write");
}

static void stat_call(void)
{
	struct stat found;

	if (stat(file_name, &found))
		die("stat");
}

static void fstat_call(void)
{
	struct stat found;

	if (fstat(file_fd, &found))
		die("fstat");
}

static void open_close(void)
{
	int fd = open(file_name, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || close(fd))
		die("open");
}

static void select_call(void)
{
	struct timeval at_once = { 0 };
	fd_set set;
	unsigned int i;

	FD_ZERO(&set);
	for (i = 0; i < SELECTED; i++)
		FD_SET(selected[i], &set);
	if (select(selected[SELECTED - 1] + 1, &set, NULL, NULL, &at_once) < 0)
		die("select");
}

static void handle(int number)
{
	(void)number;
}

static void handle_fault(int number)
{
	(void)number;
	siglongjmp(after_fault, 1);
}

static void install(int number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	if (sigaction(number, &action, NULL))
		die("sigaction");
}

static void signal_install(void)
{
	install(SIGUSR1, handle);
}

static void signal_handle(void)
{
	if (kill(getpid(), SIGUSR1))
		die("kill");
}

static void protection_fault(void)
{
	if (!sigsetjmp(after_fault, 1))
		*(volatile char *)read_only_page = 1;
}

static void exchange(int to, int from)
{
	char byte = 0;

	if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1)
		die("exchange");
}

static void pipe_round_trip(void)
{
	exchange(pipe_to[1], pipe_from[0]);
}

static void unix_round_trip(void)
{
	exchange(unix_fd[0], unix_fd[0]);
}

/* Touches pages for the first time; maps and unmaps them once for all. */
static void page_faults(void)
{
	volatile char *memory = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	if (memory == MAP_FAILED)
		die("mmap");
	for (i = 0; i < PAGES; i++)
		memory[i * PAGE_BYTES] = 1;
	munmap((void *)memory, PAGES * PAGE_BYTES);
}

static void await(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || status)
		die("child");
}

static void fork_exit(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	await(child);
}

static void fork_exec(void)
{
	pid_t child = fork();

	if (child == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	await(child);
}

static void fork_sh(void)
{
	pid_t child = fork();

	if (child == 0) {
		execl("/bin/sh", "sh", "-c", "true", (char *)NULL);
		_exit(127);
	}
	await(child);
}

static uint16_t checksum(const uint16_t *words, size_t nr)
{
	uint32_t sum = 0;

	while (nr--)
		sum += *words++;
	sum = (sum >> 16) + (sum & 0xffff);
	return (uint16_t) ~(sum + (sum >> 16));
}

/* As ping does it, with its 56 bytes, to this machine. */
static void ping_round_trip(void)
{
	const struct sockaddr_in here = { .sin_family = AF_INET,
					  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct {
		struct icmphdr header;
		char data[56];
	} request = { .header.type = ICMP_ECHO };
	struct {
		struct iphdr ip;
		struct icmphdr header;
		char data[56];
	} reply;

	request.header.un.echo.sequence = ++ping_number;
	request.header.checksum = checksum((uint16_t *)&request, sizeof(request) / 2);
	if (sendto(raw_fd, &request, sizeof(request), 0, (const struct sockaddr *)&here,
		   sizeof(here)) != sizeof(request) ||
	    recv(raw_fd, &reply, sizeof(reply), 0) != sizeof(reply) ||
	    reply.header.un.echo.sequence != ping_number)
		die("ping");
}

static const struct primitive {
	const char *name;
	void (*call)(void);
	unsigned int times;
	unsigned int parts; /* of a call, which the figure is for */
} primitives[] = {
	{ "null_call", null_call, 15000, 1 },
	{ "read", read_call, 15000, 1 },
	{ "write", write_call, 15000, 1 },
	{ "stat", stat_call, 7500, 1 },
	{ "fstat", fstat_call, 7500, 1 },
	{ "open_close", open_close, 7500, 1 },
	{ "select_100", select_call, 1500, 1 },
	{ "signal_install", signal_install, 7500, 1 },
	{ "signal_handle", signal_handle, 7500, 1 },
	{ "protection_fault", protection_fault, 3000, 1 },
	{ "page_fault", page_faults, 150, PAGES },
	{ "pipe", pipe_round_trip, 3000, 1 },
	{ "af_unix", unix_round_trip, 3000, 1 },
	{ "ping", ping_round_trip, 3000, 1 },
	{ "fork_exit", fork_exit, 150, 1 },
	{ "fork_exec", fork_exec, 75, 1 },
	{ "fork_sh", fork_sh, 75, 1 },
};

static void open_all(void)
{
	const struct icmp_filter replies = { .data = ~(1u << ICMP_ECHOREPLY) };
	unsigned int i;

	file_fd = open(file_name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	zero_fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (file_fd < 0 || null_fd < 0 || zero_fd < 0)
		die("open");
	raw_fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
	if (raw_fd < 0 || setsockopt(raw_fd, SOL_RAW, ICMP_FILTER, &replies, sizeof(replies)))
		die("socket");
	if (pipe2(pipe_to, O_CLOEXEC) || pipe2(pipe_from, O_CLOEXEC) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, unix_fd))
		die("pipe");
	for (i = 0; i < SELECTED; i++) {
		selected[i] = fcntl(pipe_to[0], F_DUPFD_CLOEXEC, 0);
		if (selected[i] < 0)
			die("dup");
	}
	read_only_page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (read_only_page == MAP_FAILED)
		die("mmap");
	signal_install();
	install(SIGSEGV, handle_fault);
}

/* Starts a process that answers each byte of @from to @to, until this one ends. */
static void start_answering(int from, int to)
{
	pid_t child = fork();
	char byte;

	if (child < 0)
		die("fork");
	if (child)
		return;
	close(pipe_to[1]);
	close(unix_fd[0]);
	while (read(from, &byte, 1) == 1)
		if (write(to, &byte, 1) != 1)
			die("write");
	_exit(0);
}

static void call(const struct primitive *primitive, unsigned int times)
{
	while (times--)
		primitive->call();
}

static void measure(const struct primitive *primitive, double ticks_per_instruction)
{
	uint64_t begin;

	call(primitive, primitive->times / WARM_UP_SHARE);
	begin = ticks();
	call(primitive, primitive->times);
	printf("%s %.1f\n", primitive->name,
	       (double)(ticks() - begin) / ticks_per_instruction / primitive->times /
		       primitive->parts);
}

static bool is_named(const char *name, char **names)
{
	if (!*names)
		return true;
	while (*names && strcmp(name, *names))
		names++;
	return *names;
}

int main(int argc, char **argv)
{
	double ticks_per_instruction = calibrate();
	size_t i;

	(void)argc;
	open_all();
	start_answering(pipe_to[0], pipe_from[1]);
	start_answering(unix_fd[1], unix_fd[1]);
	for (i = 0; i < sizeof(primitives) / sizeof(primitives[0]); i++)
		if (is_named(primitives[i].name, argv + 1))
			measure(&primitives[i], ticks_per_instruction);
	unlink(file_name);
	return 0;
}
