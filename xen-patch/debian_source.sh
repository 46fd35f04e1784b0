#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fetches Debian source packages from the suites that this machine already uses, through an apt
# directory of its own below the cache: the machine's apt configuration is read and never changed.
#
# Sourced by build.sh and by tests/arch/cmocka.sh, which say where $cache and $log are, what else
# one may do where no archive has the source ($without_archive), and how to say() a line and die().

# shellcheck disable=SC2154 # the caller's variables

# Print the machine's binary archives of Debian as one-line deb-src entries.
# Only archives that publish the suites of this release are taken: others hold other sources.
debian_sources()
{
	local codename

	# shellcheck disable=SC1091 # not a file of ours
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	[ -n "$codename" ] || die "this is not Debian: /etc/os-release names no VERSION_CODENAME" \
		"next step: $without_archive"
	python3 - "$codename" <<'PYTHON'
import glob, re, sys

codename = sys.argv[1]
entries = set()

def add(options, uri, suite, components):
    if re.fullmatch(codename + r"(-\w+)?|" + codename + r"/\S+", suite) and "main" in components:
        entries.add("deb-src %s%s %s main" % (options, uri, suite))

for name in ["/etc/apt/sources.list"] + sorted(glob.glob("/etc/apt/sources.list.d/*.list")):
    try:
        lines = open(name).read().splitlines()
    except OSError:
        continue
    for line in lines:
        m = re.match(r"deb(?:-src)?\s+(\[[^]]*\]\s+)?(\S+)\s+(\S+)\s+(.*)", line.split("#")[0])
        if m:
            signed = re.search(r"signed-by=\S+", m.group(1) or "")
            add("[%s] " % signed.group().rstrip("]") if signed else "",
                m.group(2), m.group(3), m.group(4).split())

for name in sorted(glob.glob("/etc/apt/sources.list.d/*.sources")):
    text = "\n".join(l for l in open(name).read().splitlines() if not l.startswith("#"))
    for stanza in re.split(r"\n\s*\n", text):
        field = {}
        for m in re.finditer(r"^(\S+):[ \t]*(.*(?:\n[ \t]+.*)*)", stanza, re.M):
            field[m.group(1).lower()] = m.group(2).strip()
        if field.get("enabled", "yes").lower() == "no":
            continue
        signed = field.get("signed-by", "")
        options = "[signed-by=%s] " % signed if signed.startswith("/") else ""
        for uri in field.get("uris", "").split():
            for suite in field.get("suites", "").split():
                add(options, uri, suite, field.get("components", "").split())

print("\n".join(sorted(entries)))
PYTHON
}

# apt-get and apt-cache with lists, cache and sources of our own.
private_apt()
{
	local tool=$1

	shift
	"$tool" -o Dir::Etc::SourceList="$cache/apt/sources.list" \
		-o Dir::Etc::SourceParts="$cache/apt/none" \
		-o Dir::State::Lists="$cache/apt/lists" \
		-o Dir::Cache="$cache/apt/cache" \
		-o APT::Sandbox::User= \
		-o Acquire::Languages=none \
		"$@"
}

refresh_source_lists()
{
	mkdir -p "$cache/apt/lists/partial" "$cache/apt/cache/archives/partial" "$cache/apt/none"
	debian_sources >"$cache/apt/sources.list"
	[ -s "$cache/apt/sources.list" ] ||
		die "no Debian archive is configured in /etc/apt" \
		    "next step: configure one, or $without_archive"
	say "reading the lists of source packages"
	private_apt apt-get update >>"$log" 2>&1 ||
		die "apt-get update failed; its output is in $log" \
		    "next step: check that this machine's own 'apt-get update' works"
}

# Unpack a version of a source package as DIR/tree; nothing is left behind when it cannot be had.
# Arguments: PACKAGE VERSION DIR.
download_source()
{
	local package=$1 version=$2 dir=$3

	rm -rf "$dir.new"
	mkdir -p "$dir.new"
	if ! (cd "$dir.new" &&
	      private_apt apt-get source --only-source "$package=$version") >>"$log" 2>&1; then
		rm -rf "$dir.new"
		return 1
	fi
	mv "$dir.new/$package"-*/ "$dir.new/tree"
	mv "$dir.new" "$dir"
}

# The versions of a source package that the archives list, newest first.
source_versions()
{
	private_apt apt-cache showsrc --only-source "$1" 2>/dev/null |
		sed -n 's/^Version: //p' | sort -Vru
}
