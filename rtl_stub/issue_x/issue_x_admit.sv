// SPDX-License-Identifier: Apache-2.0

// Admission (muon-designs §7, muon-issue §4): of the warps' candidates one is chosen, before rows and
// scoreboard answer, and admitted if they have room for it. `ready_i`: a row is free; `fits_i`: no
// count of pending reads becomes too large.
module issue_x_admit #(
    parameter logic [31:0] NumWarps = 8,
    parameter logic [31:0] NumPregs = 256,
    parameter logic [31:0] IbufWindow = 1,
    parameter logic [31:0] War = 0,
    parameter logic [31:0] CollAlloc = 0,
    parameter logic [31:0] Groups = 1,
    parameter logic [31:0] EntryW = 173,
    parameter logic [31:0] FuW = 1,
    parameter logic [31:0] RdLsb = 79,  // rd, rs1.., hasRd, hasRs1.. in the instruction
    parameter logic [31:0] RsLsb = 87,
    parameter logic [31:0] HasRdLsb = 126,
    parameter logic [31:0] HasRsLsb = 127,
    localparam logic [31:0] NumOps = 3,
    localparam logic [31:0] PregW = $clog2(NumPregs),
    localparam logic [31:0] Behind = NumWarps * (IbufWindow - 1),
    localparam logic [31:0] BehindW = (Behind > 0) ? Behind : 1
) (
    input logic clk_i,

    output logic [       NumWarps-1:0] ibuf_ready_o,
    input  logic [       NumWarps-1:0] ibuf_valid_i,
    input  logic [NumWarps*EntryW-1:0] ibuf_bits_i,
    input  logic [   NumWarps*FuW-1:0] ibuf_fu_i,
    output logic [        BehindW-1:0] window_ready_o,
    input  logic [        BehindW-1:0] window_valid_i,
    input  logic [ BehindW*EntryW-1:0] window_bits_i,
    input  logic [    BehindW*FuW-1:0] window_fu_i,

    input logic [NumPregs-1:0] pending_reads_i,
    input logic [NumPregs-1:0] pending_writes_i,
    input logic                hold_i,
    input logic [   PregW-1:0] hold_rd_i,
    input logic [  Groups-1:0] room_i,

    input  logic ready_i,
    input  logic fits_i,
    output logic admitted_o,

    // The chosen instruction
    output logic [      EntryW-1:0] entry_o,
    output logic [         FuW-1:0] fu_o,
    output logic [       PregW-1:0] rd_o,
    output logic                    has_rd_o,
    output logic [NumOps*PregW-1:0] rs_o,
    output logic [      NumOps-1:0] has_rs_o,

    // Stalls of each warp's head, and of a candidate that was chosen in vain
    output logic [NumWarps-1:0] waw_o,
    output logic [NumWarps-1:0] war_o,
    output logic [NumWarps-1:0] refused_o,
    output logic [NumWarps-1:0] held_o,
    output logic [NumWarps-1:0] no_room_o
);

  localparam logic [31:0] WarpW = (NumWarps > 1) ? $clog2(NumWarps) : 1;
  localparam logic [31:0] GroupW = (Groups > 1) ? $clog2(Groups) : 1;

  logic [NumWarps-1:0] candidate, arb_ready;
  logic [NumWarps*EntryW-1:0] entries;  // of the candidates
  logic [NumWarps*FuW-1:0] fus;
  logic arb_valid, success;
  logic [WarpW-1:0] choice;

  for (genvar warp = 0; warp < NumWarps; warp++) begin : g_warp
    logic [IbufWindow-1:0] valid, has_rd, at;
    logic [IbufWindow*EntryW-1:0] bits;
    logic [IbufWindow*FuW-1:0] fu;
    logic [IbufWindow*PregW-1:0] rd;
    logic [IbufWindow*NumOps-1:0] has_rs;
    logic [IbufWindow*NumOps*PregW-1:0] rs;
    logic [IbufWindow*GroupW-1:0] group;

    if (IbufWindow == 1) begin : g_head
      assign valid = ibuf_valid_i[warp];
      assign bits = ibuf_bits_i[warp*EntryW+:EntryW];
      assign fu = ibuf_fu_i[warp*FuW+:FuW];
    end else begin : g_window
      localparam logic [31:0] Rest = IbufWindow - 1;
      assign valid = {window_valid_i[warp*Rest+:Rest], ibuf_valid_i[warp]};
      assign bits = {
        window_bits_i[warp*Rest*EntryW+:Rest*EntryW], ibuf_bits_i[warp*EntryW+:EntryW]
      };
      assign fu = {window_fu_i[warp*Rest*FuW+:Rest*FuW], ibuf_fu_i[warp*FuW+:FuW]};
      assign window_ready_o[warp*Rest+:Rest] = arb_ready[warp] ? at[IbufWindow-1:1] : '0;
    end

    for (genvar n = 0; n < IbufWindow; n++) begin : g_inst
      assign has_rd[n] = bits[n*EntryW+HasRdLsb];
      assign rd[n*PregW+:PregW] = bits[n*EntryW+RdLsb+:PregW];
      assign has_rs[n*NumOps+:NumOps] = bits[n*EntryW+HasRsLsb+:NumOps];
      assign rs[n*NumOps*PregW+:NumOps*PregW] = bits[n*EntryW+RsLsb+:NumOps*PregW];
      assign group[n*GroupW+:GroupW] = (Groups > 1) ? GroupW'(fu[n*FuW+:FuW]) : GroupW'(0);
    end

    issue_x_window #(
        .NumPregs(NumPregs),
        .IbufWindow(IbufWindow),
        .War(War),
        .CollAlloc(CollAlloc),
        .Groups(Groups)
    ) u_window (
        .valid_i(valid),
        .has_rd_i(has_rd),
        .rd_i(rd),
        .has_rs_i(has_rs),
        .rs_i(rs),
        .group_i(group),
        .pending_reads_i,
        .pending_writes_i,
        .hold_i,
        .hold_rd_i,
        .room_i,
        .candidate_o(at),
        .waw_o(waw_o[warp]),
        .war_o(war_o[warp]),
        .held_o(held_o[warp]),
        .no_room_o(no_room_o[warp])
    );

    always_comb begin
      entries[warp*EntryW+:EntryW] = '0;
      fus[warp*FuW+:FuW] = '0;
      for (int unsigned n = 0; n < IbufWindow; n++) begin
        if (at[n]) begin
          entries[warp*EntryW+:EntryW] = bits[n*EntryW+:EntryW];
          fus[warp*FuW+:FuW] = fu[n*FuW+:FuW];
        end
      end
    end

    assign candidate[warp] = (at != '0);
    assign ibuf_ready_o[warp] = arb_ready[warp] && at[0];
    assign refused_o[warp] = candidate[warp] && (choice == WarpW'(warp)) && !success;
  end

  if (IbufWindow == 1) begin : g_no_window
    logic unused_window;
    assign unused_window  = ^{window_valid_i, window_bits_i, window_fu_i};
    assign window_ready_o = '0;
  end

  rr_arbiter #(
      .NumIn(NumWarps)
  ) u_arbiter (
      .clk_i,
      .valid_i (candidate),
      .ready_o (arb_ready),
      .valid_o (arb_valid),
      .ready_i (success),
      .choice_o(choice)
  );

  assign entry_o = entries[32'(choice)*EntryW+:EntryW];
  assign fu_o = fus[32'(choice)*FuW+:FuW];
  assign rd_o = entry_o[RdLsb+:PregW];
  assign has_rd_o = entry_o[HasRdLsb];
  assign rs_o = entry_o[RsLsb+:NumOps*PregW];
  assign has_rs_o = entry_o[HasRsLsb+:NumOps];

  // One that names no register is never admitted.
  assign success = arb_valid && ready_i && fits_i && (has_rd_o || (has_rs_o != '0));
  assign admitted_o = success;

endmodule
