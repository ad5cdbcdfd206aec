// SPDX-License-Identifier: Apache-2.0
// Unpacked arrays, and interfaces with names of their own: one alone, and an array whose lowest
// index is not 0.
package unpacked_pkg;
  typedef enum logic [1:3] {RED, GREEN, BLUE} colour_t;
  typedef struct packed {
    logic [8:0] y;
    logic [0:3] x;
  } pair_t;
  typedef struct {
    logic valid;
    logic s;
    logic [7:0] b;
  } head_t;
endpackage

interface side_bus;
  logic [5:0] k[0:0];
  logic [5:0] r;
  unpacked_pkg::pair_t p, q;
  unpacked_pkg::colour_t t, ot;
  logic spare;
  modport core(input k, p, t, spare, output r, q, ot);
endinterface

interface row_bus;
  logic [1:0][2:0] k;
  logic [1:0][2:0] r;
  logic [10:0] z;
  logic [11:1] oz;
  modport core(input k, z, output r, oz);
endinterface

module shape_unpacked (
    input  logic                clk,
    input  logic                rst,
    input  unpacked_pkg::head_t head,
    output unpacked_pkg::head_t ohead,
    input  logic [4:0]          ue [3:1],
    output logic [0:4]          uoe[0:2],
    input  logic [6:0]          ug [2][3],
    output logic [2:0][6:0]     uog[1:0],
    input  logic [1:0][31:0]    uw [2],
    output logic [63:0]         uow[5:4],
    input  logic [2:0][44:0]    ud [1],
    output logic [0:44]         uod[2:0],
    input  int                  ui,
    output logic [31:0]         uoi,
    side_bus.core               side,
    row_bus.core                row[3:2]
);

  wire [2:0] colour;

  shapes_core core (
      .clk, .rst, .valid(head.valid), .s(head.s), .b(head.b),
      .e_0(ue[1]), .e_1(ue[2]), .e_2(ue[3]),
      .g_0_h_0(ug[0][0]), .g_0_h_1(ug[0][1]), .g_0_h_2(ug[0][2]),
      .g_1_h_0(ug[1][0]), .g_1_h_1(ug[1][1]), .g_1_h_2(ug[1][2]),
      .w(uw[1]), .d_0(ud[0][0]), .d_1(ud[0][1]), .d_2(ud[0][2]), .t(side.t), .i(ui),
      .bus_k(side.k[0]), .bus_p_x(side.p.x), .bus_p_y(side.p.y),
      .lane_0_k(row[2].k), .lane_1_k(row[3].k), .lane_0_p_z(row[2].z), .lane_1_p_z(row[3].z),
      .ovalid(ohead.valid), .os(ohead.s), .ob(ohead.b),
      .oe_0(uoe[0]), .oe_1(uoe[1]), .oe_2(uoe[2]),
      .og_0_oh_0(uog[0][0]), .og_0_oh_1(uog[0][1]), .og_0_oh_2(uog[0][2]),
      .og_1_oh_0(uog[1][0]), .og_1_oh_1(uog[1][1]), .og_1_oh_2(uog[1][2]),
      .ow(uow[4]), .od_0(uod[0]), .od_1(uod[1]), .od_2(uod[2]), .ot(colour), .oi(uoi),
      .bus_r(side.r), .bus_q_x(side.q.x), .bus_q_y(side.q.y),
      .lane_0_r(row[2].r), .lane_1_r(row[3].r), .lane_0_q_z(row[2].oz), .lane_1_q_z(row[3].oz)
  );

  assign side.ot = unpacked_pkg::colour_t'(colour);
  assign uow[5] = {63'd0, side.spare};

endmodule

module bench;
  `include "bench.svh"

  unpacked_pkg::head_t head, ohead;
  logic [4:0] ue[3:1];
  logic [0:4] uoe[0:2];
  logic [6:0] ug[2][3];
  logic [2:0][6:0] uog[1:0];
  logic [1:0][31:0] uw[2];
  logic [63:0] uow[5:4];
  logic [2:0][44:0] ud[1];
  logic [0:44] uod[2:0];
  int ui;
  logic [31:0] uoi;
  side_bus side ();
  row_bus row[3:2] ();

  shape_unpacked dut (.*);

  always @(negedge clk) begin
    head.valid <= any(0);
    head.s <= any(0);
    head.b <= any(0);
    for (int n = 1; n < 4; n++) ue[n] <= any(0);
    for (int n = 0; n < 6; n++) ug[n/3][n%3] <= any(0);
    uw[0] <= any(0);
    uw[1] <= any(0);
    ud[0] <= any(0);
    ui <= any(0);
    side.k[0] <= any(0);
    side.p <= any(0);
    side.t <= unpacked_pkg::colour_t'(any(0));
    side.spare <= any(0);
    row[2].k <= any(0);
    row[2].z <= any(0);
    row[3].k <= any(0);
    row[3].z <= any(0);
  end
endmodule
