// SPDX-License-Identifier: GPL-2.0-or-later
//
// Starts the page.
document.title = "Strata timeline";
