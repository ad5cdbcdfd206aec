// SPDX-License-Identifier: Apache-2.0

// Read arbitration (gpgpusim-opndcoll §6.2, §12.1). V40, V42: each bank that may be read is. V32: a unit
// is granted one operand a step. Banks and units meet along diagonals: on diagonal d, bank b meets
// unit (pri + d + b) mod NumUnits; the first meeting of a unit with a bank that asks for it is a
// grant. There are no more banks than units, so the banks of a diagonal meet different units.
module opndcoll_arbiter #(
    parameter logic [31:0] NumRegBanks = 16,
    parameter logic [31:0] NumUnits = 16,
    parameter logic [31:0] Revision = 1,  // 0: V40, 1: V32, 2: V42
    localparam logic [31:0] UnitW = (NumUnits > 1) ? $clog2(NumUnits) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [      NumRegBanks-1:0] request_i,  // a queue has a front, and is not written
    input  logic [NumRegBanks*UnitW-1:0] unit_i,     // for which unit that is
    output logic [      NumRegBanks-1:0] grant_o,
    output logic [            UnitW-1:0] pri_o
);

  if (Revision != 1) begin : g_each_bank
    logic unused_inputs;
    assign unused_inputs = ^{clk_i, rst_i, unit_i};
    assign grant_o = request_i;
    assign pri_o = '0;
  end else begin : g_each_unit
    localparam logic [31:0] SumW = UnitW + 2;

    logic [UnitW-1:0] pri_q;
    logic [NumRegBanks*UnitW-1:0] diagonals;  // on which a bank meets the unit it asks for
    logic [NumUnits-1:0] served;

    for (genvar bank = 0; bank < NumRegBanks; bank++) begin : g_bank
      // unit - pri - bank, made positive
      logic [SumW-1:0] distance;
      assign distance =
          SumW'(unit_i[bank*UnitW+:UnitW]) + SumW'(2 * NumUnits - bank) - SumW'(pri_q);
      assign diagonals[bank*UnitW+:UnitW] = UnitW'(distance % SumW'(NumUnits));
    end

    always_comb begin
      served  = '0;
      grant_o = '0;
      for (int unsigned diagonal = 0; diagonal < NumUnits; diagonal++) begin
        for (int unsigned bank = 0; bank < NumRegBanks; bank++) begin
          if (request_i[bank] && (diagonals[bank*UnitW+:UnitW] == UnitW'(diagonal)) &&
              !served[unit_i[bank*UnitW+:UnitW]]) begin
            grant_o[bank] = 1'b1;
            served[unit_i[bank*UnitW+:UnitW]] = 1'b1;
          end
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_i || (pri_q == UnitW'(NumUnits - 1))) begin
        pri_q <= '0;
      end else begin
        pri_q <= pri_q + 1'b1;
      end
    end

    assign pri_o = pri_q;
  end

endmodule
