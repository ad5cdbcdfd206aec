// SPDX-License-Identifier: Apache-2.0

// Performance counters of Vortex's scoreboard (vortex-issue §8): cycles without a ready instruction,
// and for which units the staged instructions wait. The look-up drops a register's type.
module vx_scoreboard_perf #(
    parameter logic [31:0] Warps = 4,
    parameter logic [31:0] NumRegs = 64,
    parameter logic [31:0] Units = 4,
    parameter logic [31:0] UnitW = 2,
    parameter logic [31:0] InstrW = 150,
    parameter logic [31:0] InstrExTypeLsb = 74,
    parameter logic [31:0] InstrOpTypeLsb = 70,
    parameter logic [31:0] InstrWbLsb = 27,
    parameter logic [31:0] InstrUsedRsLsb = 24,
    parameter logic [31:0] InstrRdLsb = 18,
    parameter logic [31:0] InstrRs1Lsb = 12,
    parameter logic [31:0] InstrRs2Lsb = 6,
    parameter logic [31:0] InstrRs3Lsb = 0,
    localparam logic [31:0] RegW = $clog2(NumRegs),
    localparam logic [31:0] PerfW = 44
) (
    input logic clk_i,
    input logic rst_i,

    input logic [        Warps-1:0] staged_i,
    input logic [        Warps-1:0] ready_i,
    input logic [        Warps-1:0] fire_i,
    input logic [ Warps*InstrW-1:0] staging_i,
    input logic [Warps*NumRegs-1:0] blocked_i,

    output logic [      PerfW-1:0] stalls_o,
    output logic [Units*PerfW-1:0] units_uses_o,
    output logic [      PerfW-1:0] sfu_uses_0_o,
    output logic [      PerfW-1:0] sfu_uses_1_o
);

  localparam logic [31:0] Sfu = 2;  // ex_type
  localparam logic [31:0] FirstCsr = 6, LastCsr = 8;  // op_type
  localparam logic [31:0] Delay = (Warps + 7) / 8;
  localparam logic [31:0] MarkW = Units + 2;

  logic [Warps*MarkW-1:0] marks;
  logic [MarkW-1:0] any;

  for (genvar w = 0; w < Warps; w++) begin : g_warp
    // Of the instruction that wrote a register last; no reset
    logic [UnitW-1:0] unit_q[NumRegs];
    logic other_q[NumRegs];
    logic [InstrW-1:0] instr;
    logic [NumRegs-1:0] blocked;
    logic [3:0] used;
    logic [23:0] fields;  // rd, rs1, rs2, rs3, rd in the low bits
    logic [3:0] op;
    logic [MarkW-1:0] mine;
    logic [RegW-1:0] rd;
    logic [UnitW-1:0] unit;

    assign instr = staging_i[w*InstrW+:InstrW];
    assign blocked = blocked_i[w*NumRegs+:NumRegs];
    assign used = {instr[InstrUsedRsLsb+:3], instr[InstrWbLsb]};
    assign fields = {
      instr[InstrRs3Lsb+:6], instr[InstrRs2Lsb+:6], instr[InstrRs1Lsb+:6], instr[InstrRdLsb+:6]
    };
    assign op = instr[InstrOpTypeLsb+:4];

    assign rd = instr[InstrRdLsb+:RegW];
    assign unit = instr[InstrExTypeLsb+:UnitW];

    always_ff @(posedge clk_i) begin
      if (fire_i[w] && instr[InstrWbLsb]) begin
        unit_q[rd] <= unit;
      end
      if (fire_i[w] && instr[InstrWbLsb] && (unit == UnitW'(Sfu))) begin
        other_q[rd] <= (op < 4'(FirstCsr)) || (op > 4'(LastCsr));
      end
    end

    always_comb begin
      logic [63:0] bits;
      logic [RegW-1:0] id;
      mine = '0;
      bits = 64'(blocked);
      for (int unsigned i = 0; i < 4; i++) begin
        id = RegW'(fields[i*6+:5]);
        if (staged_i[w] && used[i] && bits[fields[i*6+:6]]) begin
          for (int unsigned u = 0; u < Units; u++) begin
            mine[u] = mine[u] || (unit_q[id] == UnitW'(u));
          end
          if (unit_q[id] == UnitW'(Sfu)) begin
            mine[Units+0] = mine[Units+0] || !other_q[id];
            mine[Units+1] = mine[Units+1] || other_q[id];
          end
        end
      end
    end

    assign marks[w*MarkW+:MarkW] = mine;
  end

  always_comb begin
    any = '0;
    for (int unsigned w = 0; w < Warps; w++) begin
      any |= marks[w*MarkW+:MarkW];
    end
  end

  // No reset
  logic [MarkW-1:0] delayed_q[Delay];

  always_ff @(posedge clk_i) begin
    delayed_q[0] <= any;
    for (int unsigned k = 1; k < Delay; k++) begin
      delayed_q[k] <= delayed_q[k-1];
    end
  end

  logic [PerfW-1:0] stalls_q;
  logic [PerfW-1:0] uses_q[MarkW];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stalls_q <= '0;
      for (int unsigned u = 0; u < MarkW; u++) begin
        uses_q[u] <= '0;
      end
    end else begin
      stalls_q <= stalls_q + PerfW'((staged_i != '0) && ((staged_i & ready_i) == '0));
      for (int unsigned u = 0; u < MarkW; u++) begin
        uses_q[u] <= uses_q[u] + PerfW'(delayed_q[Delay-1][u]);
      end
    end
  end

  assign stalls_o = stalls_q;
  assign sfu_uses_0_o = uses_q[Units];
  assign sfu_uses_1_o = uses_q[Units+1];
  for (genvar u = 0; u < Units; u++) begin : g_unit
    assign units_uses_o[u*PerfW+:PerfW] = uses_q[u];
  end

endmodule
