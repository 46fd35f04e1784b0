/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page.S - the front end of `strata timeline`, as it was built (page.h declares it). */
	.section .rodata
	.balign 8
	.global strata_timeline_page
	.type strata_timeline_page, %object
strata_timeline_page:
	.incbin PAGE
end:
	.size strata_timeline_page, end - strata_timeline_page
	.balign 8
	.global strata_timeline_page_bytes
	.type strata_timeline_page_bytes, %object
	.size strata_timeline_page_bytes, 8
strata_timeline_page_bytes:
	.quad end - strata_timeline_page

	.section .note.GNU-stack, "", %progbits
