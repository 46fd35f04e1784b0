#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # of tests/tap.sh
#
# A guest kept the lock of its grant table busy while dom0 mapped its rings. Checks that dom0 and the recording of another guest
# continued. Sourced by check_scripts of tests/tap.sh.

# shellcheck source=tests/xen/life.sh
. "$here/life.sh"

check_life
check "another guest, before the attack" phase 1 g2
check "while the pages of the hostile one are mapped" phase 2 g2
check "and after that" phase 3 g2
check "what was mapped before the attack went" went g3 "module unloaded"
