#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Spin searches every state of the model of a program that registers events while the user changes
# what is recorded.  Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/model/spin.sh
. "$(dirname "$0")/spin.sh"

check "register: holds" holds register
twins register <<-END
	TOLD_BEFORE_HELLO hello_is_first
	KEEPS_CHOICE recorded_is_asked
	NO_CHOICE_AT_ATTACH recorded_is_asked
	FORGETS_COMMANDS recorded_is_asked
	DEAF each_event_is_decided
END
finish
