// SPDX-License-Identifier: Apache-2.0

// One input port (gpgpusim-opndcoll §6.3, §12.2). V40 and V32: it has one turn, for the first kind
// that has an instruction; without an idle unit no other kind is tried. V42: a turn for each kind.
// The lowest kind is the first; with RotateKinds it is the one behind that which the port took
// first in the last step in which it took one, and the others follow around the end.
module opndcoll_port #(
    parameter logic [31:0] NumSchedPerCore = 4,
    parameter logic [31:0] OwnUnits = 0,
    parameter logic [31:0] NumUnits = 8,
    parameter logic [31:0] NumKinds = 6,
    parameter logic [31:0] IdWidth = 4,
    parameter logic [31:0] Turns = 1,  // or NumKinds
    parameter logic [31:0] PassFullSubCore = 0,
    parameter logic [31:0] RotateKinds = 0,
    parameter logic [31:0] UidW = 32,
    localparam logic [31:0] UnitW = (NumUnits > 1) ? $clog2(NumUnits) : 1,
    localparam logic [31:0] KindW = (NumKinds > 1) ? $clog2(NumKinds) : 1,
    localparam logic [31:0] NumSlots = NumKinds * IdWidth,
    localparam logic [31:0] IndexW = (NumSlots > 1) ? $clog2(NumSlots) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [     NumSlots-1:0] id_i,      // occupied slots of the ID_OC sets
    output logic [     NumSlots-1:0] id_o,      // for the next port
    input  logic [NumSlots*UidW-1:0] id_uid_i,
    input  logic [     NumUnits-1:0] idle_i,
    output logic [     NumUnits-1:0] idle_o,

    output logic [       Turns-1:0] valid_o,
    output logic [ Turns*KindW-1:0] kind_o,   // this and the unit are 0 while valid_o is
    output logic [ Turns*UnitW-1:0] unit_o,
    output logic [Turns*IndexW-1:0] index_o   // slot among those of all sets
);

  logic [Turns*KindW-1:0] kinds;  // what the turns are for

  logic [KindW-1:0] first;  // kind that is tried first
  logic [NumKinds-1:0] behind;  // kinds from there on

  if ((RotateKinds != 0) && (NumKinds > 1)) begin : g_rotate
    logic [KindW-1:0] first_q, taken;

    always_comb begin
      taken = '0;
      for (int unsigned turn = Turns; turn > 0; turn--) begin
        if (valid_o[turn-1]) begin
          taken = kind_o[(turn-1)*KindW+:KindW];
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        first_q <= '0;
      end else if (valid_o != '0) begin
        first_q <= (taken == KindW'(NumKinds - 1)) ? '0 : taken + 1'b1;
      end
    end

    assign first = first_q;
    for (genvar kind = 0; kind < NumKinds; kind++) begin : g_behind
      assign behind[kind] = {1'b0, first_q} <= (KindW + 1)'(kind);
    end
  end else begin : g_fixed
    logic unused_clock;
    assign unused_clock = ^{clk_i, rst_i};
    assign first = '0;
    assign behind = '1;
  end

  if (Turns == 1) begin : g_first_kind
    logic unused_first;
    logic [NumKinds-1:0] waiting;
    assign unused_first = ^first;

    for (genvar kind = 0; kind < NumKinds; kind++) begin : g_waiting
      assign waiting[kind] = (id_i[kind*IdWidth+:IdWidth] != '0);
    end

    always_comb begin
      kinds = '0;
      for (int unsigned k = NumKinds; k > 0; k--) begin
        if (waiting[k-1] && (((waiting & behind) == '0) || behind[k-1])) begin
          kinds = KindW'(k - 1);
        end
      end
    end
  end else begin : g_each_kind
    logic unused_behind;
    assign unused_behind = ^behind;

    for (genvar turn = 0; turn < Turns; turn++) begin : g_kind
      logic [KindW:0] sum;
      assign sum = {1'b0, first} + (KindW + 1)'(turn);
      assign kinds[turn*KindW+:KindW] =
          KindW'((sum < (KindW + 1)'(NumKinds)) ? sum : sum - (KindW + 1)'(NumKinds));
    end
  end

  for (genvar turn = 0; turn < Turns; turn++) begin : g_turn
    logic [NumSlots-1:0] id_before, id_behind;
    logic [NumUnits-1:0] idle_before, idle_behind;

    if (turn == 0) begin : g_first
      assign id_before   = id_i;
      assign idle_before = idle_i;
    end else begin : g_next
      assign id_before   = g_turn[turn-1].id_behind;
      assign idle_before = g_turn[turn-1].idle_behind;
    end

    opndcoll_turn #(
        .NumSchedPerCore(NumSchedPerCore),
        .OwnUnits(OwnUnits),
        .PassFullSubCore(PassFullSubCore),
        .NumUnits(NumUnits),
        .NumKinds(NumKinds),
        .IdWidth(IdWidth),
        .UidW(UidW)
    ) u_turn (
        .kind_i(kinds[turn*KindW+:KindW]),
        .id_i(id_before),
        .id_o(id_behind),
        .id_uid_i,
        .idle_i(idle_before),
        .idle_o(idle_behind),
        .valid_o(valid_o[turn]),
        .kind_o(kind_o[turn*KindW+:KindW]),
        .unit_o(unit_o[turn*UnitW+:UnitW]),
        .index_o(index_o[turn*IndexW+:IndexW])
    );
  end

  assign id_o   = g_turn[Turns-1].id_behind;
  assign idle_o = g_turn[Turns-1].idle_behind;

endmodule
