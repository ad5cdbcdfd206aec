// SPDX-License-Identifier: Apache-2.0

// Registers that an instruction of Vortex writes and needs, a bit each (vortex-issue §5). A register
// of a type that does not exist is none; register 0 is one.
module vx_instr_registers #(
    parameter int unsigned NumRegs = 64,
    parameter int unsigned InstrW = 150,
    parameter int unsigned InstrWbLsb = 27,
    parameter int unsigned InstrUsedRsLsb = 24,
    parameter int unsigned InstrRdLsb = 18,
    parameter int unsigned InstrRs1Lsb = 12,
    parameter int unsigned InstrRs2Lsb = 6,
    parameter int unsigned InstrRs3Lsb = 0
) (
    input  logic [ InstrW-1:0] instr_i,
    output logic [NumRegs-1:0] written_o,
    output logic [NumRegs-1:0] needed_o
);

  logic [5:0] rd, rs1, rs2, rs3;
  logic [2:0] used;
  logic wb;

  assign rd   = instr_i[InstrRdLsb+:6];
  assign rs1  = instr_i[InstrRs1Lsb+:6];
  assign rs2  = instr_i[InstrRs2Lsb+:6];
  assign rs3  = instr_i[InstrRs3Lsb+:6];
  assign used = instr_i[InstrUsedRsLsb+:3];
  assign wb   = instr_i[InstrWbLsb];

  for (genvar r = 0; r < NumRegs; r++) begin : g_register
    assign written_o[r] = wb && (rd == 6'(r));
    assign needed_o[r] = written_o[r] || (used[0] && (rs1 == 6'(r))) ||
                         (used[1] && (rs2 == 6'(r))) || (used[2] && (rs3 == 6'(r)));
  end

endmodule
