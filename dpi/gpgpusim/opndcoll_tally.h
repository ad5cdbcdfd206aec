/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of the operand collector, counted from its events and from views of its state.
 * Each count is explained in docs/operand-collector.md. */
#ifndef WLK_OPNDCOLL_TALLY_H
#define WLK_OPNDCOLL_TALLY_H

#include "warplock/opndcoll.h"

typedef struct tally tally;

/* @p model is in reset and outlives it. NO_MEMORY. */
wlk_status tally_open(tally **out, const wlk_opndcoll_cfg *cfg, const wlk_opndcoll *model,
                      wlk_error *err);

/* What is done to the model, reported after each call: a core cycle begins; an instruction was
 * issued, or refused; one was taken out of OC_EX; results were written back; a step was made. */
void tally_cycle(tally *c);
void tally_issue(tally *c, uint32_t kind, bool accepted);
void tally_take(tally *c, uint32_t kind);
void tally_writeback(tally *c, const wlk_opndcoll_events *events);
void tally_step(tally *c, const wlk_opndcoll_events *events);

/* All of it as one JSON object on stdout; nothing is counted after that. */
void tally_print(tally *c);

void tally_close(tally *c);

#endif
