// SPDX-License-Identifier: Apache-2.0

// One input port (gpgpusim-opndcoll §6.3): the oldest instruction of the first kind that has one
// goes into the lowest idle unit. Without an idle unit no other kind is tried.
module opndcoll_port #(
    parameter int unsigned NumUnits = 8,
    parameter int unsigned NumKinds = 6,
    parameter int unsigned IdWidth = 4,
    parameter int unsigned UidW = 32,
    localparam int unsigned UnitW = (NumUnits > 1) ? $clog2(NumUnits) : 1,
    localparam int unsigned KindW = (NumKinds > 1) ? $clog2(NumKinds) : 1,
    localparam int unsigned NumSlots = NumKinds * IdWidth,
    localparam int unsigned IndexW = (NumSlots > 1) ? $clog2(NumSlots) : 1
) (
    input  logic [     NumSlots-1:0] id_i,      // occupied slots of the ID_OC sets
    output logic [     NumSlots-1:0] id_o,      // for the next port
    input  logic [NumSlots*UidW-1:0] id_uid_i,
    input  logic [     NumUnits-1:0] idle_i,
    output logic [     NumUnits-1:0] idle_o,

    output logic              valid_o,
    output logic [ KindW-1:0] kind_o,   // this and the unit are 0 while valid_o is
    output logic [ UnitW-1:0] unit_o,
    output logic [IndexW-1:0] index_o   // slot among those of all sets
);

  localparam int unsigned SlotW = (IdWidth > 1) ? $clog2(IdWidth) : 1;

  logic [KindW-1:0] kind;
  logic [UnitW-1:0] unit;
  logic [SlotW-1:0] oldest;

  always_comb begin
    kind = '0;
    for (int unsigned k = NumKinds; k > 0; k--) begin
      if (id_i[(k-1)*IdWidth+:IdWidth] != '0) begin
        kind = KindW'(k - 1);
      end
    end
  end

  always_comb begin
    unit = '0;
    for (int unsigned u = NumUnits; u > 0; u--) begin
      if (idle_i[u-1]) begin
        unit = UnitW'(u - 1);
      end
    end
  end

  opndcoll_oldest #(
      .NumSlots(IdWidth),
      .UidW(UidW)
  ) u_oldest (
      .valid_i(id_i[kind*IdWidth+:IdWidth]),
      .uid_i  (id_uid_i[kind*IdWidth*UidW+:IdWidth*UidW]),
      .slot_o (oldest)
  );

  assign valid_o = (id_i != '0) && (idle_i != '0);
  assign kind_o  = valid_o ? kind : '0;
  assign unit_o  = valid_o ? unit : '0;
  assign index_o = IndexW'(kind) * IndexW'(IdWidth) + IndexW'(oldest);

  for (genvar slot = 0; slot < NumSlots; slot++) begin : g_id
    assign id_o[slot] = id_i[slot] && !(valid_o && (index_o == IndexW'(slot)));
  end

  for (genvar u = 0; u < NumUnits; u++) begin : g_idle
    assign idle_o[u] = idle_i[u] && !(valid_o && (unit == UnitW'(u)));
  end

endmodule
