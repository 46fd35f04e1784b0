/* SPDX-License-Identifier: GPL-2.0-or-later */
/* header_form.h - names of the forms of event headers, in recordings, sessions and options. */
#ifndef STRATA_RECORDING_HEADER_FORM_H
#define STRATA_RECORDING_HEADER_FORM_H

/* "full", "compact", "large"; @form is one of enum strata_header_form. */
const char *strata_header_form_name(unsigned int form);

#endif /* STRATA_RECORDING_HEADER_FORM_H */
