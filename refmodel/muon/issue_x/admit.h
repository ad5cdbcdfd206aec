/* SPDX-License-Identifier: Apache-2.0 */
/* The issue stage of the Muon document: admission past a window's WAWs, counting (§6.1, §7). */
#ifndef WLK_ISSUE_X_ADMIT_H
#define WLK_ISSUE_X_ADMIT_H

#include "cycle.h"

/* Words of instruction @p at of a warp's window, 0 its head, and its unit. */
IX_INLINE const uint64_t *ix_instruction(const ix_cycle *c, uint32_t warp, uint32_t at) {
    if (at == 0) {
        return wlk_issue_x_in_element(c->in, warp) + WLK_ISSUE_X_IN_IBUF_BITS;
    }
    return wlk_issue_x_in_element(c->in, warp + c->p.warps * (at - 1u)) +
           WLK_ISSUE_X_IN_IBUF_WINDOW_BITS;
}

IX_INLINE uint32_t ix_unit(const ix_cycle *c, uint32_t warp, uint32_t at) {
    const uint64_t *head = wlk_issue_x_in_element(c->in, warp);
    if (at == 0) {
        return wlk_issue_x_in_get_ibuf_bits_uop_fuSel(head);
    }
    return wlk_issue_x_in_get_ibuf_window_bits_uop_fuSel(head + c->p.warps * (at - 1u) *
                                                                    WLK_ISSUE_X_IN_STRIDE);
}

IX_INLINE bool ix_is_there(const ix_cycle *c, uint32_t warp, uint32_t at) {
    const uint64_t *element = wlk_issue_x_in_element(c->in, warp + c->p.warps * (at - 1u));
    return wlk_issue_x_in_get_ibuf_window_valid(element) != 0;
}

IX_INLINE uint32_t ix_waw(const ix_state *st, const ix_cycle *c, const uint64_t *entry) {
    return wlk_entry_get_hasRd(entry) & ix_writes(st, c, wlk_entry_get_rd(entry));
}

IX_INLINE uint32_t ix_war(const ix_state *st, const ix_cycle *c, const uint64_t *entry) {
    const uint32_t reads = ix_reads(st, c, ix_key(0, wlk_entry_get_rd(entry)));
    return c->p.war == IX_GATE ? wlk_entry_get_hasRd(entry) & (uint32_t)(reads != 0) : 0u;
}

/* Does the instruction read the register? */
IX_INLINE bool ix_sources_have(const uint64_t *entry, uint32_t preg) {
    const uint32_t has = wlk_entry_has_rs(entry);
    bool found = false;
    for (uint32_t i = 0; i < IX_OPERANDS; i++) {
        found |= (has >> i & 1u) != 0 && wlk_entry_rs(entry, i) == preg;
    }
    return found && preg != 0;
}

/* §5.3: it reads what is in service and not done. */
IX_INLINE uint32_t ix_held(const ix_cycle *c, const uint64_t *entry) {
    const uint32_t busy = c->service & bit_not(c->cxi.commit);
    return c->p.forwarding == CX_MUST && busy ? (uint32_t)ix_sources_have(entry, c->rd) : 0u;
}

/* §4.1, admit: no entry of its group for an instruction that needs one. */
IX_INLINE uint32_t ix_no_room(const ix_cycle *c, const uint64_t *entry, uint32_t unit) {
    if (c->p.alloc != IX_ADMIT || wlk_entry_has_rs(entry) == 0) {
        return 0u;
    }
    return bit_not(c->cx.room >> ix_group(&c->s, unit) & 1u);
}

/* §7: does it name a register that a skipped one ahead of it writes, or write one it names? */
IX_INLINE bool ix_is_fenced(const ix_cycle *c, uint32_t warp, uint32_t at) {
    const uint64_t *entry = ix_instruction(c, warp, at);
    const uint32_t rd = wlk_entry_get_hasRd(entry) ? wlk_entry_get_rd(entry) : 0u;
    bool fenced = false;
    for (uint32_t k = 0; k < at; k++) {
        const uint64_t *ahead = ix_instruction(c, warp, k);
        const uint32_t ahead_rd = wlk_entry_get_hasRd(ahead) ? wlk_entry_get_rd(ahead) : 0u;
        fenced |= ix_sources_have(entry, ahead_rd) || (rd != 0 && rd == ahead_rd) ||
                  ix_sources_have(ahead, rd);
    }
    return fenced;
}

/* Behind a head that is skipped: whether there is a candidate, and which. */
IX_INLINE uint32_t ix_behind(const ix_state *st, ix_cycle *c, uint32_t warp) {
    for (uint32_t at = 1; at < c->p.window && ix_is_there(c, warp, at); at++) {
        const uint64_t *entry = ix_instruction(c, warp, at);
        const bool fenced = ix_is_fenced(c, warp, at);
        c->fenced |= (uint32_t)fenced << warp;
        if (fenced || (ix_waw(st, c, entry) | ix_war(st, c, entry)) != 0) {
            continue;
        }
        c->pick[warp] = (uint8_t)at;
        return bit_not(ix_held(c, entry) | ix_no_room(c, entry, ix_unit(c, warp, at)));
    }
    return 0;
}

/* §7: the candidate of a warp that has a head. */
IX_INLINE uint32_t ix_candidate(const ix_state *st, ix_cycle *c, uint32_t warp) {
    const uint64_t *entry = ix_instruction(c, warp, 0);
    const uint32_t waw = ix_waw(st, c, entry), war = ix_war(st, c, entry);
    c->hz.waw |= waw << warp;
    c->hz.war |= war << warp;
    c->pick[warp] = 0;
    if ((waw | war) != 0) {
        return ix_behind(st, c, warp);
    }
    const uint32_t held = ix_held(c, entry);
    const uint32_t no_room = bit_not(held) & ix_no_room(c, entry, ix_unit(c, warp, 0));
    c->hold |= held << warp;
    c->roomless |= no_room << warp;
    return bit_not(held | no_room);
}

/* One arbiter over the warps (muon-issue §4). */
IX_INLINE void ix_choose(const ix_state *st, ix_cycle *c) {
    c->hz.waw = c->hz.war = c->hold = c->roomless = c->fenced = c->hz.candidates = 0;
    for (uint32_t left = wlk_issue_x_in_get_ibuf_valid(c->in); left != 0; left &= left - 1u) {
        const uint32_t warp = set_lowest(left);
        c->hz.candidates |= ix_candidate(st, c, warp) << warp;
    }
    c->hz.candidates &= ~st->late.barred;
    c->hz.any = (uint32_t)(c->hz.candidates != 0);
    c->hz.choice = arbiter_choose(c->hz.candidates, st->hazard.last, c->p.warps);
}

/* §6.1, §6.2: the counts of its sources that go up; whether none would pass the largest. */
IX_INLINE uint32_t ix_book(const ix_state *st, ix_cycle *c, const uint64_t *entry) {
    uint32_t fits = 1;
    c->n_increments = 0;
    for (uint32_t i = 0; i < IX_OPERANDS; i++) {
        const uint32_t preg = wlk_entry_rs(entry, i);
        const uint32_t epoch = c->p.war == IX_EPOCH ? ix_bit(st->scoreboard.epoch, preg) : 0u;
        const uint32_t key = ix_key(epoch, preg);
        const uint32_t counts = c->p.counted | bit_not(ix_writes(st, c, preg));
        if ((c->hz.has_rs >> i & counts) == 0 || preg == 0) {
            continue;
        }
        uint32_t same = 1;
        for (uint32_t n = 0; n < c->n_increments; n++) {
            same += (uint32_t)(c->increment[n] == key);
        }
        c->increment[c->n_increments++] = (uint16_t)key;
        fits &= (uint32_t)(ix_reads(st, c, key) + same <= c->p.max_reads);
    }
    return fits;
}

/* The candidate enters the reservation station if there is a row and the counts allow it. */
IX_INLINE void ix_admit(const ix_state *st, ix_cycle *c) {
    ix_choose(st, c);
    const uint32_t at = c->hz.any ? c->pick[c->hz.choice] : 0u;
    const uint64_t *entry = ix_instruction(c, c->hz.choice, at);
    uint32_t busy = 0;
    c->hz.has_rs = wlk_entry_has_rs(entry);
    for (uint32_t i = 0; i < IX_OPERANDS; i++) {
        busy |= ix_writes(st, c, wlk_entry_rs(entry, i)) << i;
    }
    c->hz.busy = c->hz.has_rs & busy;
    const uint32_t operand = wlk_entry_get_hasRd(entry) | (uint32_t)(c->hz.has_rs != 0);
    const uint32_t success = c->hz.any & c->rs.room & operand & ix_book(st, c, entry);
    c->hz.fires = c->hz.valid = success;
    c->hz.refused = (c->hz.any & bit_not(success)) << c->hz.choice;
    c->hz.clear = c->clear;
    c->unit = c->s.collector == CX_INST_BANKED ? ix_unit(c, c->hz.choice, at) : 0u;
    c->admission = (rs_admission){success, c->rs.room, ~c->hz.has_rs & 7u, c->hz.busy, entry};
    if (c->p.alloc == IX_ADMIT && (success & (uint32_t)(c->hz.has_rs != 0)) != 0) {
        c->cxi.alloc_valid = c->cx.taken = 1;
        c->cxi.alloc_group = ix_group(&c->s, c->unit);
        c->cx.taken_entry = c->cx.room_entry[c->cxi.alloc_group];
    }
}

#endif
