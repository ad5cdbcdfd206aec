// SPDX-License-Identifier: Apache-2.0

// The sources of an instruction that are read (gpgpusim-opndcoll §6.3): each, or, where a register
// is read once (§12.2), the lowest of those that name one register.
module opndcoll_sources #(
    parameter logic [31:0] SrcSlots = 4,
    parameter logic [31:0] ReadOnce = 0,
    parameter logic [31:0] RegW = 8,
    localparam logic [31:0] SlotW = (SrcSlots > 1) ? $clog2(SrcSlots) : 1
) (
    input  logic [      SrcSlots-1:0] enable_i,
    input  logic [ SrcSlots*RegW-1:0] reg_i,
    output logic [      SrcSlots-1:0] read_o,
    output logic [SrcSlots*SlotW-1:0] from_o     // by slot: the one whose read serves it
);

  for (genvar slot = 0; slot < SrcSlots; slot++) begin : g_slot
    logic [SlotW-1:0] lowest, from;

    always_comb begin
      lowest = SlotW'(slot);
      for (int unsigned lower = slot; lower > 0; lower--) begin
        if ((ReadOnce != 0) && enable_i[slot] && enable_i[lower-1] &&
            (reg_i[slot*RegW+:RegW] == reg_i[(lower-1)*RegW+:RegW])) begin
          lowest = SlotW'(lower - 1);
        end
      end
      from = lowest;
    end

    assign read_o[slot] = enable_i[slot] && (from == SlotW'(slot));
    assign from_o[slot*SlotW+:SlotW] = from;
  end

endmodule
