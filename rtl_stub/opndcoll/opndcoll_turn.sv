// SPDX-License-Identifier: Apache-2.0

// An input port's turn for one pipe kind (gpgpusim-opndcoll §6.3): the oldest instruction of that
// ID_OC set goes into the lowest idle unit. V42, sub-core (§12.2): each scheduler has units of its
// own, side by side, and only those of the instruction's scheduler will do. The scheduler is the
// slot's number, as in the sub-core model an instruction enters the slot of its scheduler. With
// PassFullSubCore it is the oldest of those for which a unit is idle.
module opndcoll_turn #(
    parameter logic [31:0] NumSchedPerCore = 4,
    parameter logic [31:0] OwnUnits = 0,  // each scheduler has units of its own
    parameter logic [31:0] PassFullSubCore = 0,
    parameter logic [31:0] NumUnits = 8,
    parameter logic [31:0] NumKinds = 6,
    parameter logic [31:0] IdWidth = 4,
    parameter logic [31:0] UidW = 32,
    localparam logic [31:0] UnitW = (NumUnits > 1) ? $clog2(NumUnits) : 1,
    localparam logic [31:0] KindW = (NumKinds > 1) ? $clog2(NumKinds) : 1,
    localparam logic [31:0] NumSlots = NumKinds * IdWidth,
    localparam logic [31:0] IndexW = (NumSlots > 1) ? $clog2(NumSlots) : 1
) (
    input  logic [        KindW-1:0] kind_i,
    input  logic [     NumSlots-1:0] id_i,      // occupied slots of the ID_OC sets
    output logic [     NumSlots-1:0] id_o,      // for the next turn
    input  logic [NumSlots*UidW-1:0] id_uid_i,
    input  logic [     NumUnits-1:0] idle_i,
    output logic [     NumUnits-1:0] idle_o,

    output logic              valid_o,
    output logic [ KindW-1:0] kind_o,   // this and the unit are 0 while valid_o is
    output logic [ UnitW-1:0] unit_o,
    output logic [IndexW-1:0] index_o   // slot among those of all sets
);

  localparam logic [31:0] SlotW = (IdWidth > 1) ? $clog2(IdWidth) : 1;

  logic [IdWidth-1:0] waiting, room;  // slots with an instruction; with an idle unit for it
  logic [IdWidth-1:0] candidates;
  logic [SlotW-1:0] oldest;
  logic [NumUnits-1:0] own;  // idle units for the oldest instruction
  logic [UnitW-1:0] unit;

  assign waiting = id_i[kind_i*IdWidth+:IdWidth];
  assign candidates = (PassFullSubCore != 0) ? waiting & room : waiting;

  opndcoll_oldest #(
      .NumSlots(IdWidth),
      .UidW(UidW)
  ) u_oldest (
      .valid_i(candidates),
      .uid_i  (id_uid_i[kind_i*IdWidth*UidW+:IdWidth*UidW]),
      .slot_o (oldest)
  );

  if (OwnUnits != 0) begin : g_own_units
    localparam logic [31:0] PerSched = NumUnits / NumSchedPerCore;

    for (genvar slot = 0; slot < IdWidth; slot++) begin : g_slot
      assign room[slot] = (idle_i[slot*PerSched+:PerSched] != '0);
    end
    for (genvar u = 0; u < NumUnits; u++) begin : g_own
      assign own[u] = idle_i[u] && (oldest == SlotW'(u / PerSched));
    end
  end else begin : g_any_unit
    assign room = (idle_i != '0) ? '1 : '0;
    assign own  = idle_i;
  end

  always_comb begin
    unit = '0;
    for (int unsigned u = NumUnits; u > 0; u--) begin
      if (own[u-1]) begin
        unit = UnitW'(u - 1);
      end
    end
  end

  assign valid_o = (candidates != '0) && room[oldest];
  assign kind_o  = valid_o ? kind_i : '0;
  assign unit_o  = valid_o ? unit : '0;
  assign index_o = IndexW'(kind_i) * IndexW'(IdWidth) + IndexW'(oldest);

  for (genvar slot = 0; slot < NumSlots; slot++) begin : g_id
    assign id_o[slot] = id_i[slot] && !(valid_o && (index_o == IndexW'(slot)));
  end

  for (genvar u = 0; u < NumUnits; u++) begin : g_idle
    assign idle_o[u] = idle_i[u] && !(valid_o && (unit == UnitW'(u)));
  end

endmodule
