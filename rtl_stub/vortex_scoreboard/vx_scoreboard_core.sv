// SPDX-License-Identifier: Apache-2.0

// Vortex's scoreboard of an issue slice (vortex-issue §5): a staging register a warp, the registers in
// use, and an arbiter that is cyclic with the lowest warp as fallback. Warp 0 is in the low bits. An
// instruction is one port.
module vx_scoreboard_core #(
    parameter logic [31:0] IssueWidth = 1,
    parameter logic [31:0] NumWarps = 4,
    parameter logic [31:0] ExtFEnable = 1,
    parameter logic [31:0] ExtTcuEnable = 0,
    parameter logic [31:0] PerfEnable = 0,
    // An instruction: its width, and where its fields begin in it
    parameter logic [31:0] InstrW = 150,
    parameter logic [31:0] InstrExTypeLsb = 74,
    parameter logic [31:0] InstrOpTypeLsb = 70,
    parameter logic [31:0] InstrWbLsb = 27,
    parameter logic [31:0] InstrUsedRsLsb = 24,
    parameter logic [31:0] InstrRdLsb = 18,
    parameter logic [31:0] InstrRs1Lsb = 12,
    parameter logic [31:0] InstrRs2Lsb = 6,
    parameter logic [31:0] InstrRs3Lsb = 0,
    localparam logic [31:0] Warps = NumWarps / IssueWidth,
    localparam logic [31:0] WarpW = (Warps > 1) ? $clog2(Warps) : 1,
    localparam logic [31:0] NumRegs = 32 * (1 + ExtFEnable),
    localparam logic [31:0] RegW = 5 + ExtFEnable,
    localparam logic [31:0] Units = 3 + ExtFEnable + ExtTcuEnable,
    localparam logic [31:0] UnitW = $clog2(Units),
    localparam logic [31:0] PerfW = 44
) (
    input logic clk_i,
    input logic rst_i,

    output logic [      PerfW-1:0] perf_stalls_o,
    output logic [Units*PerfW-1:0] perf_units_uses_o,
    output logic [      PerfW-1:0] perf_sfu_uses_0_o,
    output logic [      PerfW-1:0] perf_sfu_uses_1_o,

    input logic             wb_valid_i,
    input logic [WarpW-1:0] wb_data_wis_i,
    input logic [ RegW-1:0] wb_data_rd_i,
    input logic             wb_data_eop_i,

    input  logic [       Warps-1:0] ib_valid_i,
    output logic [       Warps-1:0] ib_ready_o,
    input  logic [Warps*InstrW-1:0] ib_data_i,

    output logic              sb_valid_o,
    input  logic              sb_ready_i,
    output logic [ WarpW-1:0] sb_data_wis_o,
    output logic [InstrW-1:0] sb_data_o
);

  logic [Warps-1:0] staged, operands_ready_q, granted, fire;
  logic [ Warps*InstrW-1:0] staging;
  logic [Warps*NumRegs-1:0] blocked;  // registers that a warp waits for

  for (genvar w = 0; w < Warps; w++) begin : g_warp
    logic [InstrW-1:0] here, coming;
    logic [NumRegs-1:0] inuse_q, inuse_d;
    logic [NumRegs-1:0] written, needed, needed_coming;
    logic ib_fire;

    assign coming = ib_data_i[w*InstrW+:InstrW];
    assign here = staging[w*InstrW+:InstrW];
    assign fire[w] = staged[w] && operands_ready_q[w] && granted[w];
    assign ib_fire = ib_valid_i[w] && ib_ready_o[w];

    vx_pipe_buffer #(
        .DataW(InstrW)
    ) u_staging (
        .clk_i,
        .rst_i,
        .ready_o(ib_ready_o[w]),
        .valid_i(ib_valid_i[w]),
        .data_i (coming),
        .ready_i(granted[w] && operands_ready_q[w]),
        .valid_o(staged[w]),
        .data_o (staging[w*InstrW+:InstrW])
    );

    vx_instr_registers #(
        .NumRegs(NumRegs),
        .InstrW(InstrW),
        .InstrWbLsb(InstrWbLsb),
        .InstrUsedRsLsb(InstrUsedRsLsb),
        .InstrRdLsb(InstrRdLsb),
        .InstrRs1Lsb(InstrRs1Lsb),
        .InstrRs2Lsb(InstrRs2Lsb),
        .InstrRs3Lsb(InstrRs3Lsb)
    ) u_here (
        .instr_i  (here),
        .written_o(written),
        .needed_o (needed)
    );

    logic [NumRegs-1:0] unused_written;

    vx_instr_registers #(
        .NumRegs(NumRegs),
        .InstrW(InstrW),
        .InstrWbLsb(InstrWbLsb),
        .InstrUsedRsLsb(InstrUsedRsLsb),
        .InstrRdLsb(InstrRdLsb),
        .InstrRs1Lsb(InstrRs1Lsb),
        .InstrRs2Lsb(InstrRs2Lsb),
        .InstrRs3Lsb(InstrRs3Lsb)
    ) u_coming (
        .instr_i  (coming),
        .written_o(unused_written),
        .needed_o (needed_coming)
    );

    // Reserved after what is released
    always_comb begin
      inuse_d = inuse_q;
      if (wb_valid_i && wb_data_eop_i && (wb_data_wis_i == WarpW'(w))) begin
        inuse_d[wb_data_rd_i] = 1'b0;
      end
      if (fire[w]) begin
        inuse_d = inuse_d | written;
      end
    end

    assign blocked[w*NumRegs+:NumRegs] = inuse_d & (ib_fire ? needed_coming : needed);

    always_ff @(posedge clk_i) begin
      inuse_q <= rst_i ? '0 : inuse_d;
      operands_ready_q[w] <= (blocked[w*NumRegs+:NumRegs] == '0);  // no reset reaches it
    end
  end

  // ---- arbiter ------------------------------------------------------------------------------------

  vx_stream_arb #(
      .NumIn (Warps),
      .DataW (InstrW),
      .Cyclic(1),
      .Sticky(0),
      .OutBuf(3)
  ) u_out_arb (
      .clk_i,
      .rst_i,
      .ready_o (granted),
      .valid_i (staged & operands_ready_q),
      .data_i  (staging),
      .ready_i (sb_ready_i),
      .valid_o (sb_valid_o),
      .data_o  (sb_data_o),
      .choice_o(sb_data_wis_o)
  );

  // ---- performance counters -----------------------------------------------------------------------

  if (PerfEnable != 0) begin : g_perf
    vx_scoreboard_perf #(
        .Warps(Warps),
        .NumRegs(NumRegs),
        .Units(Units),
        .UnitW(UnitW),
        .InstrW(InstrW),
        .InstrExTypeLsb(InstrExTypeLsb),
        .InstrOpTypeLsb(InstrOpTypeLsb),
        .InstrWbLsb(InstrWbLsb),
        .InstrUsedRsLsb(InstrUsedRsLsb),
        .InstrRdLsb(InstrRdLsb),
        .InstrRs1Lsb(InstrRs1Lsb),
        .InstrRs2Lsb(InstrRs2Lsb),
        .InstrRs3Lsb(InstrRs3Lsb)
    ) u_perf (
        .clk_i,
        .rst_i,
        .staged_i(staged),
        .ready_i(operands_ready_q),
        .fire_i(fire),
        .staging_i(staging),
        .blocked_i(blocked),
        .stalls_o(perf_stalls_o),
        .units_uses_o(perf_units_uses_o),
        .sfu_uses_0_o(perf_sfu_uses_0_o),
        .sfu_uses_1_o(perf_sfu_uses_1_o)
    );
  end else begin : g_no_perf
    logic unused_perf;
    assign unused_perf = ^blocked;
    assign perf_stalls_o = '0;
    assign perf_units_uses_o = '0;
    assign perf_sfu_uses_0_o = '0;
    assign perf_sfu_uses_1_o = '0;
  end

endmodule
