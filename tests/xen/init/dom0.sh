#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
#
# The first process of dom0: brings up the Xen tools, the module and the guests, runs the test's scripts, powers off. It tells
# lab what it does in lines that start with LAB, on the second serial port, which nothing else writes to: on the console
# Xen's own messages would land in the middle of a line. lab has put the test under /lab (see description.sh).

export PATH=/bin LAB_OUT=/out LAB_DOM0=/lab
export LD_LIBRARY_PATH=/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu

say() {
	echo "LAB $*" >/dev/console
	[ ! -c /dev/ttyS1 ] || echo "LAB $*" >/dev/ttyS1
}

# Ends the test: status 0-123 is a script's own, 125 says that the lab failed before it.
finish() {
	sync
	say "end status=$1"
	umount /out
	poweroff -f
}

fail() {
	say "failed: $*"
	finish 125
}

mount_all() {
	mount -t proc proc /proc
	mount -t sysfs sysfs /sys
	mount -t devtmpfs devtmpfs /dev
	mount -t tmpfs tmpfs /run
	mount -t tmpfs tmpfs /tmp
	mkdir -p /dev/pts /run/xen /run/lock /out /boot
	mount -t devpts devpts /dev/pts
	stty -F /dev/ttyS1 raw -echo 115200
	ip link set lo up
	for ko in /lib/modules/*.ko; do
		insmod "$ko" || fail "insmod $ko"
	done
	mount -t xenfs xenfs /proc/xen || fail "mount /proc/xen"
	mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 out /out || fail "mount /out"
	mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=262144,cache=loose boot /boot || fail "mount /boot"
}

start_xen_tools() {
	xenstored --pid-file=/run/xenstored.pid || fail "xenstored does not start"
	xen-init-dom0 || fail "xen-init-dom0"
	ln -s /out /run/consoles
	xenconsoled --log=all --log-dir=/run/consoles --pid-file=/run/xenconsoled.pid || fail "xenconsoled does not start"
	[ ! -s /lab/pin ] || xl vcpu-pin Domain-0 all "$(cat /lab/pin)" || fail "cannot pin dom0"
}

load_module() {
	[ -e /lib/strata.ko ] || fail "dom0's image holds no strata.ko; build the module first"
	# shellcheck disable=SC2046 # several arguments
	error=$(insmod /lib/strata.ko $(cat /lab/module_args) 2>&1) || {
		dmesg | tail -n 20
		fail "dom0: insmod strata.ko: $error"
	}
}

# Starts guest $1. xl says a dozen lines when it cannot; the first error is the cause.
create_guest() {
	if xl create "/lab/guests/$1.cfg" >/run/create.log 2>&1; then
		xl domid "$1" >"/run/$1.domid"
		return
	fi
	cat /run/create.log
	fail "xl create $1: $(grep -m 1 error: /run/create.log)"
}

is_running() { xl domid "$1" >/dev/null 2>&1; }

# How often guest $1 has said that it is ready: its console's log goes on from one life to the next.
times_ready() {
	sed -n "/^LAB guest $1 ready/p" "/run/consoles/guest-$1.log" 2>/dev/null | wc -l
}

# Starts guest $1 again, if it died as few PVH guests do under QEMU's emulated SVM: of a triple fault in the middle of code
# that cannot fault. The more often it exits to Xen, the more often that happens. Any other death is the test's business.
revive_guest() {
	deaths=$(($(cat "/run/$1.deaths" 2>/dev/null) + 1))
	[ $deaths -le 3 ] && xl dmesg | grep -q "d$(cat "/run/$1.domid")v[0-9]* Triple fault" || return
	echo $deaths >"/run/$1.deaths"
	times_ready "$1" >"/run/$1.ready"
	say "guest $1 died of a triple fault, as happens under QEMU's emulated SVM; it is started again"
	create_guest "$1"
}

# Has guest $1 said that it is ready? Ends the test when it says or shows that it never will be.
is_ready() {
	log=/run/consoles/guest-$1.log
	before=$(cat "/run/$1.ready" 2>/dev/null)
	[ "$(times_ready "$1")" -le "${before:-0}" ] || return 0
	if grep "^LAB guest $1 failed" "$log" 2>/dev/null >/tmp/failed; then
		fail "$(sed 's/^LAB //; s/\r//; q' /tmp/failed)"
	elif grep -q "Kernel panic" "$log" 2>/dev/null; then
		fail "guest $1 panicked before it was ready; its console is in guest-$1.log"
	elif [ $((looks % 10)) = 9 ] && ! is_running "$1" && ! revive_guest "$1"; then
		fail "guest $1 died before it was ready; its console is in guest-$1.log"
	fi
	return 1
}

# Puts guest $1 where the description wants it. One that is pinned already stays there, and one that died needs no place.
pin_guest() {
	[ ! -s "/lab/guests/$1.pin" ] || xl vcpu-pin "$1" all "$(cat "/lab/guests/$1.pin")" ||
		! is_running "$1" || fail "cannot pin $1"
}

# Prints those of list $1 that have died since they were ready, while others were waited for, and starts them again.
revive_guests() {
	for guest in $1; do
		is_running "$guest" || ! revive_guest "$guest" >&2 || echo "$guest"
	done
}

# Waits for the guests of list $1, and pins each as soon as its workload begins, which may well keep a CPU busy.
wait_for_guests() {
	looks=0
	waiting=$1
	while [ -n "$waiting" ]; do
		rest=
		for guest in $waiting; do
			if is_ready "$guest"; then
				say "guest $guest ready"
				pin_guest "$guest"
			else
				rest="$rest $guest"
			fi
		done
		waiting=$rest
		# xl takes the guests much of a CPU: every now and then is enough.
		looks=$((looks + 1))
		usleep 200000
	done
}

# Starts the guests of list $1, and waits for them.
start_guests() {
	for guest in $1; do
		create_guest "$guest"
	done
	wait_for_guests "$1"
	while
		dead=$(revive_guests "$1")
		[ -n "$dead" ]
	do
		wait_for_guests "$dead"
	done
}

# Runs script $1; each line that it prints reaches lab's user as it comes. Sets $status to the script's.
run_script() {
	say "script $1"
	{
		cd /tmp && sh "/lab/scripts/$1" </dev/null 2>&1
		echo $? >/run/script.status
	} | while IFS= read -r line; do
		say "> $line"
	done
	status=$(cat /run/script.status)
}

are_logged() {
	for guest in $1; do
		[ -e "/run/consoles/guest-$guest.log" ] || return
	done
}

# Has xenconsoled go on with new logs of all guests in directory $1.
move_console_logs() {
	ln -sfn "$1" /run/consoles
	tries=0
	until are_logged "$(running_guests)"; do
		[ $((tries += 1)) -le 100 ] || fail "xenconsoled does not begin new logs"
		kill -HUP "$(cat /run/xenconsoled.pid)"
		usleep 100000
	done
}

# Prints the guests of the list that run.
running_guests() {
	while read -r guest; do
		! is_running "$guest" || echo "$guest"
	done </lab/guests/list
}

# Prints those that do not.
missing_guests() {
	while read -r guest; do
		is_running "$guest" || echo "$guest"
	done </lab/guests/list
}

# Ends the recorders and sessions that a script has left, and removes its files outside of its own directory.
clear_host() {
	tries=0
	signal=TERM
	while killall -q -$signal strata stratad strata-consumerd; do
		[ $((tries += 1)) -lt 100 ] || signal=KILL
		usleep 100000
	done
	rm -rf /run/strata /var/lib/strata /tmp/*
}

# What a failed script has left could let the next one fail: all guests and the module start anew.
restart_all() {
	for guest in $(running_guests); do
		xl destroy "$guest"
	done
	[ "$(cat /lab/module)" != yes ] || {
		rmmod strata
		load_module
	}
}

# Runs scripts $1 one after the other, each in a directory of its name, where its guests' consoles are logged, too. A script finds all
# guests running: those that the last one has destroyed start anew. Sets $status to that of one that failed.
run_scripts() {
	failed=0
	for script in $1; do
		export LAB_OUT="/out/${script%.sh}"
		mkdir -p "$LAB_OUT"
		move_console_logs "$LAB_OUT"
		rm -f /run/*.ready /run/*.deaths
		start_guests "$(missing_guests)"
		run_script "$script"
		clear_host
		[ "$status" = 0 ] || {
			failed=$status
			restart_all
		}
	done
	status=$failed
}

mount_all
say "dom0 is up"
start_xen_tools
[ "$(cat /lab/module)" != yes ] || load_module
say "tools are up"
start_guests "$(cat /lab/guests/list)"
scripts=$(cat /lab/script)
case $scripts in
*[[:space:]]*) run_scripts "$scripts" ;;
*) run_script "$scripts" ;;
esac
finish "$status"
