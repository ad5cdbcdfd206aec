// SPDX-License-Identifier: Apache-2.0

// Bank of a register (gpgpusim-opndcoll §4).
module opndcoll_bank #(
    parameter logic [31:0] NumRegBanks = 16,
    parameter logic [31:0] NumSchedPerCore = 4,
    parameter logic [31:0] SubCoreModel = 1,
    parameter logic [31:0] RegW = 8,
    parameter logic [31:0] WarpW = 6,
    localparam logic [31:0] BankW = (NumRegBanks > 1) ? $clog2(NumRegBanks) : 1,
    localparam logic [31:0] SchedW = (NumSchedPerCore > 1) ? $clog2(NumSchedPerCore) : 1
) (
    input  logic [  RegW-1:0] reg_i,
    input  logic [ WarpW-1:0] wid_i,
    input  logic [SchedW-1:0] sched_i,
    output logic [ BankW-1:0] bank_o
);

  localparam logic [31:0] OperandW = (RegW > WarpW) ? RegW : WarpW;
  localparam logic [31:0] SumW = ((OperandW > BankW) ? OperandW : BankW) + 1;

  logic [SumW-1:0] sum;
  assign sum = SumW'(reg_i) + SumW'(wid_i);

  if (SubCoreModel != 0) begin : g_sub_core
    localparam logic [31:0] PerSched = NumRegBanks / NumSchedPerCore;
    assign bank_o = BankW'(sum % SumW'(PerSched)) + BankW'(sched_i) * BankW'(PerSched);
  end else begin : g_flat
    logic unused_sched;
    assign unused_sched = ^sched_i;
    assign bank_o = BankW'(sum % SumW'(NumRegBanks));
  end

endmodule
