# SPDX-License-Identifier: Apache-2.0
"""Models of the tree that are in model C: the stub, which is written apart from them, is proved
equal to each, and a fault in a model is found.

`warplock test --full` takes all named configurations; else the small ones.
"""

import json
import shlex
import subprocess

import programs
import pytest
from wlk import tables
from wlk.base.errors import Status
from wlk.model import netlist
from wlk.run import covered, unreachable
from wlk.tables.files import is_by_structs

pytestmark = [pytest.mark.slow, pytest.mark.needs("rtl", "model", "prove")]
FOLDERS = tables.shipped()
BLOCKS = sorted(name for name, place in FOLDERS.items() if is_by_structs(place / "model.c"))
# Than have been proved.
LARGER = {
    "issue": {*tables.load("issue").configs} - {"rows2", "default"},
    "reservation_station": {"rows32_in_order"},
    "scoreboard": {"warps16", "many_registers"},
    "vortex_opc_unit": {"many_banks", "slices", "wide"},
    "vortex_operands": {*tables.load("vortex_operands").configs}
    - {"tiny", "default", "perf", "two", "uncleared"},
    "vortex_scoreboard": {"tree_16", "tree_17", "tree_64"},
}
CASES = [
    (block, name)
    for block in BLOCKS
    for name in (tables.load(block).configs if programs.FULL else [tables.load(block).small])
    if name not in LARGER.get(block, ())
]
# A counterexample of them rests on values that are x in the stub: then it is no error that
# simulation does not confirm it.
WITH_X = ("collector", "issue", "reservation_station", "scoreboard", "vortex_scoreboard")
PACKETS = {"num_warps": 4, "num_threads": 2, "simd_width": 1, "num_opcs": 2, "num_gpr_banks": 2,
           "ext_f_enable": 0, "ndebug": 1, "perf_enable": 1}  # fmt: skip
# Where the small configuration has no choice, and no order.
FAULTY = {
    "collector": "three_entries",
    "hazard": "warps3",
    "reservation_station": "rows2",
    "vortex_opc_unit": PACKETS | {"ndebug": 0},
    "vortex_operands": PACKETS,
    "vortex_scoreboard": "perf",
}
COMPACT, DISPATCH, SETS, ORDER, PERF = "compact.h", "dispatch.h", "sets.h", "order.h", "perf.h"
LIBRARY, OPC = "library.h", "opc.h"
# File, what stands there, and what is wrong with it.
FAULTS = {
    "collector": {
        "an entry that is being freed is taken": (
            "model.c",
            "(st->alloc_valid != all) | c->frees",
            "st->alloc_valid != all",
        ),
        "frees without an operand": (
            "model.c",
            "c->frees = c->operands != 0;",
            "c->frees = in->readData.req.valid;",
        ),
        "beyond the entries is the last one": (
            "model.c",
            "? in->readData.req.bits.collEntry : 0;",
            "? in->readData.req.bits.collEntry : (uint8_t)(cfg->coll_entries - 1u);",
        ),
        "writes without an enable": (
            "model.c",
            "in->writeReq.valid & in->writeReq.bits.regs[0].enable;",
            "in->writeReq.valid;",
        ),
        "an answer without a question": (
            "model.c",
            "SHOW(readData.resp.valid, has(",
            "SHOW(readData.resp.valid, in->readData.req.valid & has(",
        ),
        "operands without a question": (
            "model.c",
            "in->readData.req.valid ? IN_SET(readData_req_bits_regs_enable) : 0",
            "IN_SET(readData_req_bits_regs_enable)",
        ),
        "a reset clears no bank": (
            "model.c",
            "            row_clear(ROW(bank, i, entry));\n",
            "            (void)entry;\n",
        ),
        "a reset reaches the write response": (
            "model.c",
            "{.writeResp_valid = st->writeResp_valid}",
            "{.writeResp_valid = false}",
        ),
        "the highest free entry": (
            "model.c",
            "lowest(available)",
            "highest(available)",
        ),
        "another entry before the one being freed": (
            "model.c",
            "if (c->fires & c->frees) {",
            "if (c->fires & c->frees & (available == 0)) {",
        ),
        "an entry is freed and taken": (
            "model.c",
            "st->nextAllocId = in->readData.req.bits.collEntry;",
            "st->nextAllocId = in->readData.req.bits.collEntry;\n"
            "        st->alloc_valid = with(st->alloc_valid, c->entry, false);",
        ),
        "register 0 lands nothing": (
            "model.c",
            "        row_clear(ROW(bank, i, entry));\n    } else if",
            "    } else if",
        ),
        "lands without an enable": (
            "model.c",
            "!has(st->nextEn, i) || entry",
            "entry",
        ),
        "a write is seen while its read lands": (
            "model.c",
            "    for (uint32_t i = 0; i < OPERANDS; i++) {\n        land(",
            "    write(cfg, st, in, c);\n"
            "    for (uint32_t i = 0; i < OPERANDS; i++) {\n"
            "        land(",
        ),
        "all lanes are written": (
            "model.c",
            ".data, tmask);",
            ".data, ~UINT64_C(0));",
        ),
        "a copy is not written": (
            "model.c",
            "row_write(ROW(rf, i, preg)",
            "row_write(ROW(rf, i & 1u, preg)",
        ),
        "register 1 is not written": (
            "model.c",
            "if (!c->writes || preg == 0) {",
            "if (!c->writes || preg <= 1) {",
        ),
        "a request without an entry is answered": (
            "model.c",
            "st->readResp_valid = c->fires;",
            "st->readResp_valid = in->readReq.valid;",
        ),
        "a request without an entry lands": (
            "model.c",
            "st->nextEn = c->fires ? IN_SET(readReq_bits_regs_enable) : 0;",
            "st->nextEn = IN_SET(readReq_bits_regs_enable);",
        ),
        "one register for all operands": (
            "model.c",
            "in->readReq.bits.regs[i].pReg",
            "in->readReq.bits.regs[0].pReg",
        ),
        "register 0 has no write response": (
            "model.c",
            "st->writeResp_valid = c->writes;",
            "st->writeResp_valid = c->writes & (preg != 0);",
        ),
        "another operand's bank": (
            "model.c",
            "data, ROW(bank, i, c->entry)",
            "data, ROW(bank, 2u - i, c->entry)",
        ),
    },
    "compactor": {
        "an output moves on transfer": (
            COMPACT,
            "valid[i] && next < k",
            "valid[i] && next < k - 1u",
        ),
        "wires for all": (COMPACT, "n == k ? (uint8_t)j", "n >= k ? (uint8_t)j"),
        "no input has the last output": (
            COMPACT,
            "next < k ? (uint8_t)next",
            "next + 1u < k ? (uint8_t)next",
        ),
        "ready beyond the outputs": (
            "model.c",
            "j != NONE && in->out[j].ready",
            "j == NONE || in->out[j].ready",
        ),
        "an output without input is valid": (
            "model.c",
            "i != NONE && in->in[i].valid",
            "i == NONE || in->in[i].valid",
        ),
        "payload without input": (
            "model.c",
            "bits.payload, zeros)",
            "bits.payload, in->in[0].bits.payload)",
        ),
    },
    "dispatch_basic": {
        "valid for each queue": (
            "model.c",
            "in->ren_uops[w].valid && uses(cfg, in, w, q)",
            "in->ren_uops[w].valid",
        ),
        "one queue is enough": (
            "model.c",
            "ready = ready && in",
            "ready = q == 0 ? in->dis_uops[q][w].ready : ready || in",
        ),
        "the last queue is left out": (DISPATCH, "q < CAPS(QUEUES_MOST)", "q < 2u"),
        "a target by all of its bits": (
            DISPATCH,
            "iq_type & type) != 0",
            "iq_type & type) == type && type != 2u",
        ),
    },
    "dispatch_compacting": {
        "idle uops take places": (
            "model.c",
            "wants[w] = in->ren_uops[w].valid && uses",
            "wants[w] = uses",
        ),
        "a queue holds up all uops": ("model.c", " || !uses(cfg, in, w, q))", ")"),
        "the last queue decides": ("model.c", "ready[w] = ready[w] && (", "ready[w] = ("),
        "the first position's target": (
            DISPATCH,
            "w != NONE ? in->ren_uops[w].bits.iq_type : 0",
            "w != NONE ? in->ren_uops[0].bits.iq_type : 0",
        ),
    },
    "hazard": {
        "WAW without rd": ("model.c", "valid) & c->has_rd & IN_SET", "valid) & IN_SET"),
        "WAR of a head that is not valid": (
            "model.c",
            "c->war = IN_SET(ibuf_valid) & c->has_rd",
            "c->war = c->has_rd",
        ),
        "one pending read is none": (
            "model.c",
            "readRd.pendingReads != 0",
            "readRd.pendingReads > 1",
        ),
        "a hazard of the choice alone": ("model.c", "& ~c->waw & ~c->war;", "& ~c->waw;"),
        "the last warp is chosen again": (
            SETS,
            "(UINT32_C(2) << last)",
            "(UINT32_C(1) << last)",
        ),
        "without a candidate the first warp": (SETS, ": idle;", ": 0;"),
        "a source is busy that is not there": ("model.c", "c->busy = c->has_rs & ", "c->busy = "),
        "sources change places": (
            "model.c",
            "operands_with(c->choice, c->has_rs1, c->has_rs2,",
            "operands_with(c->choice, c->has_rs2, c->has_rs1,",
        ),
        "a booking without room": (
            "model.c",
            "c->books = (c->candidates != 0) & in->rsAdmit.ready;",
            "c->books = c->candidates != 0;",
        ),
        "admitted without success": (
            "model.c",
            "c->books & in->scb.updateRS.success;",
            "c->books;",
        ),
        "hasRd hides the register": (
            "model.c",
            "c->books ? wlk_entry_get_rd(entry) : 0",
            "c->books & has_rd ? wlk_entry_get_rd(entry) : 0",
        ),
        "reads without rd are not booked": (
            "model.c",
            "((has_rd | c->has_rs) != 0)",
            "(has_rd != 0)",
        ),
        "a head of its own choice": (
            "model.c",
            "rsAdmit.bits.ibufEntry, in->ibuf[c->choice].bits",
            "rsAdmit.bits.ibufEntry, in->ibuf[0].bits",
        ),
        "a refused head is passed": (
            "model.c",
            "c->fires ? (uint8_t)c->choice",
            "c->books ? (uint8_t)c->choice",
        ),
        "last is cleared": (
            "model.c",
            "        clear(cfg, st);\n    }\n}",
            "        clear(cfg, st);\n        st->last = 0;\n    }\n}",
        ),
        "a full station is no stall": (
            "model.c",
            "refuses = (c->candidates != 0) &",
            "refuses = c->books &",
        ),
        "softReset waits for a stall to end": (
            "model.c",
            "if (in->softReset) {",
            "if (in->softReset && c->waw == 0) {",
        ),
    },
    "issue": {
        "room is not looked at": (
            "model.c",
            "to->rsAdmit.ready = c->of_station.admit.ready;",
            "to->rsAdmit.ready = true;",
        ),
        "every operand is collected": (
            "model.c",
            "= from->sets.rsAdmit_bits_valid;",
            "= 0;",
        ),
        "the collector is never full": (
            "model.c",
            "c->to_station.collector.readReq.ready = c->of_collector.readReq.ready;",
            "c->to_station.collector.readReq.ready = true;",
        ),
        "registers are not written": (
            "model.c",
            "to->writeReq.valid = in->writeback.valid;",
            "to->writeReq.valid = false;",
        ),
        "operands show without an issue": (
            "model.c",
            "SHOW_ROW_IF(operands[i], has(c->of_collector.sets.readData_resp_bits_enable, i),",
            "SHOW_ROW_IF(operands[i], true,",
        ),
        "softReset stops at hazard": (
            "model.c",
            "to->softReset = in->softReset; // §6.4\n    to->issue",
            "to->softReset = false;\n    to->issue",
        ),
        "reset does not reach the scoreboard": (
            "model.c",
            "    scoreboard_clear(cfg, &st->scoreboard);\n",
            "",
        ),
    },
    "reservation_station": {
        "room where all rows are free alone": (
            "model.c",
            "SHOW(admit.ready, c->free_rows != 0)",
            "SHOW(admit.ready, st->valid == 0)",
        ),
        "the highest free row": (
            "model.c",
            "lowest(c->free_rows)",
            "highest(c->free_rows)",
        ),
        "a busy operand is needed": ("model.c", " | st->busy[i] |", " |"),
        "a part of the operands is enough": (
            "model.c",
            "!= 0 ? ~UINT32_C(0) : all",
            "!= 0 ? all : any",
        ),
        "the highest row asks": (
            "model.c",
            "lowest(c->requests)",
            "highest(c->requests)",
        ),
        "without a request the first row shows": (
            "model.c",
            "(cfg->rs_entries - 1u) % ROWS",
            "0",
        ),
        "registers without a request are 0": (
            "model.c",
            "is_needed ? wlk_entry_rs",
            "is_needed && c->requests != 0 ? wlk_entry_rs",
        ),
        "asked without ready": (
            "model.c",
            "(c->requests != 0) & in->collector",
            "true | in->collector",
        ),
        "a response to nobody's request": (
            "model.c",
            "st->collFired[i] & ~st->opReady[i]",
            "~st->opReady[i]",
        ),
        "register 0 is counted": ("model.c", "decr, preg != 0", "decr, c->answered[i] != 0"),
        "an update only for a row": (
            "model.c",
            "(IN_SET(collector_readResp_bits_regs_enable) != 0)",
            "(c->any_answered != 0)",
        ),
        "a response is seen later": (
            "model.c",
            "forward_coll_issue != 0 ? c->answered[i]",
            "forward_coll_issue == 2 ? c->answered[i]",
        ),
        "the stage is filled when it is empty alone": (
            "model.c",
            "(c->issues | !st->stage.full)",
            "!st->stage.full",
        ),
        "the entry of before the response": (
            "model.c",
            "st->stage.collEntry = st->collPtr[row];",
            "st->stage.collEntry = (c->any_answered >> row & 1u) != 0 ? 0 : st->collPtr[row];",
        ),
        "last is cleared": ("model.c", ".last = st->last, ", ""),
        "the stage is cleared": ("model.c", ", .stage = st->stage}", "}"),
        "operands while the stage waits": (
            "model.c",
            "c->issues ? has_rs",
            "st->stage.full ? has_rs",
        ),
        "operands that were not collected": (
            "model.c",
            "c->issues & st->stage.collected",
            "c->issues",
        ),
        "register 0 wakes": ("model.c", "rd == 0 || waiting", "waiting"),
        "a register that is no source wakes": ("model.c", "(has & (wlk_entry_rs", "((wlk_entry_rs"),
        "a row keeps that it has asked": (
            "model.c",
            "        st->collFired[i] = with(st->collFired[i], row, false);\n",
            "",
        ),
        "a candidate that waits is not counted": (
            PERF,
            "cyclesEligible += c->candidates != 0",
            "cyclesEligible += c->dispatches",
        ),
        "a stall without an offer": (
            PERF,
            "in->admit.valid & (c->free_rows == 0)",
            "c->free_rows == 0",
        ),
        "softReset clears the rows": (
            "model.c",
            "        clear_counters(st);\n    }\n}",
            "        clear_counters(st);\n        st->valid = 0;\n    }\n}",
        ),
        "order among all warps": (
            ORDER,
            "(wlk_entry_get_wid(st->entry[row]) == wlk_entry_get_wid(st->entry[than]))",
            "true",
        ),
        "the younger row goes first": (
            ORDER,
            "st->sequence[than] - st->sequence[row]",
            "st->sequence[row] - st->sequence[than]",
        ),
        "numbers go on from warp to warp": (
            "model.c",
            "st->nextSequence[warp]++",
            "st->nextSequence[0]++",
        ),
        "who has asked holds up others": (
            "model.c",
            "c->may_ask, st->valid & unasked",
            "c->may_ask, st->valid",
        ),
    },
    "scoreboard": {
        "a repeated register moves register 0": (
            "model.c",
            "reads[later].delta = same ? 0 : reads[later].delta;",
            "",
        ),
        "register 0 moves": (
            "model.c",
            "in->port.pReg != 0 ? in->port.incr - in->port.decr : 0",
            "in->port.incr - in->port.decr",
        ),
        "one more than the most": ("model.c", "(to <= (int)most)", "(to <= (int)most + 1)"),
        "a failing update moves": (
            "model.c",
            "u->succeeds ? (uint8_t)((uint64_t)to & bits) : count",
            "(uint8_t)((uint64_t)to & bits)",
        ),
        "the last update decides": (
            "model.c",
            "reads[0].succeeds & reads[1].succeeds & reads[2].succeeds",
            "reads[2].succeeds",
        ),
        "a pending write is no obstacle": ("model.c", " & c->rs_write.succeeds;", ";"),
        "an answer of before": (
            "model.c",
            "if_enabled(enable, reads_of(st, c, preg))",
            "if_enabled(enable, st->pendingReads[preg])",
        ),
        "an answer without a question": (
            "model.c",
            "if_enabled(enable, writes_of(st, c, preg))",
            "writes_of(st, c, preg)",
        ),
        "an enable gates its port": (
            "model.c",
            "    st->pendingWrites[c->wb.preg] = c->wb.count;",
            "    if (in->updateWB.enable) {\n"
            "        st->pendingWrites[c->wb.preg] = c->wb.count;\n    }",
        ),
        "half an admission": ("model.c", "if (c->admits) {", "if (in->hazard.updateRS.enable) {"),
    },
    "vortex_opc_unit": {
        "register 0 is read": (OPC, " & (reg != 0) & ", " & "),
        "the highest source wins": (OPC, "if (asks) {", "if (is_active & c->valid) {"),
        "a collision holds nothing up": (OPC, "c->rdy0 & !c->collides;", "c->rdy0;"),
        "fetched until the last packet": (OPC, "= c->last ? 0 :", "= c->last & c->eop ? 0 :"),
        "ready for what is valid": (OPC, "c->last & c->eop;", "c->last & c->eop & c->valid;"),
        "what is gathered needs a packet": (OPC, "if (o->v2 & c->rdy2) {", "if (c->rdy2) {"),
        "reset reaches all read-valids": (OPC, "(uint32_t)with(o->rdv2, top, false)", "0"),
        "a read sees the write beside it": (
            OPC,
            "    if (o->v1 & c->rdy1) {\n",
            "    if (writes) {\n        write(cfg, st, in, i);\n    }\n"
            "    if (o->v1 & c->rdy1) {\n",
        ),
        "idle is packet 0": (OPC, "lowest(left) : idx0(packets)", "lowest(left) : 0"),
        "the last packet ends": (OPC, "c->eop = c->pid == last", "c->eop = c->pid == packets - 1"),
        "each packet is the first": (OPC, "o->first = c->eop;", "o->first = true;"),
        "a blocked collision is counted": (OPC, "c->rdy0 & c->collides)) &", "c->collides)) &"),
        "a full stage holds the other up": (OPC, "c->rdy2 | !o->v2", "c->rdy2"),
        "the low bits of a warp": (
            OPC,
            "wis >> (wlk_clog2(SLICE_WARPS) - bits)",
            "(wis & (COLLECTOR_WARPS - 1u))",
        ),
        "all lanes are written": (OPC, ", in->wb.data.tmask);", ", wlk_mask(cfg->simd_width));"),
        "registers outlive a reset": (OPC, "cfg->ndebug == 0", "cfg->ndebug != 0"),
        "the spare entry is lost": ("buffer.h", "b->s.ready ? from : first + SPARE", "from"),
        "a buffer of one entry": (LIBRARY, "moves | (is_ready & !valid_in)", "moves"),
    },
    "vortex_operands": {
        "the collector of the high bits": (
            "model.c",
            "wis & (uint32_t)wlk_mask(wlk_clog2(COLLECTORS))",
            "wis >> (wlk_clog2(SLICE_WARPS) - wlk_clog2(COLLECTORS))",
        ),
        "no owner": ("model.c", "return COLLECTORS > 1 && PACKETS > 1;", "return false;"),
        "an owner that stops to ask is forgotten": (
            "model.c",
            "    if (is_sticky(cfg) && g->fires) {\n",
            "    if (g->requests == 0) {\n        st->prev[which] = 0;\n    }\n"
            "    if (is_sticky(cfg) && g->fires) {\n",
        ),
        "ready by any collector": ("model.c", "|= is_chosen & c->opc", "|= c->opc"),
        "written to all": ("model.c", "in->wb.valid & (written == i)", "in->wb.valid"),
        "stalls outlive a reset": ("model.c", "    st->stalls = 0;\n", ""),
        "counted at once": (
            "model.c",
            "SHOW(perf.stalls, st->shown_stalls)",
            "SHOW(perf.stalls, st->stalls)",
        ),
        "the output is empty when taken": (
            "model.c",
            "buffer_of(cfg, which), g->requests != 0,",
            "buffer_of(cfg, which), g->fires & ready_out,",
        ),
    },
    "vortex_scoreboard": {
        "a source by another one's bit": (
            "model.c",
            "((used & 4u) != 0 ? rs3 : 0)",
            "((used & 2u) != 0 ? rs3 : 0)",
        ),
        "reserved before it is released": (
            "model.c",
            "(st->warp[w].inuse & ~released(in, w)) | reserved",
            "(st->warp[w].inuse | reserved) & ~released(in, w)",
        ),
        "each packet releases": (
            "model.c",
            "in->wb.valid & in->wb.data.eop & (",
            "in->wb.valid & (",
        ),
        "ready for the instruction of before": (
            "model.c",
            "need_of(cfg, in->ib[w].data) : need_of",
            "need_of(cfg, st->warp[w].instr) : need_of",
        ),
        "ready before the edge": ("model.c", "blocked = inuse &", "blocked = st->warp[w].inuse &"),
        "only what is offered is staged": (
            "model.c",
            "if (has(c->ready, w)) {",
            "if (has(taken, w)) {",
        ),
        "a reset keeps registers": (
            "model.c",
            "        st->warp[w].inuse = 0;\n        st->warp[w].waited = 0;\n    }\n    clear_c",
            "        st->warp[w].waited = 0;\n    }\n    clear_c",
        ),
        "operation 8 is no CSR access": ("model.c", "LAST_CSR = 8", "LAST_CSR = 7"),
        "the pointer stays": (LIBRARY, "granted + 1u == n ? 0 : granted + 1u", "granted"),
        "the next warp in turn": (
            LIBRARY,
            "requests != 0 ? lowest(requests) : idx0(n)",
            "requests >> pointer != 0 ? pointer + lowest(requests >> pointer)\n"
            "                           : requests != 0 ? lowest(requests) : idx0(n)",
        ),
        "idle is warp 0": (LIBRARY, "is_power_of_2 ? n - 1u : 0", "is_power_of_2 ? 0 : 0"),
        "a buffer of one entry": (LIBRARY, "moves | (is_ready & !valid_in)", "moves"),
        "an empty buffer keeps what it shows": (LIBRARY, "ready_out | !s->valid", "ready_out"),
        "a stall beside a request": (PERF, " & (c->requests == 0)", ""),
        "counted at once": (PERF, "st->marks[delay_of(cfg) - 1u]", "marks"),
        "a floating-point register notes its unit": (
            PERF,
            "(cfg->ext_f_enable != 0 && rd >= 32)",
            "false",
        ),
        "counters outlive a reset": (PERF, "    st->stalls = 0;\n", ""),
    },
}
CHOSEN = [(block, fault) for block, faults in FAULTS.items() for fault in faults]


def prove(block, name, code):
    table = tables.load(block)
    given = name if isinstance(name, dict) else table.configs[name]
    words = programs.config_options(table.show(table.config(given)))
    place = programs.ROOT / "build" / "test" / "reports"
    words += ["--json", "--timeout", "3000"]  # the stage's default size takes a third of it
    return programs.warplock("prove", block, *words, "--reports", place, code=code)


def test_models_are_in_model_c():
    vortex = "vortex_opc_unit", "vortex_operands", "vortex_scoreboard"
    named = "collector compactor dispatch_basic dispatch_compacting hazard issue"
    assert {*named.split(), "reservation_station", "scoreboard", *vortex} <= {*BLOCKS}
    assert FAULTS.keys() == {*BLOCKS}


@pytest.mark.parametrize("block", BLOCKS)
def test_models_with_a_fault_compile(block, tmp_path, monkeypatch):
    """A fault that does not is one of before the last change of the model, and finds nothing."""
    builds = json.loads((programs.folder() / "compile_commands.json").read_text())
    source = str(FOLDERS[block] / "model.c").removeprefix(f"{programs.ROOT}/")
    build = next(each for each in builds if each["file"].endswith(source))
    folders = [word for word in shlex.split(build["command"]) if word.startswith("-I")]
    for number, fault in enumerate(FAULTS[block].values()):
        made = tmp_path / str(number)
        made.mkdir()
        put_in(block, *fault, made, monkeypatch)
        command = ["gcc", "-fsyntax-only", "-w", f"-I{made}", *folders, made / "model.c"]
        subprocess.run(command, cwd=build["directory"], check=True)


@pytest.mark.parametrize(("block", "name"), CASES)
def test_stub_is_proved_equal_to_the_model(block, name):
    answer = prove(block, name, 0).json
    assert (answer["verdict"], answer["against"]) == ("PROVED", "model")
    assert answer["not_compared"] == []
    table = tables.load(block)
    ports = table.ports(table.config(table.configs[name]))
    assert answer["outputs"] == sum(port.direction == "out" for port in ports)


@pytest.mark.parametrize("block", programs.part(BLOCKS, 4))
def test_points_are_reached_or_cannot_be(block, tmp_path):
    """A point has a floor where, and only where, legal inputs reach it. The compiled model hits
    what the inputs of a proof reach, or `look` raises."""
    table = tables.load(block)
    config = table.config(table.configs[table.small])
    points = unreachable.Points(table, config)
    for point in covered.space(table, config, table.show(config), {}).points:
        reach = points.look(point.name, 60.0, tmp_path)
        trivial = (block, point.name) == ("hazard", "choice_wraps")  # one warp is always the last
        # From any values at power-up some take minutes.
        is_unreachable = reach.text.startswith("unreachable ") or reach.never
        assert is_unreachable == (point.rate == 0 and not trivial), f"{point.name}: {reach.text}"


def put_in(block, file, old, new, to, monkeypatch):
    """The model that is proved has another text."""
    folder = FOLDERS[block]
    for source in (folder / "model.c", *folder.glob("*.h"), *folder.parent.glob("*.h")):
        text = source.read_text()
        if source.name == file:
            assert text.count(old) == 1, f"{source}: {old}"
            text = text.replace(old, new)
        made = to / (folder.parent.name if source.parent != folder else "") / source.name
        made.parent.mkdir(exist_ok=True)
        made.write_text(text)
    usual = netlist._source  # of the parts of a composed block
    monkeypatch.setattr(
        netlist, "_source", lambda table: to / "model.c" if table.name == block else usual(table)
    )


def test_row_that_a_memory_lacks_is_found(tmp_path, monkeypatch):
    put_in(
        "collector", "model.c", "    if (preg == 0) {", "    if (false) {", tmp_path, monkeypatch
    )
    answer = prove("collector", "three_entries", Status.MODEL_ERROR).json
    assert "an index below row 1" in answer["error"]["message"]


def test_wire_that_a_composed_block_lacks_is_found(tmp_path, monkeypatch):
    """The proofs of its parts say nothing of that: there all inputs have values."""
    table = tables.load("issue")
    config = table.config(table.configs[table.small])
    assert netlist.make(table, config).faults == []
    wire = "    to->issue.ready = in->issue.ready;\n"
    put_in("issue", "model.c", wire, "", tmp_path, monkeypatch)
    (fault,) = netlist.make(table, config).faults
    assert "reservation_station/model.c" in fault.where
    assert fault.what == "a variable is read before it is written"


@pytest.mark.parametrize(("block", "fault"), CHOSEN)
def test_fault_in_a_model_is_found(block, fault, tmp_path, monkeypatch):
    """The compiled library does not have it: the counterexample is not confirmed."""
    put_in(block, *FAULTS[block][fault], tmp_path, monkeypatch)
    wanted = Status.REFUTED if block in WITH_X else Status.MODEL_ERROR
    answer = prove(block, FAULTY.get(block, tables.load(block).small), wanted).json
    assert not answer["counterexample"]["confirmed"]
