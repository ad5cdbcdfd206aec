// SPDX-License-Identifier: Apache-2.0

// Admission into the reservation station (muon-issue §4): picks a warp whose head has no WAW and no
// WAR, books it in the scoreboard, and offers it. Ports carry the names of the emitted module's
// fields; index 0 of a field (warp, operand) is in the low bits. An instruction is one port.
module hazard_core #(
    parameter logic [31:0] NumWarps = 8,
    parameter logic [31:0] NumPregs = 256,
    parameter logic [31:0] MaxPendingReads = 7,
    parameter logic [31:0] CountForwardedReads = 1,
    // An instruction: its width, and where rd, rs1 to rs3, hasRd, hasRs1 to hasRs3 begin in it
    parameter logic [31:0] EntryW = 173,
    parameter logic [31:0] EntryUopInstEssentials3Lsb = 79,
    parameter logic [31:0] EntryUopInstEssentials4Lsb = 87,
    parameter logic [31:0] EntryUopInstEssentials22Lsb = 126,
    parameter logic [31:0] EntryUopInstEssentials23Lsb = 127,
    localparam logic [31:0] NumOps = 3,
    localparam logic [31:0] PerfW = 64,
    localparam logic [31:0] PregW = $clog2(NumPregs),
    localparam logic [31:0] CountW = $clog2(MaxPendingReads + 1)
) (
    input logic clk_i,
    input logic rst_i,

    input logic softReset_i,

    output logic [       NumWarps-1:0] ibuf_ready_o,
    input  logic [       NumWarps-1:0] ibuf_valid_i,
    input  logic [NumWarps*EntryW-1:0] ibuf_bits_i,

    output logic                    scb_updateRS_enable_o,
    output logic [       PregW-1:0] scb_updateRS_write_pReg_o,
    output logic                    scb_updateRS_write_incr_o,
    output logic                    scb_updateRS_write_decr_o,
    output logic [NumOps*PregW-1:0] scb_updateRS_reads_pReg_o,
    output logic [      NumOps-1:0] scb_updateRS_reads_incr_o,
    output logic [      NumOps-1:0] scb_updateRS_reads_decr_o,
    input  logic                    scb_updateRS_success_i,

    output logic [      NumWarps-1:0] scb_warps_readRs1_enable_o,
    output logic [NumWarps*PregW-1:0] scb_warps_readRs1_pReg_o,
    input  logic [      NumWarps-1:0] scb_warps_readRs1_pendingWrites_i,

    output logic [      NumWarps-1:0] scb_warps_readRs2_enable_o,
    output logic [NumWarps*PregW-1:0] scb_warps_readRs2_pReg_o,
    input  logic [      NumWarps-1:0] scb_warps_readRs2_pendingWrites_i,

    output logic [      NumWarps-1:0] scb_warps_readRs3_enable_o,
    output logic [NumWarps*PregW-1:0] scb_warps_readRs3_pReg_o,
    input  logic [      NumWarps-1:0] scb_warps_readRs3_pendingWrites_i,

    output logic [       NumWarps-1:0] scb_warps_readRd_enable_o,
    output logic [ NumWarps*PregW-1:0] scb_warps_readRd_pReg_o,
    input  logic [NumWarps*CountW-1:0] scb_warps_readRd_pendingReads_i,
    input  logic [       NumWarps-1:0] scb_warps_readRd_pendingWrites_i,

    input  logic              rsAdmit_ready_i,
    output logic              rsAdmit_valid_o,
    output logic [EntryW-1:0] rsAdmit_bits_ibufEntry_o,
    output logic [NumOps-1:0] rsAdmit_bits_valid_o,
    output logic [NumOps-1:0] rsAdmit_bits_busy_o,

    output logic [NumWarps*PerfW-1:0] perf_stallsWAW_o,
    output logic [NumWarps*PerfW-1:0] perf_stallsWAR_o,
    output logic [NumWarps*PerfW-1:0] perf_stallsScoreboard_o
);

  localparam logic [31:0] WarpW = (NumWarps > 1) ? $clog2(NumWarps) : 1;
  localparam logic [31:0] RdLsb = EntryUopInstEssentials3Lsb;
  localparam logic [31:0] RsLsb = EntryUopInstEssentials4Lsb;
  localparam logic [31:0] HasRdLsb = EntryUopInstEssentials22Lsb;
  localparam logic [31:0] HasRsLsb = EntryUopInstEssentials23Lsb;

  // Heads
  logic [NumWarps-1:0] candidate;
  logic [NumWarps-1:0] arb_ready;
  logic [NumWarps*NumOps-1:0] busy;  // operand waits for a write-back

  // The chosen head
  logic arb_valid;
  logic [WarpW-1:0] choice;
  logic [EntryW-1:0] entry;
  logic [PregW-1:0] rd;
  logic has_rd;
  logic [NumOps*PregW-1:0] rs;
  logic [NumOps-1:0] has_rs;
  logic [NumOps-1:0] entry_busy;
  logic booking;

  for (genvar warp = 0; warp < NumWarps; warp++) begin : g_warp
    logic head_has_rd;
    logic [NumOps-1:0] head_has_rs;
    logic [NumOps*PregW-1:0] head_rs;
    logic waw, war, refused;
    logic [PerfW-1:0] stalls_waw_q, stalls_war_q, stalls_scoreboard_q;

    assign head_has_rd = ibuf_bits_i[warp*EntryW+HasRdLsb];
    assign head_rs = ibuf_bits_i[warp*EntryW+RsLsb+:NumOps*PregW];
    assign head_has_rs = ibuf_bits_i[warp*EntryW+HasRsLsb+:NumOps];

    assign scb_warps_readRd_enable_o[warp] = ibuf_valid_i[warp] && head_has_rd;
    assign scb_warps_readRs1_enable_o[warp] = ibuf_valid_i[warp] && head_has_rs[0];
    assign scb_warps_readRs2_enable_o[warp] = ibuf_valid_i[warp] && head_has_rs[1];
    assign scb_warps_readRs3_enable_o[warp] = ibuf_valid_i[warp] && head_has_rs[2];
    assign scb_warps_readRd_pReg_o[warp*PregW+:PregW] = ibuf_bits_i[warp*EntryW+RdLsb+:PregW];
    assign scb_warps_readRs1_pReg_o[warp*PregW+:PregW] = head_rs[0*PregW+:PregW];
    assign scb_warps_readRs2_pReg_o[warp*PregW+:PregW] = head_rs[1*PregW+:PregW];
    assign scb_warps_readRs3_pReg_o[warp*PregW+:PregW] = head_rs[2*PregW+:PregW];

    always_comb begin
      waw = head_has_rd && scb_warps_readRd_pendingWrites_i[warp];
      war = head_has_rd && (scb_warps_readRd_pendingReads_i[warp*CountW+:CountW] != '0);
      candidate[warp] = ibuf_valid_i[warp] && !waw && !war;
      busy[warp*NumOps+:NumOps] = head_has_rs & {
        scb_warps_readRs3_pendingWrites_i[warp],
        scb_warps_readRs2_pendingWrites_i[warp],
        scb_warps_readRs1_pendingWrites_i[warp]
      };
    end

    assign refused = candidate[warp] && (choice == WarpW'(warp)) && !scb_updateRS_success_i;

    always_ff @(posedge clk_i) begin
      if (rst_i || softReset_i) begin
        stalls_waw_q <= '0;
        stalls_war_q <= '0;
        stalls_scoreboard_q <= '0;
      end else begin
        stalls_waw_q <= stalls_waw_q + PerfW'(ibuf_valid_i[warp] && waw);
        stalls_war_q <= stalls_war_q + PerfW'(ibuf_valid_i[warp] && war);
        stalls_scoreboard_q <= stalls_scoreboard_q + PerfW'(refused);
      end
    end

    assign perf_stallsWAW_o[warp*PerfW+:PerfW] = stalls_waw_q;
    assign perf_stallsWAR_o[warp*PerfW+:PerfW] = stalls_war_q;
    assign perf_stallsScoreboard_o[warp*PerfW+:PerfW] = stalls_scoreboard_q;
  end

  // Chooses before the scoreboard answers: a head that it refuses is offered again.
  rr_arbiter #(
      .NumIn(NumWarps)
  ) u_arbiter (
      .clk_i,
      .valid_i (candidate),
      .ready_o (arb_ready),
      .valid_o (arb_valid),
      .ready_i (rsAdmit_ready_i && scb_updateRS_success_i),
      .choice_o(choice)
  );

  assign entry = ibuf_bits_i[choice*EntryW+:EntryW];
  assign entry_busy = busy[choice*NumOps+:NumOps];
  assign rd = entry[RdLsb+:PregW];
  assign has_rd = entry[HasRdLsb];
  assign rs = entry[RsLsb+:NumOps*PregW];
  assign has_rs = entry[HasRsLsb+:NumOps];

  // Without room in the reservation station nothing is booked, and so nothing succeeds.
  always_comb begin
    booking = arb_valid && rsAdmit_ready_i;
    scb_updateRS_enable_o = booking && (has_rd || (has_rs != '0));
    scb_updateRS_write_pReg_o = booking ? rd : '0;
    scb_updateRS_write_incr_o = booking && has_rd;
    scb_updateRS_reads_pReg_o = booking ? rs : '0;
    scb_updateRS_reads_incr_o = booking ? has_rs : '0;
    if (CountForwardedReads == 0) begin
      scb_updateRS_reads_incr_o &= ~entry_busy;
    end
  end

  assign scb_updateRS_write_decr_o = 1'b0;
  assign scb_updateRS_reads_decr_o = '0;

  assign rsAdmit_valid_o = arb_valid && scb_updateRS_success_i;
  assign rsAdmit_bits_ibufEntry_o = entry;
  assign rsAdmit_bits_valid_o = ~has_rs;
  assign rsAdmit_bits_busy_o = entry_busy;
  assign ibuf_ready_o = arb_ready & candidate;

endmodule
