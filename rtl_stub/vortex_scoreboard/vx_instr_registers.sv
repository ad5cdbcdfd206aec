// SPDX-License-Identifier: Apache-2.0

// Registers that an instruction of Vortex writes and needs, a bit each (vortex-issue §5). A register
// of a type that does not exist is none; register 0 is one.
module vx_instr_registers #(
    parameter logic [31:0] NumRegs = 64,
    parameter logic [31:0] InstrW = 150,
    parameter logic [31:0] InstrWbLsb = 27,
    parameter logic [31:0] InstrUsedRsLsb = 24,
    parameter logic [31:0] InstrRdLsb = 18,
    parameter logic [31:0] InstrRs1Lsb = 12,
    parameter logic [31:0] InstrRs2Lsb = 6,
    parameter logic [31:0] InstrRs3Lsb = 0
) (
    input  logic [ InstrW-1:0] instr_i,
    output logic [NumRegs-1:0] written_o,
    output logic [NumRegs-1:0] needed_o
);

  logic [5:0] rd, rs1, rs2, rs3;
  logic [2:0] used;
  logic wb;

  assign rd = instr_i[InstrRdLsb+:6];
  assign rs1 = instr_i[InstrRs1Lsb+:6];
  assign rs2 = instr_i[InstrRs2Lsb+:6];
  assign rs3 = instr_i[InstrRs3Lsb+:6];
  assign used = instr_i[InstrUsedRsLsb+:3];
  assign wb = instr_i[InstrWbLsb];

  assign written_o = wb ? NumRegs'(64'd1 << rd) : '0;
  assign needed_o = written_o | (used[0] ? NumRegs'(64'd1 << rs1) : '0) |
                    (used[1] ? NumRegs'(64'd1 << rs2) : '0) |
                    (used[2] ? NumRegs'(64'd1 << rs3) : '0);

endmodule
