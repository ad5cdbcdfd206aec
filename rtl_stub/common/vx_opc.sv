// SPDX-License-Identifier: Apache-2.0

// An operand collector of Vortex (vortex-issue §6): a request stage on the scoreboard's port, a stage
// that reads the banks, one that gathers operands, an output buffer. Lane 0 is in the low bits.
module vx_opc #(
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
    parameter logic [31:0] OutBuf = 3,
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

  localparam logic [31:0] Banks = NumGprBanks;
  localparam logic [31:0] BankBits = $clog2(Banks);
  localparam logic [31:0] OpcWarps = Warps / NumOpcs;
  localparam logic [31:0] WarpBits = $clog2(OpcWarps);
  localparam logic [31:0] RemW = RegW - BankBits;  // of a register in its bank
  localparam logic [31:0] Rows = (Packets << WarpBits) << RemW;
  localparam logic [31:0] AddrW = (Rows > 1) ? $clog2(Rows) : 1;
  localparam logic [31:0] ResetClears = ((Simulation != 0) && (Ndebug == 0)) ? 1 : 0;
  localparam logic [31:0] MetaW =
      UuidW + WisW + SidW + SimdWidth + PcW + ExTypeW + 4 + OpArgsW + 5 + 1 + RegW + 2;

  // ---- request stage ------------------------------------------------------------------------------

  logic [2:0] fetched_q, used, source, request, taken;
  logic [RegW-1:0] reg_of[3];
  logic [RemW-1:0] rem_of[3];
  logic [31:0] bank_of[3];
  logic collides;

  logic [Banks-1:0] reads;  // delivers an operand
  logic [Banks*2-1:0] operands;  // which

  logic rdy0, rdy1, rdy2;
  logic last_round;

  logic [SimdWidth-1:0] packet_mask;
  logic [SidW-1:0] packet_id;
  logic sop, eop;

  assign reg_of[0] = RegW'(sb_data_i[InstrRs1Lsb+:6]);
  assign reg_of[1] = RegW'(sb_data_i[InstrRs2Lsb+:6]);
  assign reg_of[2] = RegW'(sb_data_i[InstrRs3Lsb+:6]);
  assign used = sb_data_i[InstrUsedRsLsb+:3];

  for (genvar i = 0; i < 3; i++) begin : g_source
    assign bank_of[i] = 32'(reg_of[i]) % Banks;
    assign rem_of[i]  = RemW'(reg_of[i] >> BankBits);
    assign source[i]  = used[i] && (reg_of[i] != '0) && !fetched_q[i];
  end

  assign collides = (source[0] && source[1] && (bank_of[0] == bank_of[1])) ||
                    (source[0] && source[2] && (bank_of[0] == bank_of[2])) ||
                    (source[1] && source[2] && (bank_of[1] == bank_of[2]));
  assign request = sb_valid_i ? source : '0;

  always_comb begin
    taken = '0;
    for (int unsigned b = 0; b < Banks; b++) begin
      reads[b] = 1'b0;
      operands[b*2+:2] = 2'd0;
      for (int unsigned i = 3; i > 0; i--) begin
        if (request[i-1] && (bank_of[i-1] == b)) begin
          reads[b] = 1'b1;
          operands[b*2+:2] = 2'(i - 1);
        end
      end
      for (int unsigned i = 0; i < 3; i++) begin
        if (reads[b] && (operands[b*2+:2] == 2'(i))) begin
          taken[i] = rdy0;
        end
      end
    end
  end

  assign last_round = rdy0 && !collides;

  always_ff @(posedge clk_i) begin
    fetched_q <= (rst_i || last_round) ? '0 : (fetched_q | taken);
  end

  vx_packet_iterator #(
      .Packets(Packets),
      .Lanes  (SimdWidth)
  ) u_packets (
      .clk_i,
      .rst_i,
      .valid_i(sb_valid_i),
      .mask_i (sb_data_i[InstrTmaskLsb+:NumThreads]),
      .next_i (last_round),
      .mask_o (packet_mask),
      .pid_o  (packet_id),
      .sop_o  (sop),
      .eop_o  (eop)
  );

  assign sb_ready_o = last_round && eop;

  logic [MetaW-1:0] meta;
  assign meta = {
    sb_data_i[InstrUuidLsb+:UuidW],
    sb_data_wis_i,
    packet_id,
    packet_mask,
    sb_data_i[InstrPCLsb+:PcW],
    sb_data_i[InstrExTypeLsb+:ExTypeW],
    sb_data_i[InstrOpTypeLsb+:4],
    sb_data_i[InstrOpArgsLsb+:OpArgsW],
    sb_data_i[InstrOpArgsHighLsb+:5],
    sb_data_i[InstrWbLsb],
    sb_data_i[InstrRdLsb+:RegW],
    sop,
    eop
  };

  // ---- stage 1: the banks are read ------------------------------------------------------------------

  localparam logic [31:0] Stage1W = Banks + Banks * 2 + 3 * RemW + 1 + MetaW;

  logic valid1, collides1;
  logic [Banks-1:0] reads1;
  logic [Banks*2-1:0] operands1;
  logic [3*RemW-1:0] rems1;
  logic [MetaW-1:0] meta1;
  logic [SidW-1:0] sid1;
  logic [WisW-1:0] wis1;

  vx_pipe_buffer #(
      .DataW (Stage1W),
      .ResetW(1)
  ) u_stage1 (
      .clk_i,
      .rst_i,
      .ready_o(rdy0),
      .valid_i(sb_valid_i),
      .data_i ({reads, operands, rem_of[2], rem_of[1], rem_of[0], collides, meta}),
      .ready_i(rdy1),
      .valid_o(valid1),
      .data_o ({reads1, operands1, rems1, collides1, meta1})
  );

  assign wis1 = meta1[MetaW-1-UuidW-:WisW];
  assign sid1 = meta1[MetaW-1-UuidW-WisW-:SidW];

  logic [Banks*RowBits-1:0] read_data;

  // Rows before those of a packet and warp in each bank
  logic [AddrW-1:0] read_base, write_base;
  logic [RemW-1:0] write_rem;
  logic unused_wis;  // its low bits choose the collector

  assign unused_wis = ^{wis1, wb_data_wis_i};
  assign write_rem  = RemW'(wb_data_rd_i >> BankBits);

  if (OpcWarps > 1) begin : g_warps
    logic [AddrW-1:0] read_sid, write_sid;
    assign read_sid   = (Packets > 1) ? AddrW'(sid1) << WarpBits : '0;
    assign write_sid  = (Packets > 1) ? AddrW'(wb_data_sid_i) << WarpBits : '0;
    assign read_base  = (read_sid + AddrW'(wis1[WisW-1-:WarpBits])) << RemW;
    assign write_base = (write_sid + AddrW'(wb_data_wis_i[WisW-1-:WarpBits])) << RemW;
  end else begin : g_one_warp
    assign read_base  = (Packets > 1) ? AddrW'(sid1) << RemW : '0;
    assign write_base = (Packets > 1) ? AddrW'(wb_data_sid_i) << RemW : '0;
  end

  genvar bank;  // declared apart: Icarus 11 takes an inline one for a variable here
  for (bank = 0; bank < Banks; bank++) begin : g_bank
    logic [RemW-1:0] row;

    always_comb begin
      row = rems1[0+:RemW];
      for (int unsigned i = 1; i < 3; i++) begin
        if (operands1[bank*2+:2] == 2'(i)) begin
          row = rems1[i*RemW+:RemW];
        end
      end
    end

    vx_gpr_bank #(
        .Rows(Rows),
        .Lanes(SimdWidth),
        .LaneBits(Xlen),
        .ResetClears(ResetClears)
    ) u_bank (
        .clk_i,
        .rst_i,
        .read_i(valid1 && rdy1),
        .read_addr_i(read_base + AddrW'(row)),
        .read_data_o(read_data[bank*RowBits+:RowBits]),
        .write_i(wb_valid_i && ((32'(wb_data_rd_i) % Banks) == bank)),
        .write_addr_i(write_base + AddrW'(write_rem)),
        .write_mask_i(wb_data_tmask_i),
        .write_data_i(wb_data_data_i)
    );
  end

  // ---- stage 2: operands are gathered ---------------------------------------------------------------

  localparam logic [31:0] Stage2W = Banks + Banks * 2 + MetaW;

  logic valid2;
  logic [Banks-1:0] reads2;
  logic [Banks*2-1:0] operands2;
  logic [MetaW-1:0] meta2;
  logic [3*RowBits-1:0] gathered_q, merged;

  vx_pipe_buffer #(
      .DataW (Stage2W),
      .ResetW(1)
  ) u_stage2 (
      .clk_i,
      .rst_i,
      .ready_o(rdy1),
      .valid_i(valid1 && !collides1),
      .data_i ({reads1, operands1, meta1}),
      .ready_i(rdy2),
      .valid_o(valid2),
      .data_o ({reads2, operands2, meta2})
  );

  always_comb begin
    merged = gathered_q;
    for (int unsigned b = 0; b < Banks; b++) begin
      for (int unsigned i = 0; i < 3; i++) begin
        if (reads2[b] && (operands2[b*2+:2] == 2'(i))) begin
          merged[i*RowBits+:RowBits] = read_data[b*RowBits+:RowBits];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    gathered_q <= (rst_i || (valid2 && rdy2)) ? '0 : merged;
  end

  // ---- output ---------------------------------------------------------------------------------------

  vx_elastic_buffer #(
      .DataW (MetaW + 3 * RowBits),
      .OutBuf(OutBuf)
  ) u_out (
      .clk_i,
      .rst_i,
      .ready_o(rdy2),
      .valid_i(valid2),
      .data_i({meta2, merged}),
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
      })
  );

  if (PerfEnable != 0) begin : g_perf
    logic [PerfW-1:0] stalls_q;

    always_ff @(posedge clk_i) begin
      stalls_q <= rst_i ? '0 : stalls_q + PerfW'(sb_valid_i && rdy0 && collides);
    end
    assign perf_stalls_o = stalls_q;
  end else begin : g_no_perf
    assign perf_stalls_o = '0;
  end

endmodule
