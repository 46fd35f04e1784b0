#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reads the description of a test host and writes what dom0's init needs to know of it. Sourced by lab and by
# test_description.sh. A description is lines of KEY=VALUE settings; values with spaces stand in double quotes:
#
#     host cpus=2 memory=2048 [spare_cpus=1] [xen_args="..."] [icount=yes]
#     dom0 memory=640 vcpus=1 script="scripts/demo.sh ..." [pin=0] [module=yes] [module_args="..."]
#     guest NAME type=pv|pvh [memory=128] [vcpus=1] [pin=1] [tsc_mode=native] [module=yes] [module_args="..."]
#         [max_grant_frames=N] [start=yes|no] [on_reboot=destroy|restart] [workload="COMMAND"]         (all of it on one line)
#
# Spare CPUs are added while the host runs: the script says "host: add CPU N", with N from cpus on, and waits for the file
# $LAB_OUT/added-N.
# With icount=yes, and one CPU, time passes with instructions: each takes a nanosecond, and the TSC counts them.
# A guest with start=no is left to the script, which finds its configuration in /lab/guests/NAME.cfg.
# Memory is in MiB. pin is a physical CPU, or a range or list of them. A dom0 of two vCPUs on one physical CPU is slow: to patch
# its kernel, as each event that begins to be recorded does, one vCPU waits for the other, which waits for the CPU. But a kernel of two
# vCPUs on two physical CPUs may hang when it does that (gallery/lock.sh says why). A script's path is relative to the description.
# One script has the host for itself, and $LAB_OUT is the directory of lab's --out. Several run one after the other, each with
# $LAB_OUT/NAME of that, and with all guests running; init/dom0.sh says what is cleared between them.

# What read_description leaves: setting[SECTION.KEY], where SECTION is host, dom0 or a guest's name; guests in order.
declare -A setting
declare -a guests

# Where it reads, for the messages.
file_read=
line_read=0

description_error() {
	printf '%s:%s: %s\n' "$file_read" "$line_read" "$1" >&2
	return 1
}

# As description_error, about the line of section $1.
section_error() {
	line_read=${setting[$1.line]}
	description_error "$2"
}

# Prints why VALUE does not fit KEY; nothing when it fits.
wrong_value() {
	local key=$1 value=$2 form must

	case $key in
	cpus | vcpus) form='^([1-9]|[1-5][0-9]|6[0-4])$' must='be 1 to 64' ;;
	spare_cpus) form='^[0-9]$' must='be 0 to 9' ;;
	max_grant_frames) form='^([1-9][0-9]*)?$' must='be a number of frames' ;;
	memory) form='^[1-9][0-9]{1,5}$' must='be a number of MiB' ;;
	type) form='^(pv|pvh)$' must='be pv or pvh' ;;
	module | start | icount) form='^(yes|no)$' must='be yes or no' ;;
	on_reboot) form='^(destroy|restart)$' must='be destroy or restart' ;;
	pin) form='^[0-9]+([-,][0-9]+)*$' must='name physical CPUs, as 1, 0-1 or 0,2' ;;
	tsc_mode)
		form='^(default|always_emulate|native|native_paravirt)$'
		must='be default, always_emulate, native or native_paravirt'
		;;
	module_args | xen_args) form='^[A-Za-z0-9_.,:=/ -]*$' must='be made of letters, digits, spaces and _.,:=/-' ;;
	workload) form='^[^"\\]*$' must='hold no backslash' ;;
	script) form='^[^ ]+\.sh( [^ ]+\.sh)*$' must='name files NAME.sh' ;;
	esac
	[[ $value =~ $form ]] || printf '%s has to %s, not: %s' "$key" "$must" "$value"
}

# Takes the settings of one line apart, into setting[]. Arguments: SECTION "ALLOWED KEYS" TEXT.
read_settings() {
	local section=$1 allowed=$2 rest=$3 key value wrong

	while [[ $rest =~ ^[[:space:]]*([a-z_0-9]+)=(\"([^\"]*)\"|([^[:space:]\"]*))([[:space:]].*|)$ ]]; do
		key=${BASH_REMATCH[1]}
		value=${BASH_REMATCH[3]}${BASH_REMATCH[4]}
		rest=${BASH_REMATCH[5]}
		[[ " $allowed " == *" $key "* ]] ||
			description_error "$section has no setting $key; it has: $allowed" || return
		[ -z "${setting[$section.$key]+set}" ] ||
			description_error "$section: $key is set twice" || return
		wrong=$(wrong_value "$key" "$value")
		[ -z "$wrong" ] || description_error "$section: $wrong" || return
		setting[$section.$key]=$value
	done
	[[ $rest =~ ^[[:space:]]*$ ]] ||
		description_error "expected KEY=VALUE or KEY=\"VALUE\", found: ${rest#"${rest%%[![:space:]]*}"}"
}

# Sets a key of a section to a value where the description did not.
default_settings() {
	local section=$1 pair

	shift
	for pair in "$@"; do
		[ -n "${setting[$section.${pair%%=*}]+set}" ] || setting[$section.${pair%%=*}]=${pair#*=}
	done
}

# Reads description $1. Returns non-zero, after a message with file and line, when it does not make sense.
read_description() {
	local text word rest name

	setting=() guests=() file_read=$1 line_read=0
	[ -r "$file_read" ] || description_error "cannot read this description" || return
	while IFS= read -r text || [ -n "$text" ]; do
		line_read=$((line_read + 1))
		[[ ! $text =~ ^[[:space:]]*(#|$) ]] || continue
		read -r word rest <<<"$text"
		case $word in
		host | dom0)
			[ -z "${setting[$word.line]+set}" ] ||
				description_error "a second line for $word" || return
			setting[$word.line]=$line_read
			;;&
		host) read_settings host "cpus spare_cpus memory xen_args icount" "$rest" || return ;;
		dom0) read_settings dom0 "memory vcpus pin script module module_args" "$rest" || return ;;
		guest)
			read -r name rest <<<"$rest"
			[[ $name =~ ^[a-z][a-z0-9-]{0,30}$ ]] && [[ ! $name =~ ^(host|dom0)$ ]] ||
				description_error "a guest's name is small letters, digits and -, not: $name" || return
			[ -z "${setting[$name.line]+set}" ] ||
				description_error "a second guest $name" || return
			setting[$name.line]=$line_read
			guests+=("$name")
			read_settings "$name" \
				"type memory vcpus pin tsc_mode max_grant_frames module module_args start on_reboot workload" "$rest" ||
				return
			default_settings "$name" memory=128 pin= vcpus=1 tsc_mode=native max_grant_frames= module=no module_args= \
				start=yes on_reboot=destroy workload=
			[ -n "${setting[$name.type]+set}" ] ||
				description_error "guest $name has no type=pv or type=pvh" || return
			;;
		*) description_error "a line starts with host, dom0 or guest, not with: $word" || return ;;
		esac
	done <"$1"
	check_description
}

# Checks what only the whole description shows: what is missing, and whether everything fits on the host.
check_description() {
	local section script cpu needed

	for section in host dom0; do
		[ -n "${setting[$section.line]+set}" ] ||
			description_error "the description has no line for $section" || return
	done
	default_settings host cpus=2 spare_cpus=0 memory=2048 xen_args= icount=no
	default_settings dom0 memory=640 pin= vcpus=1 module=no module_args=
	[ -n "${setting[dom0.script]+set}" ] ||
		section_error dom0 "dom0 has no script" || return
	for script in ${setting[dom0.script]}; do
		[ -r "$(dirname "$file_read")/$script" ] || section_error dom0 "cannot read $script" || return
	done
	needed=$((${setting[dom0.memory]} + 160)) # Xen itself, its heap and the frame table
	for section in dom0 "${guests[@]}"; do
		for cpu in ${setting[$section.pin]//[-,]/ }; do
			[ "$cpu" -lt "${setting[host.cpus]}" ] ||
				section_error "$section" \
					"$section: there is no physical CPU $cpu (host cpus=${setting[host.cpus]})" || return
		done
		[ "$section" = dom0 ] || needed=$((needed + ${setting[$section.memory]} + 8))
	done
	[ "$needed" -le "${setting[host.memory]}" ] ||
		section_error host \
			"host memory=${setting[host.memory]} is too little: Xen, dom0 and the guests need $needed"
}

# Writes directory $1, which dom0's init finds as /lab: one value a file, and a configuration for xl for each guest.
write_dom0_files() {
	local dir=$1 name key script

	mkdir -p "$dir/guests" "$dir/scripts"
	for script in ${setting[dom0.script]}; do
		cp "$(dirname "$(dirname "$file_read")/$script")"/*.sh "$dir/scripts/"
		basename "$script"
	done >"$dir/script"
	for key in module module_args pin; do
		printf '%s\n' "${setting[dom0.$key]}" | sed '/^$/d' >"$dir/$key"
	done
	: >"$dir/guests/list"
	for name in "${guests[@]}"; do
		[ "${setting[$name.start]}" = no ] || printf '%s\n' "$name" >>"$dir/guests/list"
		write_guest "$name" >"$dir/guests/$name.cfg"
		printf '%s\n' "${setting[$name.pin]}" | sed '/^$/d' >"$dir/guests/$name.pin"
	done
}

# Prints xl's configuration of guest $1. What its init has to do follows "--". The rest of the kernel's arguments makes it
# boot sooner on an emulated CPU: rodata=off spares it a walk over all its page tables (1 to 2 s; dom0 keeps that
# protection), cryptomgr.notests what the kernel computes to try out its ciphers (1 s), mitigations=off half of what it patches
# in itself, pci=noearly a search in ports where each access exits (2 s), and noxsave a warning of 50 lines, because the XSAVE
# area has another size in a PVH guest under TCG. With watchdog_thresh=60, a CPU for which a busy machine had no time is not
# taken for one that hangs. Where each reading of the counter exits, which costs all of the TLB there, the kernel keeps its
# time by the tick instead.
#
# A guest of one vCPU boots wherever there is time, and dom0's init pins it once it is ready: on one physical CPU guests would
# take turns. One of more vCPUs boots where it stays, because its kernel patches itself on the way (see lifecycle.lab).
write_guest() {
	local name=$1 key kernel_args="console=hvc0 loglevel=5 rodata=off cryptomgr.notests mitigations=off watchdog_thresh=60"

	[ "${setting[$name.type]}" != pvh ] || kernel_args+=" pci=noearly noxsave"
	[ "${setting[$name.type]} ${setting[$name.tsc_mode]}" != "pvh always_emulate" ] ||
		kernel_args+=" clocksource=jiffies"
	printf 'name = "%s"\n' "$name"
	for key in type tsc_mode; do
		printf '%s = "%s"\n' "$key" "${setting[$name.$key]}"
	done
	for key in memory vcpus; do
		printf '%s = %s\n' "$key" "${setting[$name.$key]}"
	done
	[ -z "${setting[$name.pin]}" ] || [ "${setting[$name.vcpus]}" = 1 ] ||
		printf 'cpus = "%s"\n' "${setting[$name.pin]}"
	[ -z "${setting[$name.max_grant_frames]}" ] || printf 'max_grant_frames = %s\n' "${setting[$name.max_grant_frames]}"
	printf 'kernel = "/boot/vmlinux"\nramdisk = "/boot/guest.img"\n'
	printf 'extra = "%s -- %s %s %s workload %s"\n' "$kernel_args" "$name" "${setting[$name.module]}" \
		"${setting[$name.module_args]}" "${setting[$name.workload]}"
	printf 'on_poweroff = "destroy"\non_reboot = "%s"\non_crash = "destroy"\n' "${setting[$name.on_reboot]}"
}
