// SPDX-License-Identifier: Apache-2.0

// Write-back calls of a window, which is a clock: each marks the banks of its destinations in slot
// order up to the first that is marked already (gpgpusim-opndcoll §7).
module opndcoll_writeback #(
    parameter logic [31:0] NumRegBanks = 16,
    parameter logic [31:0] NumSchedPerCore = 4,
    parameter logic [31:0] SubCoreModel = 1,
    parameter logic [31:0] DstSlots = 2,
    parameter logic [31:0] NumWb = 2,
    parameter logic [31:0] RegW = 8,
    parameter logic [31:0] WarpW = 6,
    localparam logic [31:0] SchedW = (NumSchedPerCore > 1) ? $clog2(NumSchedPerCore) : 1
) (
    input  logic [              NumWb-1:0] valid_i,
    input  logic [        NumWb*WarpW-1:0] wid_i,
    input  logic [       NumWb*SchedW-1:0] sched_i,
    input  logic [     NumWb*DstSlots-1:0] enable_i,
    input  logic [NumWb*DstSlots*RegW-1:0] reg_i,
    output logic [              NumWb-1:0] success_o,
    output logic [     NumWb*DstSlots-1:0] accepted_o,
    output logic [        NumRegBanks-1:0] written_o
);

  localparam logic [31:0] BankW = (NumRegBanks > 1) ? $clog2(NumRegBanks) : 1;

  logic [NumWb*DstSlots*BankW-1:0] banks;

  for (genvar call = 0; call < NumWb; call++) begin : g_call
    for (genvar slot = 0; slot < DstSlots; slot++) begin : g_slot
      localparam logic [31:0] Nth = call * DstSlots + slot;

      opndcoll_bank #(
          .NumRegBanks(NumRegBanks),
          .NumSchedPerCore(NumSchedPerCore),
          .SubCoreModel(SubCoreModel),
          .RegW(RegW),
          .WarpW(WarpW)
      ) u_bank (
          .reg_i  (reg_i[Nth*RegW+:RegW]),
          .wid_i  (wid_i[call*WarpW+:WarpW]),
          .sched_i(sched_i[call*SchedW+:SchedW]),
          .bank_o (banks[Nth*BankW+:BankW])
      );
    end
  end

  logic going;  // no destination of the call is refused so far
  logic [BankW-1:0] bank;

  always_comb begin
    written_o = '0;
    accepted_o = '0;
    going = 1'b0;
    bank = '0;
    for (int unsigned call = 0; call < NumWb; call++) begin
      going = valid_i[call];
      for (int unsigned slot = 0; slot < DstSlots; slot++) begin
        bank = banks[(call*DstSlots+slot)*BankW+:BankW];
        if (going && enable_i[call*DstSlots+slot]) begin
          going = !written_o[bank];
          accepted_o[call*DstSlots+slot] = going;
          written_o[bank] = 1'b1;
        end
      end
      success_o[call] = going;
    end
  end

endmodule
