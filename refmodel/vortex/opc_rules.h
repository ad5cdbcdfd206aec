/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An operand collector of Vortex, in every model that contains one. The source includes
 * frame/model.h first. A cycle: opc_cycle, then opc_edge. Spec: vortex-issue §6, §4.9; sections are
 * those.
 */
#ifndef WLK_VORTEX_OPC_RULES_H
#define WLK_VORTEX_OPC_RULES_H

#include "buffer.h"
#include "opc_requests.h"

enum { OPERANDS = 3 };

typedef wlk_vx_shape shape;

/* A collector's register file: the first row of each bank, the second ..., and of each the lanes
 * known. */
typedef struct ram {
    uint64_t *rows;
    uint32_t *lanes;
} ram;

/* A collector's cycle. */
typedef struct opc_cycle_t {
    uint32_t reset, valid;        /* valid: an instruction is for this collector */
    uint32_t ready_out;           /* of what is behind the output buffer */
    uint32_t rdy0, rdy1, rdy2;    /* stage 1, stage 2 and the output buffer may change */
    uint32_t sources, conflict;   /* operands to be read; two of them in one bank */
    uint32_t taken;               /* operands asked for, as in `fetched` */
    uint32_t source;              /* as in the stages */
    uint32_t last;                /* round of the packet */
    uint32_t pid, mask, sop, eop; /* the packet */
} opc_cycle_t;

/* Every operand comes from the rounds before. */
enum { NO_SOURCE = 0x040200 };

static inline shape shape_of(const cfg_t *cfg) {
    const uint32_t slice = cfg->num_warps / cfg->issue_width, warps = slice / cfg->num_opcs;
    shape s = {.simd = cfg->simd_width, .banks = cfg->num_gpr_banks, .warps = warps};
    s.packets = cfg->num_threads / cfg->simd_width;
    s.bank_bits = wlk_clog2(s.banks);
    s.registers = 32u << cfg->ext_f_enable;
    s.words = (s.simd * cfg->xlen + 63u) / 64u;
    s.last_warp = slice > 1 ? slice - 1u : ~0u;
    s.wis_shift = wlk_idw(slice) - wlk_clog2(warps);
    s.rows = (s.registers >> s.bank_bits) * s.packets * warps;
    s.row_mask = (s.rows & (s.rows - 1u)) == 0 ? s.rows * s.banks - 1u : ~0u;
    s.lanes = set_below(s.simd);
    s.cleared = cfg->simulation & bit_not(cfg->ndebug);
    return s;
}

/* Words that the register files of n collectors take. */
static inline size_t ram_words(const shape *s, uint32_t n) {
    const size_t rows = (size_t)s->rows * s->banks * n;
    return rows * s->words + (rows + 1u) / 2u;
}

/* That of collector i of n. */
static inline ram ram_of(const shape *s, uint64_t *words, uint32_t i, uint32_t n) {
    const size_t rows = (size_t)s->rows * s->banks;
    uint32_t *lanes = (uint32_t *)(void *)(words + rows * n * s->words);
    return (ram){words + rows * i * s->words, lanes + rows * i};
}

/* Where a bank's row is among those of all banks. */
static inline uint32_t ram_row(const shape *s, uint32_t bank, uint32_t row) {
    return (row << s->bank_bits) + bank;
}

/* Where register 0 of a packet is there: packet, warp (§6.2); the others follow. A mask keeps them
 * inside, else they may be beyond the last row. */
static inline uint32_t first_row(const shape *s, uint32_t sid, uint32_t wis) {
    const uint32_t packet = s->packets > 1 ? sid << wlk_clog2(s->warps) : 0u;
    const uint32_t warp = s->warps > 1 ? wis >> s->wis_shift : 0u;
    return (packet + warp) * s->registers & s->row_mask;
}

/* The row of operand i, and its first word; their words are even where a state is settled. */
static inline uint32_t source_of(const wlk_vx_stage *stage, uint32_t i) {
    return stage->source >> (8u * i + 1u) & 0x7fu;
}

static inline size_t source_word(const shape *s, const wlk_vx_stage *stage, uint32_t i) {
    return (size_t)(stage->source >> (8u * i) & 0xffu) * (s->words / 2u);
}

/* Banks that deliver an operand. */
static inline uint32_t stage_reads(const wlk_vx_stage *stage) {
    uint64_t rows = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        rows |= UINT64_C(1) << source_of(stage, i);
    }
    return (uint32_t)(rows >> WLK_VX_BANK_ROW);
}

/* Registers of the three sources, read or not. */
static inline void sources_of(const shape *s, const uint64_t *instr, uint32_t *reg) {
    reg[0] = wlk_instr_get_rs1(instr) & (s->registers - 1u);
    reg[1] = wlk_instr_get_rs2(instr) & (s->registers - 1u);
    reg[2] = wlk_instr_get_rs3(instr) & (s->registers - 1u);
}

/* ---- request stage (§6.1) ------------------------------------------------------------------ */

/* Bits of three numbers of six bits each, as the registers lie in an instruction. */
#define EACH_SOURCE(bits) ((bits) * (1u | 1u << 6 | 1u << 12))
_Static_assert(wlk_instr_lsb_rs2 - wlk_instr_lsb_rs1 == 6 &&
                   wlk_instr_lsb_rs3 - wlk_instr_lsb_rs2 == 6 &&
                   wlk_instr_word_rs2 - wlk_instr_word_rs1 == 0 &&
                   wlk_instr_word_rs3 - wlk_instr_word_rs1 == 0,
               "the sources are neighbours");

/* The index in opc_requests of an instruction all of whose operands are left. A number is not 0
 * where adding 31 to its low bits reaches its top bit, or that is set. */
VX_INLINE uint32_t request_index(const shape *s, const uint64_t *instr) {
    const uint32_t used = wlk_instr_get_used_rs(instr);
    const uint32_t all = (uint32_t)(instr[wlk_instr_word_rs1] >> wlk_instr_lsb_rs1);
    const uint32_t reg = all & EACH_SOURCE(s->registers - 1u);
    const uint32_t some = ((reg & EACH_SOURCE(31u)) + EACH_SOURCE(31u)) | reg;
    const uint32_t asks = used * (1u << 5 | 1u << 10 | 1u << 15) & some & EACH_SOURCE(32u);
    const uint32_t folds = (reg & EACH_SOURCE(3u)) | asks >> 3;
    return (folds | folds >> 9) & 511u;
}

/* opc_request, where there are four banks. */
VX_INLINE void opc_request_4(const shape *s, const wlk_vx_collector *o, const uint64_t *instr,
                             opc_cycle_t *c) {
    const uint32_t found = opc_requests[request_index(s, instr) & ~(uint32_t)o->fetched];
    const uint32_t asks = found & bit_all(c->valid);
    c->source = NO_SOURCE ^ (asks & REQUEST_SOURCE);
    c->taken = asks >> REQUEST_WINS & REQUEST_BITS;
    c->sources = found >> REQUEST_READ & 7u;
    c->conflict = found >> REQUEST_CONFLICT;
}

/* One read a bank: the lowest operand; two that ask for one bank are a conflict. Without branches,
 * as nothing foretells what an instruction reads. */
VX_INLINE void opc_request(const shape *s, const wlk_vx_collector *o, const uint64_t *instr,
                           opc_cycle_t *c) {
    const uint32_t used = wlk_instr_get_used_rs(instr);
    uint32_t wanted = 0, reg[OPERANDS];
    if (s->banks == 4) {
        opc_request_4(s, o, instr, c);
        return;
    }
    sources_of(s, instr, reg);
    c->sources = c->taken = c->conflict = c->source = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint32_t bank = reg[i] & (s->banks - 1u), bit = REQUEST_BIT(i);
        const uint32_t left = used >> i & ~((uint32_t)o->fetched >> bit) & 1u;
        const uint32_t is = left & (uint32_t)(reg[i] != 0);
        const uint32_t wins = is & bit_not(wanted >> bank & 1u), asks = wins & c->valid;
        c->source |= (i + ((bank + WLK_VX_BANK_ROW - i) & bit_all(asks))) << (8u * i + 1u);
        c->sources |= is << i;
        c->conflict |= is ^ wins;
        c->taken |= asks << bit;
        wanted |= is << bank;
    }
}

/* The packet whose turn it is (§4.9). */
static inline void opc_packet(const shape *s, const wlk_vx_collector *o, uint32_t tmask,
                              opc_cycle_t *c) {
    uint32_t full = 0; /* packets that are not empty */
    if (s->packets == 1) {
        c->pid = 0;
        c->mask = tmask;
        c->sop = c->eop = 1;
        return;
    }
    for (uint32_t p = 0; p < s->packets; p++) {
        full |= (uint32_t)((tmask >> (p * s->simd) & s->lanes) != 0) << p;
    }
    const uint32_t left = full & ~o->sent;
    const uint32_t last = full != 0 ? 31u - (uint32_t)__builtin_clz(full) : 0u;
    c->pid = left != 0 ? set_lowest(left) : idx0(s->packets);
    c->mask = tmask >> (c->pid * s->simd) & s->lanes;
    c->sop = o->first;
    c->eop = c->pid == last;
}

/* ---- stage 2 (§6.3) ------------------------------------------------------------------------ */

/* Operands of rounds before and of this one; not gated by valid. */
static inline void opc_merge(const shape *s, const wlk_vx_collector *o, uint32_t reset_seen,
                             wlk_vx_packet *to) {
    const wlk_vx_stage *stage = &o->stage[1];
    vx_head_copy(&to->head, &stage->head);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const size_t from = source_of(stage, i);
        vx_row_copy(to->rows + (size_t)i * s->words, o->rows + from * s->words, s->words);
        to->head.lanes[i] = o->lanes[from];
        to->head.from[i] = stage->head.known != 0 ? o->from[from] : 0;
    }
    /* Of one bank the register is reset: nothing is left open. */
    if ((stage->head.known | (uint32_t)(s->banks == 1)) == 0 || reset_seen == 0) {
        memset(to->head.lanes, 0, sizeof to->head.lanes);
    }
}

/* The cycle of a collector whose output buffer is ready, or is not. */
VX_INLINE void opc_cycle_of(const shape *s, const wlk_vx_collector *o, uint32_t rdy2,
                            const uint64_t *instr, opc_cycle_t *c) {
    c->rdy2 = rdy2;
    c->rdy1 = c->rdy2 | (uint32_t)(o->stage[1].valid == 0);
    c->rdy0 = c->rdy1 | (uint32_t)(o->stage[0].valid == 0);
    opc_request(s, o, instr, c);
    c->taken &= bit_all(c->rdy0);
    opc_packet(s, o, wlk_instr_get_tmask(instr), c);
    c->last = c->rdy0 & bit_not(c->conflict);
}

VX_INLINE void opc_cycle(const shape *s, const wlk_vx_collector *o, uint32_t code,
                         const uint64_t *instr, uint32_t ready_out, opc_cycle_t *c) {
    c->ready_out = ready_out;
    opc_cycle_of(s, o, vx_buffer_ready(&o->out, code, ready_out), instr, c);
}

/* Also without valid (quirk). */
static inline uint32_t opc_ready(const opc_cycle_t *c) {
    return c->last & c->eop;
}

/* ---- the clock edge ------------------------------------------------------------------------ */

/* Every bank reads when stage 1 moves on: an operand, or the row beside the first one, before a
 * write of the same edge. */
static inline void opc_read(const shape *s, wlk_vx_collector *o, const ram *r) {
    const wlk_vx_stage *stage = &o->stage[0];
    uint32_t row[WLK_VX_ROWS];
    for (uint32_t b = 0; b < s->banks; b++) {
        row[WLK_VX_BANK_ROW + b] = stage->at[0] + b;
    }
    row[source_of(stage, 1)] = stage->at[1];
    row[source_of(stage, 2)] = stage->at[2];
    for (uint32_t b = 0; b < s->banks; b++) {
        const uint32_t to = WLK_VX_BANK_ROW + b;
        const bool inside = row[to] < s->rows * s->banks;
        const size_t at = inside ? row[to] : b;
        vx_row_copy(o->rows + (size_t)to * s->words, r->rows + at * s->words, s->words);
        o->lanes[to] = inside ? r->lanes[at] : 0u;
        if (o->tracks != 0) {
            o->from[to] = inside && at < UINT16_MAX ? (uint16_t)(at + 1u) : 0;
        }
    }
}

/* A row is written: what was read from it is no longer the same. */
static inline void vx_buffer_untrack(wlk_vx_buffer *b, uint32_t row) {
    for (uint32_t i = 0; i < sizeof b->entry / sizeof *b->entry; i++) {
        for (uint32_t k = 0; k < OPERANDS; k++) {
            uint16_t *from = &b->entry[i].head.from[k];
            *from = *from == row + 1u ? 0 : *from;
        }
    }
}

static inline void opc_untrack(wlk_vx_collector *o, uint32_t row) {
    for (uint32_t i = 0; i < WLK_VX_ROWS; i++) {
        o->from[i] = o->from[i] == row + 1u ? 0 : o->from[i];
    }
    vx_buffer_untrack(&o->out, row);
}

/* The row that the words of the write port name (§6.4). */
static inline uint32_t written_row(const shape *s, const uint64_t *in) {
    const uint32_t rd = GET(wb_data_rd, in) & (s->registers - 1u);
    return first_row(s, GET(wb_data_sid, in), GET(wb_data_wis, in)) + rd;
}

static inline void opc_write(const shape *s, const ram *r, const uint64_t *in, const void *data,
                             uint32_t xlen) {
    const uint32_t at = written_row(s, in), lanes = GET(wb_data_tmask, in);
    const size_t bytes = xlen / 8u;
    if (at >= s->rows * s->banks) {
        return;
    }
    char *row = (char *)(r->rows + (size_t)at * s->words);
    r->lanes[at] |= lanes;
    if (lanes == s->lanes) {
        memcpy(row, data, s->simd * bytes);
        return;
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1u) {
        const size_t lane = set_lowest(left) * bytes;
        memcpy(row + lane, (const char *)data + lane, bytes);
    }
}

/* Reset, in simulation: zeros; nothing is written then. */
static inline void opc_clear(const shape *s, wlk_vx_collector *o, const ram *r) {
    const size_t rows = (size_t)s->rows * s->banks;
    memset(r->rows, 0, rows * s->words * sizeof *r->rows);
    memset(r->lanes, 0xff, rows * sizeof *r->lanes);
    o->ram_known = 1;
    o->tracks = 0;
}

/* Neighbours in an instruction that are neighbours in a packet too move as one field. */
#define NEIGHBOURS(one, other)                                                                     \
    (wlk_instr_lsb_##other - wlk_instr_lsb_##one ==                                                \
         NAMED(out_lsb_op_data_##other) - NAMED(out_lsb_op_data_##one) &&                          \
     wlk_instr_word_##other - wlk_instr_word_##one == 0 &&                                         \
     NAMED(out_word_op_data_##other) - NAMED(out_word_op_data_##one) == 0)
_Static_assert(NEIGHBOURS(ex_type, op_type) && NAMED(out_lsb_op_data_op_type) + 4 == 64,
               "ex_type and op_type end a word");
_Static_assert(NEIGHBOURS(op_args_high, wb), "op_args_high and wb");

/* So do fields that lie side by side in a packet alone. */
#define FOLLOWS(other, one, width)                                                                 \
    (NAMED(out_lsb_op_data_##other) - NAMED(out_lsb_op_data_##one) == (width) &&                   \
     NAMED(out_word_op_data_##other) - NAMED(out_word_op_data_##one) == 0)
_Static_assert(FOLLOWS(sop, rd, 6) && FOLLOWS(eop, rd, 7), "rd, sop, eop");

/* What a packet shows besides its operands, as the control words of a record. */
VX_INLINE void opc_head(const cfg_t *cfg, const uint64_t *in, const opc_cycle_t *c,
                        wlk_vx_head *head) {
    const uint64_t *instr = in + CAPS(IN_SB_DATA);
    const uint64_t types = instr[wlk_instr_word_ex_type] >> wlk_instr_lsb_ex_type;
    const uint64_t args_wb = instr[wlk_instr_word_wb] >> wlk_instr_lsb_op_args_high;
    uint64_t meta[WLK_VX_PACKET_WORDS] = {0};
    PUT(op_data_uuid, meta, wlk_instr_get_uuid(instr));
    PUT(op_data_wis, meta, GET(sb_data_wis, in));
    PUT(op_data_sid, meta, (uint64_t)c->pid);
    PUT(op_data_tmask, meta, (uint64_t)c->mask);
    PUT(op_data_PC, meta, wlk_instr_get_PC(instr));
    PUT(op_data_ex_type, meta, types); /* and op_type */
    PUT(op_data_op_args, meta, wlk_instr_get_op_args(instr));
    PUT(op_data_op_args_high, meta, args_wb & 0x3fu); /* and wb */
    const uint32_t rd = wlk_instr_get_rd(instr) & (31u | cfg->ext_f_enable << 5);
    PUT(op_data_rd, meta, (uint64_t)(rd | c->sop << 6 | c->eop << 7)); /* and sop, eop */
    /* The lanes are all known, and so is the rest. */
    const vx_half low = {meta[0], meta[1], meta[2], meta[3]};
    const vx_half high = {meta[4], ~UINT64_C(0), UINT64_C(0x1ffffffff), 0};
    vx_head_put(head, low, high);
}

/* What stage 1 takes. A bank that delivers no operand reads the register of the first one. */
VX_INLINE void opc_load(const cfg_t *cfg, const shape *s, const uint64_t *in, const opc_cycle_t *c,
                        wlk_vx_stage *one) {
    const uint32_t first = first_row(s, c->pid, GET(sb_data_wis, in));
    uint32_t reg[OPERANDS];
    sources_of(s, in + CAPS(IN_SB_DATA), reg);
    opc_head(cfg, in, c, &one->head);
    one->valid = (uint8_t)c->valid;
    one->conflict = (uint8_t)c->conflict;
    one->source = c->source;
    one->at[0] = first + (reg[0] & ~(s->banks - 1u));
    one->at[1] = first + reg[1];
    one->at[2] = first + reg[2];
}

/* Reset takes back what the top bank would deliver, and of a stage nothing else but valid. */
static void opc_stages_reset(const shape *s, wlk_vx_collector *o) {
    for (uint32_t n = 0; n < 2; n++) {
        wlk_vx_stage *stage = &o->stage[n];
        stage->valid = 0;
        for (uint32_t i = 0; i < OPERANDS; i++) {
            const uint32_t byte = 8u * i;
            if (source_of(stage, i) == WLK_VX_BANK_ROW + s->banks - 1u) {
                stage->source = (stage->source & ~(0xffu << byte)) | i << (byte + 1u);
            }
        }
    }
}

/* What a stage that stays would take goes where nothing reads it: nothing foretells a branch. */
VX_INLINE void opc_stages_edge(const cfg_t *cfg, const shape *s, wlk_vx_collector *o,
                               const opc_cycle_t *c, const uint64_t *in) {
    enum { NOWHERE = 2 };
    wlk_vx_stage *one = &o->stage[0], *two = &o->stage[1];
    const uint32_t goes_on = one->valid & bit_not(one->conflict);
    vx_head_copy(&o->stage[NOWHERE - c->rdy1].head, &one->head);
    two->source ^= (two->source ^ one->source) & bit_all(c->rdy1);
    two->valid ^= (uint8_t)((two->valid ^ goes_on) & bit_all(c->rdy1));
    opc_load(cfg, s, in, c, &o->stage[NOWHERE - NOWHERE * c->rdy0]);
    if (c->reset != 0) {
        opc_stages_reset(s, o);
    }
}

VX_INLINE void opc_iterator_edge(const shape *s, wlk_vx_collector *o, const opc_cycle_t *c) {
    const uint32_t moves = c->valid & c->last;
    o->fetched = (uint16_t)((o->fetched | c->taken) & ((c->reset | c->last) - 1u));
    if (s->packets == 1) {
        return;
    }
    if ((c->reset | (moves & c->eop)) != 0) {
        o->sent = 0;
        o->first = 1;
    } else if (moves != 0) {
        o->sent |= 1u << c->pid;
        o->first = 0;
    }
}

/* Operands of a packet that goes on are not gathered any longer. */
static inline void opc_gather(const shape *s, wlk_vx_collector *o, const wlk_vx_packet *merged,
                              uint32_t drop) {
    const size_t words = (size_t)OPERANDS * s->words;
    if (drop != 0) {
        memset(o->rows, 0, words * sizeof *o->rows);
        memset(o->lanes, 0xff, OPERANDS * sizeof *o->lanes);
        memset(o->from, 0, OPERANDS * sizeof *o->from);
    } else {
        memcpy(o->rows, merged->rows, words * sizeof *o->rows);
        memcpy(o->lanes, merged->head.lanes, OPERANDS * sizeof *o->lanes);
        memcpy(o->from, merged->head.from, OPERANDS * sizeof *o->from);
    }
}

/*
 * The edge. @p known: all but what no reset reaches is. @p data: what is written, where @p writes
 * says that it is to this collector.
 */
static inline void opc_edge(const cfg_t *cfg, const shape *s, wlk_vx_collector *o, uint32_t code,
                            const ram *r, uint32_t known, const uint64_t *in, const void *data,
                            uint32_t writes, const opc_cycle_t *c) {
    const uint32_t sent = o->stage[1].valid & c->rdy2;
    wlk_vx_packet merged;
    o->stalls = c->reset != 0 ? 0u : (o->stalls + (c->valid & c->rdy0 & c->conflict)) & PERF_BITS;
    opc_merge(s, o, known, &merged);
    vx_buffer_edge(&o->out, code, o->stage[1].valid, &merged, c->ready_out, c->reset, s->words);
    opc_gather(s, o, &merged, c->reset | sent);
    if ((o->stage[0].valid & c->rdy1) != 0) {
        opc_read(s, o, r);
    }
    opc_stages_edge(cfg, s, o, c, in);
    opc_iterator_edge(s, o, c);
    if (known == 0) { /* up to the first edge in reset: loads and reads follow from nothing known */
        o->stage[0].head.known = o->stage[1].head.known = 0;
        memset(o->lanes + WLK_VX_BANK_ROW, 0, s->banks * sizeof *o->lanes);
    }
    if ((s->cleared & c->reset) != 0) {
        opc_clear(s, o, r);
    } else if (writes != 0) {
        opc_write(s, r, in, data, cfg->xlen);
        if (o->tracks != 0) {
            opc_untrack(o, written_row(s, in));
        }
    }
}

/* Everything that reset reaches. */
static inline void opc_reset(const shape *s, wlk_vx_collector *o, uint32_t code, const ram *r) {
    opc_stages_reset(s, o);
    o->stalls = 0;
    o->fetched = 0;
    if (s->packets > 1) {
        o->sent = 0;
        o->first = 1;
    }
    vx_buffer_reset(&o->out, code);
    opc_gather(s, o, NULL, 1);
    if (s->cleared != 0) {
        opc_clear(s, o, r);
    }
}

/* Lanes of an operand that are known, as care words. */
static inline void opc_care_row(const shape *s, uint32_t xlen, uint32_t lanes, uint64_t *out,
                                uint64_t *care) {
    memset(care, 0, s->words * sizeof *care);
    for (uint32_t left = lanes & s->lanes; left != 0; left &= left - 1u) {
        const size_t bytes = xlen / 8u, lane = set_lowest(left) * bytes;
        memset((char *)care + lane, 0xff, bytes);
    }
    for (uint32_t w = 0; w < s->words; w++) {
        out[w] &= care[w];
    }
}

static inline bool opc_is_known(const shape *s, const wlk_vx_packet *p) {
    const uint32_t *lanes = p->head.lanes;
    return p->head.known != 0 && (lanes[0] & lanes[1] & lanes[2] & s->lanes) == s->lanes;
}

static inline bool opc_is_empty(const wlk_vx_collector *o) {
    return (o->stage[0].valid | o->stage[1].valid) == 0 && vx_buffer_empty(&o->out) != 0;
}

/* Power-up of a collector that is all zero; @p known: and is known to be. */
static inline void opc_power_up(const shape *s, wlk_vx_collector *o, const ram *r, bool known) {
    o->stage[0].source = o->stage[1].source = NO_SOURCE;
    if (known) {
        o->stage[0].head.known = o->stage[1].head.known = 1;
        memset(o->lanes, 0xff, sizeof o->lanes);
        vx_buffer_known(&o->out);
        opc_clear(s, o, r);
    }
}

/* ---- for reports --------------------------------------------------------------------------- */

static inline uint32_t opc_fetched(const wlk_vx_collector *o) {
    uint32_t fetched = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        fetched |= ((uint32_t)o->fetched >> REQUEST_BIT(i) & 1u) << i;
    }
    return fetched;
}

static inline void opc_visit(const shape *s, const wlk_vx_collector *o, uint32_t reset_seen,
                             int32_t index, wlk_state_visitor *visitor, void *ctx) {
    const uint64_t seen = (uint64_t)0 - reset_seen;
    const flop flops[] = {
        {"opds_fetched", opc_fetched(o), seen, WLK_HEX},
        {"iterator.sent", o->sent, s->packets > 1 ? seen : ~UINT64_C(0), WLK_HEX},
        {"stage1.valid", o->stage[0].valid, seen, WLK_DECIMAL},
        {"stage1.banks", stage_reads(&o->stage[0]), o->stage[0].head.known != 0 ? seen : 0u,
         WLK_HEX},
        {"stage1.conflict", o->stage[0].conflict, o->stage[0].head.known != 0 ? seen : 0u,
         WLK_DECIMAL},
        {"stage2.valid", o->stage[1].valid, seen, WLK_DECIMAL},
        {"stage2.banks", stage_reads(&o->stage[1]), o->stage[1].head.known != 0 ? seen : 0u,
         WLK_HEX},
        {"out_buf.ready_in", o->out.s.ready, seen, WLK_DECIMAL},
        {"out_buf.valid_out", o->out.s.valid, seen, WLK_DECIMAL},
    };
    VISIT_FLOPS(flops, index);
}

/* Rows of a collector's banks that are not all zero, by bank. */
static inline void opc_visit_rows(const shape *s, const ram *r, wlk_state_visitor *visitor,
                                  void *ctx) {
    for (uint32_t n = 0; n < s->rows * s->banks; n++) {
        const size_t at = ram_row(s, n / s->rows, n % s->rows);
        const uint64_t *row = r->rows + at * s->words;
        uint64_t any = r->lanes[at] ^ s->lanes;
        for (uint32_t w = 0; w < s->words; w++) {
            any |= row[w];
        }
        if (any != 0 && r->lanes[at] != 0) {
            visitor(ctx, "gpr_ram", (int32_t)n, row, s->words, r->lanes[at], WLK_HEX);
        }
    }
}

#endif
