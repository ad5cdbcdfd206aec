// SPDX-License-Identifier: Apache-2.0

// Bank of a register (gpgpusim-opndcoll §4).
module opndcoll_bank #(
    parameter int unsigned NumRegBanks = 16,
    parameter int unsigned NumSchedPerCore = 4,
    parameter int unsigned SubCoreModel = 1,
    parameter int unsigned RegW = 8,
    parameter int unsigned WarpW = 6,
    localparam int unsigned BankW = (NumRegBanks > 1) ? $clog2(NumRegBanks) : 1,
    localparam int unsigned SchedW = (NumSchedPerCore > 1) ? $clog2(NumSchedPerCore) : 1
) (
    input  logic [  RegW-1:0] reg_i,
    input  logic [ WarpW-1:0] wid_i,
    input  logic [SchedW-1:0] sched_i,
    output logic [ BankW-1:0] bank_o
);

  localparam int unsigned OperandW = (RegW > WarpW) ? RegW : WarpW;
  localparam int unsigned SumW = ((OperandW > BankW) ? OperandW : BankW) + 1;

  logic [SumW-1:0] sum;
  assign sum = SumW'(reg_i) + SumW'(wid_i);

  if (SubCoreModel != 0) begin : g_sub_core
    localparam int unsigned PerSched = NumRegBanks / NumSchedPerCore;
    assign bank_o = BankW'(sum % SumW'(PerSched)) + BankW'(sched_i) * BankW'(PerSched);
  end else begin : g_flat
    logic unused_sched;
    assign unused_sched = ^sched_i;
    assign bank_o = BankW'(sum % SumW'(NumRegBanks));
  end

endmodule
