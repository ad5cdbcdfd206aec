// SPDX-License-Identifier: Apache-2.0

// Pending reads and writes of each physical register (muon-issue §3). Ports carry the names of the
// emitted module's fields; index 0 of a field (warp, operand) is in the low bits.
module scoreboard_core #(
    parameter int unsigned NumWarps = 8,
    parameter int unsigned NumPregs = 256,
    parameter int unsigned MaxPendingReads = 7,
    localparam int unsigned NumOps = 3,
    localparam int unsigned PregW = $clog2(NumPregs),
    localparam int unsigned CountW = $clog2(MaxPendingReads + 1)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                    updateColl_enable_i,
    input  logic [NumOps*PregW-1:0] updateColl_reads_pReg_i,
    input  logic [      NumOps-1:0] updateColl_reads_incr_i,
    input  logic [      NumOps-1:0] updateColl_reads_decr_i,
    output logic                    updateColl_success_o,

    input  logic             updateWB_enable_i,
    input  logic [PregW-1:0] updateWB_write_pReg_i,
    input  logic             updateWB_write_incr_i,
    input  logic             updateWB_write_decr_i,
    output logic             updateWB_success_o,

    input  logic                    hazard_updateRS_enable_i,
    input  logic [       PregW-1:0] hazard_updateRS_write_pReg_i,
    input  logic                    hazard_updateRS_write_incr_i,
    input  logic                    hazard_updateRS_write_decr_i,
    input  logic [NumOps*PregW-1:0] hazard_updateRS_reads_pReg_i,
    input  logic [      NumOps-1:0] hazard_updateRS_reads_incr_i,
    input  logic [      NumOps-1:0] hazard_updateRS_reads_decr_i,
    output logic                    hazard_updateRS_success_o,

    input  logic [       NumWarps-1:0] hazard_warps_readRs1_enable_i,
    input  logic [ NumWarps*PregW-1:0] hazard_warps_readRs1_pReg_i,
    output logic [NumWarps*CountW-1:0] hazard_warps_readRs1_pendingReads_o,
    output logic [       NumWarps-1:0] hazard_warps_readRs1_pendingWrites_o,

    input  logic [       NumWarps-1:0] hazard_warps_readRs2_enable_i,
    input  logic [ NumWarps*PregW-1:0] hazard_warps_readRs2_pReg_i,
    output logic [NumWarps*CountW-1:0] hazard_warps_readRs2_pendingReads_o,
    output logic [       NumWarps-1:0] hazard_warps_readRs2_pendingWrites_o,

    input  logic [       NumWarps-1:0] hazard_warps_readRs3_enable_i,
    input  logic [ NumWarps*PregW-1:0] hazard_warps_readRs3_pReg_i,
    output logic [NumWarps*CountW-1:0] hazard_warps_readRs3_pendingReads_o,
    output logic [       NumWarps-1:0] hazard_warps_readRs3_pendingWrites_o,

    input  logic [       NumWarps-1:0] hazard_warps_readRd_enable_i,
    input  logic [ NumWarps*PregW-1:0] hazard_warps_readRd_pReg_i,
    output logic [NumWarps*CountW-1:0] hazard_warps_readRd_pendingReads_o,
    output logic [       NumWarps-1:0] hazard_warps_readRd_pendingWrites_o
);

  localparam int unsigned SumW = $clog2(NumOps + 1);
  localparam int unsigned NumReads = 4 * NumWarps;

  // Register p: pending_reads_q[p*CountW+:CountW] and pending_writes_q[p]
  logic [NumPregs*CountW-1:0] pending_reads_q;
  logic [NumPregs-1:0] pending_writes_q;

  // Collector and write-back act on the table, the admission (RS) on their result.
  logic [NumOps*PregW-1:0] coll_preg, rs_preg;
  logic [NumOps*SumW-1:0] coll_incr, coll_decr, rs_incr, rs_decr;
  logic [NumOps*CountW-1:0] coll_old, coll_new, rs_old, rs_new;
  logic [NumOps-1:0] coll_success, rs_reads_success;
  logic wb_old, wb_new, wb_success;
  logic rs_write_old, rs_write_new, rs_write_success;
  logic rs_success;
  logic commit, commit_rs;

  scoreboard_merge #(
      .NumOps(NumOps),
      .PregW (PregW),
      .SumW  (SumW)
  ) u_merge_coll (
      .preg_i(updateColl_reads_pReg_i),
      .incr_i(updateColl_reads_incr_i),
      .decr_i(updateColl_reads_decr_i),
      .preg_o(coll_preg),
      .incr_o(coll_incr),
      .decr_o(coll_decr)
  );

  scoreboard_merge #(
      .NumOps(NumOps),
      .PregW (PregW),
      .SumW  (SumW)
  ) u_merge_rs (
      .preg_i(hazard_updateRS_reads_pReg_i),
      .incr_i(hazard_updateRS_reads_incr_i),
      .decr_i(hazard_updateRS_reads_decr_i),
      .preg_o(rs_preg),
      .incr_o(rs_incr),
      .decr_o(rs_decr)
  );

  function automatic logic [CountW-1:0] reads_behind_coll(input logic [PregW-1:0] preg);
    reads_behind_coll = pending_reads_q[preg*CountW+:CountW];
    for (int unsigned op = 0; op < NumOps; op++) begin
      if (preg == coll_preg[op*PregW+:PregW]) begin
        reads_behind_coll = coll_new[op*CountW+:CountW];
      end
    end
  endfunction

  function automatic logic write_behind_wb(input logic [PregW-1:0] preg);
    write_behind_wb = (preg == updateWB_write_pReg_i) ? wb_new : pending_writes_q[preg];
  endfunction

  for (genvar op = 0; op < NumOps; op++) begin : g_op
    logic [PregW-1:0] coll_at, rs_at;

    always_comb begin
      coll_at = coll_preg[op*PregW+:PregW];
      coll_old[op*CountW+:CountW] = pending_reads_q[coll_at*CountW+:CountW];
      rs_at = rs_preg[op*PregW+:PregW];
      rs_old[op*CountW+:CountW] = reads_behind_coll(rs_at);
    end

    scoreboard_count #(
        .Max(MaxPendingReads),
        .CountW(CountW),
        .DeltaW(SumW)
    ) u_count_coll (
        .fixed_i(coll_at == '0),
        .count_i(coll_old[op*CountW+:CountW]),
        .incr_i(coll_incr[op*SumW+:SumW]),
        .decr_i(coll_decr[op*SumW+:SumW]),
        .count_o(coll_new[op*CountW+:CountW]),
        .success_o(coll_success[op])
    );

    scoreboard_count #(
        .Max(MaxPendingReads),
        .CountW(CountW),
        .DeltaW(SumW)
    ) u_count_rs (
        .fixed_i(rs_at == '0),
        .count_i(rs_old[op*CountW+:CountW]),
        .incr_i(rs_incr[op*SumW+:SumW]),
        .decr_i(rs_decr[op*SumW+:SumW]),
        .count_o(rs_new[op*CountW+:CountW]),
        .success_o(rs_reads_success[op])
    );
  end

  always_comb begin
    wb_old = pending_writes_q[updateWB_write_pReg_i];
    rs_write_old = write_behind_wb(hazard_updateRS_write_pReg_i);
  end

  scoreboard_count #(
      .Max(1),
      .CountW(1),
      .DeltaW(1)
  ) u_count_wb (
      .fixed_i(updateWB_write_pReg_i == '0),
      .count_i(wb_old),
      .incr_i(updateWB_write_incr_i),
      .decr_i(updateWB_write_decr_i),
      .count_o(wb_new),
      .success_o(wb_success)
  );

  scoreboard_count #(
      .Max(1),
      .CountW(1),
      .DeltaW(1)
  ) u_count_rs_write (
      .fixed_i(hazard_updateRS_write_pReg_i == '0),
      .count_i(rs_write_old),
      .incr_i(hazard_updateRS_write_incr_i),
      .decr_i(hazard_updateRS_write_decr_i),
      .count_o(rs_write_new),
      .success_o(rs_write_success)
  );

  // An enable is no gate of its port: any of the three commits collector and write-back.
  assign commit = updateColl_enable_i || updateWB_enable_i || hazard_updateRS_enable_i;
  assign rs_success = (rs_reads_success == '1) && rs_write_success;
  assign commit_rs = hazard_updateRS_enable_i && rs_success;

  // Updates that change nothing write back what they found; the last write to a register counts.
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      pending_reads_q  <= '0;
      pending_writes_q <= '0;
    end else begin
      if (commit) begin
        for (int unsigned op = 0; op < NumOps; op++) begin
          pending_reads_q[coll_preg[op*PregW+:PregW]*CountW+:CountW] <= coll_new[op*CountW+:CountW];
        end
        pending_writes_q[updateWB_write_pReg_i] <= wb_new;
      end
      if (commit_rs) begin
        for (int unsigned op = 0; op < NumOps; op++) begin
          pending_reads_q[rs_preg[op*PregW+:PregW]*CountW+:CountW] <= rs_new[op*CountW+:CountW];
        end
        pending_writes_q[hazard_updateRS_write_pReg_i] <= rs_write_new;
      end
    end
  end

  // Read ports see collector and write-back of this cycle, and not RS, which depends on them.
  logic [NumReads-1:0] read_enable;
  logic [NumReads*PregW-1:0] read_preg;
  logic [NumReads*CountW-1:0] read_reads;
  logic [NumReads-1:0] read_writes;

  for (genvar port = 0; port < NumReads; port++) begin : g_read
    logic [PregW-1:0] preg;
    logic answered;

    always_comb begin
      preg = read_preg[port*PregW+:PregW];
      answered = read_enable[port] && (preg != '0);
      read_reads[port*CountW+:CountW] = answered ? reads_behind_coll(preg) : '0;
      read_writes[port] = answered && write_behind_wb(preg);
    end
  end

  assign read_enable = {
    hazard_warps_readRd_enable_i,
    hazard_warps_readRs3_enable_i,
    hazard_warps_readRs2_enable_i,
    hazard_warps_readRs1_enable_i
  };
  assign read_preg = {
    hazard_warps_readRd_pReg_i,
    hazard_warps_readRs3_pReg_i,
    hazard_warps_readRs2_pReg_i,
    hazard_warps_readRs1_pReg_i
  };
  assign {
    hazard_warps_readRd_pendingReads_o,
    hazard_warps_readRs3_pendingReads_o,
    hazard_warps_readRs2_pendingReads_o,
    hazard_warps_readRs1_pendingReads_o
  } = read_reads;
  assign {
    hazard_warps_readRd_pendingWrites_o,
    hazard_warps_readRs3_pendingWrites_o,
    hazard_warps_readRs2_pendingWrites_o,
    hazard_warps_readRs1_pendingWrites_o
  } = read_writes;

  assign updateColl_success_o = (coll_success == '1);
  assign updateWB_success_o = wb_success;
  assign hazard_updateRS_success_o = commit_rs;

endmodule
