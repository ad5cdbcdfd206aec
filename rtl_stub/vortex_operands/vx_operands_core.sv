// SPDX-License-Identifier: Apache-2.0

// The operand collectors of an issue slice of Vortex (vortex-issue §7): that of a warp is chosen by the
// low bits of its number, the output is given by priority and kept by the last owner while it asks.
module vx_operands_core #(
    parameter logic [31:0] IssueWidth = 1,
    parameter logic [31:0] NumWarps = 4,
    parameter logic [31:0] NumThreads = 4,
    parameter logic [31:0] SimdWidth = 4,
    parameter logic [31:0] NumOpcs = 1,
    parameter logic [31:0] NumGprBanks = 4,
    parameter logic [31:0] Xlen = 32,
    parameter logic [31:0] ExtFEnable = 1,
    parameter logic [31:0] ExtTcuEnable = 0,
    parameter logic [31:0] Ndebug = 0,
    parameter logic [31:0] Simulation = 1,
    parameter logic [31:0] PerfEnable = 0,
    // An instruction: its width, and where its fields begin in it
    parameter logic [31:0] InstrW = 155,
    parameter logic [31:0] InstrUuidLsb = 111,
    parameter logic [31:0] InstrTmaskLsb = 107,
    parameter logic [31:0] InstrPCLsb = 75,
    parameter logic [31:0] InstrExTypeLsb = 73,
    parameter logic [31:0] InstrOpTypeLsb = 69,
    parameter logic [31:0] InstrOpArgsLsb = 32,
    parameter logic [31:0] InstrOpArgsHighLsb = 27,
    parameter logic [31:0] InstrWbLsb = 26,
    parameter logic [31:0] InstrUsedRsLsb = 24,
    parameter logic [31:0] InstrRdLsb = 18,
    parameter logic [31:0] InstrRs1Lsb = 12,
    parameter logic [31:0] InstrRs2Lsb = 6,
    parameter logic [31:0] InstrRs3Lsb = 0,
    localparam logic [31:0] Warps = NumWarps / IssueWidth,
    localparam logic [31:0] WisW = (Warps > 1) ? $clog2(Warps) : 1,
    localparam logic [31:0] Packets = NumThreads / SimdWidth,
    localparam logic [31:0] SidW = (Packets > 1) ? $clog2(Packets) : 1,
    localparam logic [31:0] UuidW = 44 - 43 * Ndebug,
    localparam logic [31:0] PcW = Xlen - 2 * Ndebug,
    localparam logic [31:0] ExTypeW = $clog2(3 + ExtFEnable + ExtTcuEnable),
    localparam logic [31:0] OpArgsW = (Xlen + 5 < 64) ? Xlen + 5 : 64,
    localparam logic [31:0] RegW = 5 + ExtFEnable,
    localparam logic [31:0] RowBits = SimdWidth * Xlen,
    localparam logic [31:0] PerfW = 44
) (
    input logic clk_i,
    input logic rst_i,

    output logic [PerfW-1:0] perf_stalls_o,

    input  logic              sb_valid_i,
    output logic              sb_ready_o,
    input  logic [  WisW-1:0] sb_data_wis_i,
    input  logic [InstrW-1:0] sb_data_i,

    input logic                 wb_valid_i,
    input logic [     WisW-1:0] wb_data_wis_i,
    input logic [     SidW-1:0] wb_data_sid_i,
    input logic [SimdWidth-1:0] wb_data_tmask_i,
    input logic [     RegW-1:0] wb_data_rd_i,
    input logic [  RowBits-1:0] wb_data_data_i,

    output logic                 op_valid_o,
    input  logic                 op_ready_i,
    output logic [    UuidW-1:0] op_data_uuid_o,
    output logic [     WisW-1:0] op_data_wis_o,
    output logic [     SidW-1:0] op_data_sid_o,
    output logic [SimdWidth-1:0] op_data_tmask_o,
    output logic [      PcW-1:0] op_data_PC_o,
    output logic [  ExTypeW-1:0] op_data_ex_type_o,
    output logic [          3:0] op_data_op_type_o,
    output logic [  OpArgsW-1:0] op_data_op_args_o,
    output logic [          4:0] op_data_op_args_high_o,
    output logic                 op_data_wb_o,
    output logic [     RegW-1:0] op_data_rd_o,
    output logic [  RowBits-1:0] op_data_rs1_data_o,
    output logic [  RowBits-1:0] op_data_rs2_data_o,
    output logic [  RowBits-1:0] op_data_rs3_data_o,
    output logic                 op_data_sop_o,
    output logic                 op_data_eop_o
);

  localparam logic [31:0] OpcW = (NumOpcs > 1) ? $clog2(NumOpcs) : 0;
  localparam logic [31:0] RowsW = 3 * RowBits;
  localparam logic [31:0] OpW = ExTypeW + 4 + OpArgsW + 5 + 1 + RegW;
  localparam logic [31:0] PacketW = UuidW + WisW + SidW + SimdWidth + PcW + OpW + 2 + RowsW;

  logic [NumOpcs-1:0] ready, chosen, valid, taken;
  logic [NumOpcs*PacketW-1:0] packets;
  logic [  NumOpcs*PerfW-1:0] stalls;

  for (genvar i = 0; i < NumOpcs; i++) begin : g_opc
    logic [PacketW-1:0] packet;
    logic writes;

    if (NumOpcs > 1) begin : g_by_warp
      assign chosen[i] = (sb_data_wis_i[OpcW-1:0] == OpcW'(i));
      assign writes = (wb_data_wis_i[OpcW-1:0] == OpcW'(i));
    end else begin : g_only
      assign chosen[i] = 1'b1;
      assign writes = 1'b1;
    end

    vx_opc #(
        .IssueWidth(IssueWidth),
        .NumWarps(NumWarps),
        .NumThreads(NumThreads),
        .SimdWidth(SimdWidth),
        .NumOpcs(NumOpcs),
        .NumGprBanks(NumGprBanks),
        .Xlen(Xlen),
        .ExtFEnable(ExtFEnable),
        .ExtTcuEnable(ExtTcuEnable),
        .Ndebug(Ndebug),
        .Simulation(Simulation),
        .PerfEnable(PerfEnable),
        .OutBuf(3),
        .InstrW(InstrW),
        .InstrUuidLsb(InstrUuidLsb),
        .InstrTmaskLsb(InstrTmaskLsb),
        .InstrPCLsb(InstrPCLsb),
        .InstrExTypeLsb(InstrExTypeLsb),
        .InstrOpTypeLsb(InstrOpTypeLsb),
        .InstrOpArgsLsb(InstrOpArgsLsb),
        .InstrOpArgsHighLsb(InstrOpArgsHighLsb),
        .InstrWbLsb(InstrWbLsb),
        .InstrUsedRsLsb(InstrUsedRsLsb),
        .InstrRdLsb(InstrRdLsb),
        .InstrRs1Lsb(InstrRs1Lsb),
        .InstrRs2Lsb(InstrRs2Lsb),
        .InstrRs3Lsb(InstrRs3Lsb)
    ) u_opc (
        .clk_i,
        .rst_i,
        .perf_stalls_o(stalls[i*PerfW+:PerfW]),
        .sb_valid_i(sb_valid_i && chosen[i]),
        .sb_ready_o(ready[i]),
        .sb_data_wis_i,
        .sb_data_i,
        .wb_valid_i(wb_valid_i && writes),
        .wb_data_wis_i,
        .wb_data_sid_i,
        .wb_data_tmask_i,
        .wb_data_rd_i,
        .wb_data_data_i,
        .op_valid_o(valid[i]),
        .op_ready_i(taken[i]),
        .op_data_uuid_o(packet[PacketW-1-:UuidW]),
        .op_data_wis_o(packet[PacketW-UuidW-1-:WisW]),
        .op_data_sid_o(packet[PacketW-UuidW-WisW-1-:SidW]),
        .op_data_tmask_o(packet[PacketW-UuidW-WisW-SidW-1-:SimdWidth]),
        .op_data_PC_o(packet[3*RowBits+RegW+OpArgsW+ExTypeW+12+:PcW]),
        .op_data_ex_type_o(packet[3*RowBits+RegW+OpArgsW+12+:ExTypeW]),
        .op_data_op_type_o(packet[3*RowBits+RegW+OpArgsW+8+:4]),
        .op_data_op_args_o(packet[3*RowBits+RegW+8+:OpArgsW]),
        .op_data_op_args_high_o(packet[3*RowBits+RegW+3+:5]),
        .op_data_wb_o(packet[3*RowBits+RegW+2]),
        .op_data_rd_o(packet[3*RowBits+2+:RegW]),
        .op_data_rs1_data_o(packet[0+:RowBits]),
        .op_data_rs2_data_o(packet[RowBits+:RowBits]),
        .op_data_rs3_data_o(packet[2*RowBits+:RowBits]),
        .op_data_sop_o(packet[3*RowBits+1]),
        .op_data_eop_o(packet[3*RowBits])
    );

    assign packets[i*PacketW+:PacketW] = packet;
  end

  logic [((NumOpcs > 1) ? $clog2(NumOpcs) : 1)-1:0] unused_choice;

  // A warp without a collector is never accepted.
  assign sb_ready_o = ((ready & chosen) != '0);

  vx_stream_arb #(
      .NumIn (NumOpcs),
      .DataW (PacketW),
      .Cyclic(0),
      .Sticky(((NumOpcs > 1) && (Packets > 1)) ? 1 : 0),
      .OutBuf((NumOpcs > 1) ? 3 : 0)
  ) u_out_arb (
      .clk_i,
      .rst_i,
      .ready_o(taken),
      .valid_i(valid),
      .data_i(packets),
      .ready_i(op_ready_i),
      .valid_o(op_valid_o),
      .data_o({
        op_data_uuid_o,
        op_data_wis_o,
        op_data_sid_o,
        op_data_tmask_o,
        op_data_PC_o,
        op_data_ex_type_o,
        op_data_op_type_o,
        op_data_op_args_o,
        op_data_op_args_high_o,
        op_data_wb_o,
        op_data_rd_o,
        op_data_sop_o,
        op_data_eop_o,
        op_data_rs3_data_o,
        op_data_rs2_data_o,
        op_data_rs1_data_o
      }),
      .choice_o(unused_choice)
  );

  // A cycle behind the collectors' counters
  if (PerfEnable != 0) begin : g_perf
    logic [PerfW-1:0] sum, stalls_q;

    always_comb begin
      sum = '0;
      for (int unsigned i = 0; i < NumOpcs; i++) begin
        sum += stalls[i*PerfW+:PerfW];
      end
    end

    always_ff @(posedge clk_i) begin
      stalls_q <= rst_i ? '0 : sum;
    end
    assign perf_stalls_o = stalls_q;
  end else begin : g_no_perf
    logic unused_stalls;
    assign unused_stalls = ^stalls;
    assign perf_stalls_o = '0;
  end

endmodule
