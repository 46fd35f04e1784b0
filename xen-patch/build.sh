#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Build a Xen hypervisor that has Strata in it, from Debian's own source package.
#
#	xen-patch/build.sh			build out/xen/xen
#	xen-patch/build.sh --xen-source DIR	patch and build the Xen source in DIR instead
#	xen-patch/build.sh --test		build out/xen/test/xen as well, which can flood itself with NMIs
#	xen-patch/build.sh --older		build the newest source that can be had, although a newer
#						version of Xen is installed or offered
#
# The source comes from the suites that this machine already uses, through an apt directory of our
# own: the machine's apt configuration is read and never changed.  Re-running it when nothing has
# changed takes a second or two; after an edit it rebuilds only what the edit touches.
#
# Called by hand, by the top Makefile and by CI.  Needs root only to install missing packages.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
out=$top/out/xen
cache=$top/out/cache
log=$out/build.log
source_dir=
for_tests=
older=
step_start=0

say()
{
	printf 'xen-patch: %s\n' "$*"
}

die()
{
	printf 'xen-patch: %s\n' "$@" >&2
	exit 1
}

usage()
{
	sed -n '4,15s/^# \{0,1\}//p' "$0"
}

# Where the source comes from, if no archive has it.
without_archive="give Xen's source with --xen-source DIR"
# shellcheck source=xen-patch/debian_source.sh
. "$here/debian_source.sh"
# shellcheck source=xen-patch/xen_version.sh
. "$here/xen_version.sh"

series()
{
	sed 's/[[:space:]]*#.*//; /^$/d' "$here/patches/series"
}

# True when the whole series applies to a copy of just the files that it touches.
series_applies()
{
	local tree=$1 try name file

	try=$(mktemp -d "$cache/try.XXXXXX")
	for name in $(series); do
		while read -r file; do
			if [ -e "$tree/$file" ] && [ ! -e "$try/$file" ]; then
				mkdir -p "$try/$(dirname "$file")"
				cp "$tree/$file" "$try/$file"
			fi
		done < <(sed -n 's,^--- a/\([^[:space:]]*\).*,\1,p' "$here/patches/$name")
		if ! patch -d "$try" -p1 -F 0 -s -f <"$here/patches/$name" >>"$log" 2>&1; then
			say "  $name does not apply"
			rm -rf "$try"
			return 1
		fi
	done
	rm -rf "$try"
}

# The newest version that downloads and takes the series.  The answer is kept in $cache/xen.version, and
# in $cache/xen.listed the newest version that the archives list.
choose_source()
{
	local version dir

	if [ -s "$cache/xen.version" ] && [ -s "$cache/xen.listed" ]; then
		version=$(cat "$cache/xen.version")
		if [ -d "$cache/xen-$version/tree" ]; then
			pristine=$cache/xen-$version/tree
			check_choice "$version"
			return
		fi
	fi
	refresh_source_lists
	source_versions xen | newest_of >"$cache/xen.listed"
	for version in $(source_versions xen); do
		dir=$cache/xen-$version
		if [ ! -d "$dir/tree" ]; then
			say "trying xen $version: downloading"
			if ! download_source xen "$version" "$dir"; then
				say "  listed, but its archive has no such file: trying an older one"
				continue
			fi
		fi
		say "trying xen $version: the series"
		if series_applies "$dir/tree"; then
			check_choice "$version"
			echo "$version" >"$cache/xen.version"
			pristine=$dir/tree
			say "using xen $version"
			return
		fi
	done
	die "no version of Debian's xen could be downloaded and patched; details are in $log" \
	    "next step: refresh xen-patch/patches/, or give a tree with --xen-source DIR"
}

# Whether that version may be built, beside what is listed, installed and offered.
check_choice()
{
	check_version "$1" "$({ cat "$cache/xen.listed"; offered_xen; } | sed '/^$/d' | newest_of)" \
		"$(pinned_xen "$here/xen-version")" "$older"
}

# What decides which source is built: the tree that we start from and the patches, in order.
patch_inputs()
{
	echo "$pristine"
	cat "$here/patches/series" "$here"/patches/*.patch
}

# A private copy of the source with the series applied.  Made anew only when source or series
# differ from last time; then files that did not change keep their time stamps, and so their objects.
patch_tree()
{
	local want name

	want=$(patch_inputs | sha256sum)
	if [ "$(cat "$tree.stamp" 2>/dev/null)" = "$want" ]; then
		return
	fi
	say "applying the series to $pristine"
	rm -rf "$tree.new"
	cp -a "$pristine" "$tree.new"
	for name in $(series); do
		say "  $name"
		patch -d "$tree.new" -p1 -F 0 -s -f --no-backup-if-mismatch \
			<"$here/patches/$name" >>"$log" 2>&1 ||
			die "$name does not apply to $pristine; details are in $log" \
			    "next step: rebase xen-patch/patches/ on that source"
	done
	mkdir -p "$tree"
	if [ "$(cat "$tree.origin" 2>/dev/null)" = "$pristine" ]; then
		update_files "$tree.new" "$tree"
		rm -rf "$tree.new"
	else
		rm -rf "$tree"
		mv "$tree.new" "$tree"
		echo "$pristine" >"$tree.origin"
	fi
	echo "$want" >"$tree.stamp"
}

# Copy each file of directory $1 over $2 that is missing there or differs.
update_files()
{
	local from=$1 to=$2 file

	(cd "$from" && find . -type f -print0) | while IFS= read -r -d '' file; do
		if ! cmp -s "$from/$file" "$to/$file"; then
			mkdir -p "$to/$(dirname "$file")"
			cp "$from/$file" "$to/$file"
		fi
	done
}

# What goes into the hypervisor besides Debian's source; a change of it is a reason to run make.
inputs()
{
	(cd "$top" && find xen-patch/patches xen-patch/src include/strata -type f -print0 |
		sort -z | xargs -0 sha256sum)
	echo "$pristine"
}

build()
{
	local make=(make -C "$tree/xen" -j"$(nproc)" XEN_TARGET_ARCH=x86_64) want

	want=$(inputs | sha256sum)
	if [ -s "$out/xen" ] && [ "$(cat "$out/xen.stamp" 2>/dev/null)" = "$want" ]; then
		say "nothing has changed"
		return
	fi
	update_files "$here/src" "$tree/xen"
	update_files "$top/include/strata" "$tree/xen/include/strata"
	if ! grep -qs '^CONFIG_STRATA=y' "$tree/xen/.config"; then
		say "configuring"
		"${make[@]}" defconfig >>"$log" 2>&1 ||
			die "make defconfig failed; its output is in $log"
		grep -q '^CONFIG_STRATA=y' "$tree/xen/.config" ||
			die "the default configuration leaves CONFIG_STRATA out" \
			    "next step: look for the patch that adds it to xen/common/Kconfig"
	fi
	compile "compiling (400 files and about a minute, from scratch)" "${make[@]}"
	cp "$tree/xen/xen-syms" "$out/xen-syms"
	cp "$tree/xen/xen" "$out/xen"
	echo "$want" >"$out/xen.stamp"
}

# The same with STRATA_TEST, for the tests (see common/strata/flood.c).  In a copy of the tree that is
# built, so that make compiles what differs: the objects of common/strata/, and links.
build_test()
{
	local test=$out/test want

	want=$(cat "$out/xen.stamp")
	if [ -s "$test/xen" ] && [ "$(cat "$test/xen.stamp" 2>/dev/null)" = "$want" ]; then
		say "nothing has changed for the tests"
		return
	fi
	say "building a hypervisor for the tests"
	rm -rf "$test"
	mkdir -p "$test"
	cp -a "$tree" "$test/tree"
	compile "compiling what differs" make -C "$test/tree/xen" -j"$(nproc)" XEN_TARGET_ARCH=x86_64 STRATA_TEST=y
	cp "$test/tree/xen/xen-syms" "$test/xen-syms"
	cp "$test/tree/xen/xen" "$test/xen"
	rm -rf "$test/tree"
	echo "$want" >"$test/xen.stamp"
	say "the hypervisor for the tests is $test/xen"
}

# Run make, and show on a terminal how many files it has compiled.  Arguments: WHAT-TO-SAY COMMAND...
compile()
{
	local what=$1 objects=0 line

	shift
	step_start=$SECONDS
	{ "$@" 2>&1 || echo "make-failed"; } | while IFS= read -r line; do
		case $line in
		make-failed)
			exit 1
			;;
		*" CC "*)
			objects=$((objects + 1))
			if [ "$objects" -eq 1 ]; then
				say "$what"
			fi
			if [ $((objects % 50)) -eq 0 ]; then
				say "  $objects files compiled, $((SECONDS - step_start)) s"
			fi
			;;
		esac
		printf '%s\n' "$line" >>"$log"
		case $line in
		*": error: "* | *": fatal error: "* | *"undefined reference"*)
			printf '%s\n' "$line" >&2
			;;
		esac
	done || die "the hypervisor did not build; the whole output is in $log"
}

while [ $# -gt 0 ]; do
	case $1 in
	--xen-source)
		[ $# -ge 2 ] || die "--xen-source needs a directory"
		source_dir=$(cd "$2" && pwd) || die "no such directory: $2"
		shift 2
		;;
	--older)
		older=yes
		shift
		;;
	--test)
		for_tests=yes
		shift
		;;
	-h | --help)
		usage
		exit 0
		;;
	*)
		usage >&2
		exit 2
		;;
	esac
done

mkdir -p "$out" "$cache"
# Two tests that build it at once would compile in one tree.
exec {lock}>"$out/lock"
flock "$lock"
: >"$log"
tree=$out/tree
"$top/tests/deps.sh" xen
if [ -n "$source_dir" ]; then
	[ -f "$source_dir/xen/common/trace.c" ] ||
		die "$source_dir is not the top of a Xen source (no xen/common/trace.c)"
	pristine=$source_dir
else
	choose_source
fi
patch_tree
build
say "the hypervisor is $out/xen"
if [ -n "$for_tests" ]; then
	build_test
fi
