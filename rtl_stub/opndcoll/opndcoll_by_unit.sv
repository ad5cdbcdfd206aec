// SPDX-License-Identifier: Apache-2.0

// What the input ports move into units, by unit: at most one instruction a clock enters each.
module opndcoll_by_unit #(
    parameter logic [31:0] NumUnits = 8,
    parameter logic [31:0] InPorts = 8,
    parameter logic [31:0] Turns = 6,  // of a port in a clock
    parameter logic [31:0] UnitW = 3,
    parameter logic [31:0] KindW = 3,
    localparam logic [31:0] NumLanes = InPorts * Turns,
    localparam logic [31:0] PortW = (InPorts > 1) ? $clog2(InPorts) : 1
) (
    input  logic [      NumLanes-1:0] lane_valid_i,
    input  logic [NumLanes*UnitW-1:0] lane_unit_i,
    input  logic [NumLanes*KindW-1:0] lane_kind_i,
    output logic [      NumUnits-1:0] valid_o,
    output logic [NumUnits*PortW-1:0] port_o,        // this and the kind are 0 without one
    output logic [NumUnits*KindW-1:0] kind_o
);

  always_comb begin
    valid_o = '0;
    port_o  = '0;
    kind_o  = '0;
    for (int unsigned unit = 0; unit < NumUnits; unit++) begin
      for (int unsigned lane = 0; lane < NumLanes; lane++) begin
        if (lane_valid_i[lane] && (lane_unit_i[lane*UnitW+:UnitW] == UnitW'(unit))) begin
          valid_o[unit] = 1'b1;
          port_o[unit*PortW+:PortW] = PortW'(lane / Turns);
          kind_o[unit*KindW+:KindW] = lane_kind_i[lane*KindW+:KindW];
        end
      end
    end
  end

endmodule
