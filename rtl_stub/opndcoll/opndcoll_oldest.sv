// SPDX-License-Identifier: Apache-2.0

// The oldest instruction of a register set: smallest uid, unsigned, whatever its slot
// (gpgpusim-opndcoll §5).
module opndcoll_oldest #(
    parameter logic [31:0] NumSlots = 4,
    parameter logic [31:0] UidW = 32,
    localparam logic [31:0] SlotW = (NumSlots > 1) ? $clog2(NumSlots) : 1
) (
    input  logic [     NumSlots-1:0] valid_i,
    input  logic [NumSlots*UidW-1:0] uid_i,
    output logic [        SlotW-1:0] slot_o    // 0 when none is valid
);

  logic [UidW-1:0] smallest;

  // Of equal ones the higher slot.
  always_comb begin
    slot_o   = '0;
    smallest = '1;
    for (int unsigned slot = 0; slot < NumSlots; slot++) begin
      if (valid_i[slot] && (uid_i[slot*UidW+:UidW] <= smallest)) begin
        slot_o   = SlotW'(slot);
        smallest = uid_i[slot*UidW+:UidW];
      end
    end
  end

endmodule
