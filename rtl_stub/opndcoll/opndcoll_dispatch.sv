// SPDX-License-Identifier: Apache-2.0

// One dispatch unit (gpgpusim-opndcoll §6.1): the first collector unit after the last one it
// emptied that is complete and whose OC_EX set has room now. V42, sub-core (§12.2): the first after
// those of the last one's scheduler, and a unit's instruction goes to its scheduler's slot only.
module opndcoll_dispatch #(
    parameter logic [31:0] NumSchedPerCore = 4,
    parameter logic [31:0] OwnUnits = 0,  // each scheduler has units of its own, and a slot
    parameter logic [31:0] NumUnits = 8,
    parameter logic [31:0] NumKinds = 6,
    parameter logic [31:0] ExWidth = 4,
    localparam logic [31:0] UnitW = (NumUnits > 1) ? $clog2(NumUnits) : 1,
    localparam logic [31:0] KindW = (NumKinds > 1) ? $clog2(NumKinds) : 1,
    localparam logic [31:0] SlotW = (ExWidth > 1) ? $clog2(ExWidth) : 1,
    localparam logic [31:0] NumSlots = NumKinds * ExWidth
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [      NumUnits-1:0] complete_i,
    output logic [      NumUnits-1:0] complete_o,   // for the next dispatch unit
    input  logic [NumUnits*KindW-1:0] unit_kind_i,
    input  logic [      NumSlots-1:0] ex_i,         // occupied slots of the OC_EX sets
    output logic [      NumSlots-1:0] ex_o,

    output logic             valid_o,
    output logic [UnitW-1:0] unit_o,   // these three are 0 while valid_o is
    output logic [KindW-1:0] kind_o,
    output logic [SlotW-1:0] slot_o
);

  localparam logic [31:0] PerSched = (OwnUnits != 0) ? NumUnits / NumSchedPerCore : 1;

  logic [NumUnits-1:0] candidates, behind;  // above the last one's number, or its scheduler's
  logic [ExWidth-1:0] target;  // slots of the chosen unit's OC_EX set

  for (genvar unit = 0; unit < NumUnits; unit++) begin : g_candidate
    logic [ExWidth-1:0] slots;  // of its OC_EX set
    logic room;
    assign slots = ex_i[unit_kind_i[unit*KindW+:KindW]*ExWidth+:ExWidth];
    if (OwnUnits != 0) begin : g_own_slot
      assign room = !slots[unit/PerSched];
    end else begin : g_any_slot
      assign room = (slots != '1);
    end
    assign candidates[unit] = complete_i[unit] && room;
  end

  // PerSched is 1 where no scheduler has units of its own.
  assign behind[PerSched-1:0] = '0;
  if (NumUnits > PerSched) begin : g_last
    logic [UnitW-1:0] last_q;

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        last_q <= '0;
      end else if (valid_o) begin
        last_q <= unit_o;
      end
    end

    for (genvar unit = PerSched; unit < NumUnits; unit++) begin : g_behind
      assign behind[unit] = {1'b0, last_q} < (UnitW + 1)'(unit - unit % PerSched);
    end
  end else begin : g_no_last
    logic unused_clock;
    assign unused_clock = ^{clk_i, rst_i};
  end

  always_comb begin
    unit_o = '0;
    for (int unsigned unit = NumUnits; unit > 0; unit--) begin
      if (candidates[unit-1] && (((candidates & behind) == '0) || behind[unit-1])) begin
        unit_o = UnitW'(unit - 1);
      end
    end
  end

  assign valid_o = (candidates != '0);
  assign kind_o  = valid_o ? unit_kind_i[unit_o*KindW+:KindW] : '0;
  assign target  = ex_i[kind_o*ExWidth+:ExWidth];

  always_comb begin
    slot_o = '0;
    for (int unsigned slot = ExWidth; slot > 0; slot--) begin
      if (valid_o && !target[slot-1] &&
          ((OwnUnits == 0) || (32'(unit_o) / PerSched == slot - 1))) begin
        slot_o = SlotW'(slot - 1);
      end
    end
  end

  for (genvar unit = 0; unit < NumUnits; unit++) begin : g_complete
    assign complete_o[unit] = complete_i[unit] && !(valid_o && (unit_o == UnitW'(unit)));
  end

  for (genvar slot = 0; slot < NumSlots; slot++) begin : g_ex
    assign ex_o[slot] = ex_i[slot] || (valid_o && (kind_o == KindW'(slot / ExWidth)) &&
                                       (slot_o == SlotW'(slot % ExWidth)));
  end

endmodule
