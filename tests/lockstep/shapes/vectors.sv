// SPDX-License-Identifier: Apache-2.0
// No port map: vectors of all elements of a field, and interfaces that the table names. Elements of
// a vector are not those of its packed dimensions everywhere.
package vectors_pkg;
  typedef struct packed {
    logic [3:0] x;
    logic [8:0] y;
  } pair_t;
  typedef struct packed {logic [1:11] z;} lane_t;
endpackage

interface pair_bus;
  logic [5:0] k, r;
  vectors_pkg::pair_t p, q;
  modport core(input k, p, output r, q);
endinterface

interface lane_bus;
  logic [2:0][1:0] k;
  logic [5:0] r;
  vectors_pkg::lane_t p, q;
  modport core(input k, p, output r, q);
endinterface

module shape_vectors (
    input  logic                  clk,
    input  logic                  rst,
    input  logic                  valid,
    input  logic                  s,
    input  logic [ 3:0][1:0]      b,
    input  logic [ 2:0][4:0]      e,
    input  logic [ 1:0][2:0][6:0] g_h,
    input  logic [63:0]           w,
    input  logic [ 8:0][14:0]     d,
    input  logic [ 2:0]           t,
    input  logic [31:0]           i,
    pair_bus.core                 bus_if,
    lane_bus.core                 lane_if [2],
    output logic                  ovalid,
    output logic                  os,
    output logic [ 7:0]           ob,
    output logic [ 4:0][2:0]      oe,
    output logic [41:0]           og_oh,
    output logic [ 1:0][31:0]     ow,
    output logic [ 2:0][44:0]     od,
    output logic [ 2:0]           ot,
    output logic [31:0]           oi
);

  shapes_core core (
      .clk, .rst, .valid, .s, .b, .e_0(e[0]), .e_1(e[1]), .e_2(e[2]),
      .g_0_h_0(g_h[0][0]), .g_0_h_1(g_h[0][1]), .g_0_h_2(g_h[0][2]),
      .g_1_h_0(g_h[1][0]), .g_1_h_1(g_h[1][1]), .g_1_h_2(g_h[1][2]),
      .w, .d_0({d[2], d[1], d[0]}), .d_1({d[5], d[4], d[3]}), .d_2({d[8], d[7], d[6]}), .t, .i,
      .bus_k(bus_if.k), .bus_p_x(bus_if.p.x), .bus_p_y(bus_if.p.y),
      .lane_0_k(lane_if[0].k), .lane_1_k(lane_if[1].k),
      .lane_0_p_z(lane_if[0].p.z), .lane_1_p_z(lane_if[1].p.z),
      .ovalid, .os, .ob,
      .oe_0({oe[1][1:0], oe[0]}), .oe_1({oe[3][0], oe[2], oe[1][2]}), .oe_2({oe[4], oe[3][2:1]}),
      .og_0_oh_0(og_oh[6:0]), .og_0_oh_1(og_oh[13:7]), .og_0_oh_2(og_oh[20:14]),
      .og_1_oh_0(og_oh[27:21]), .og_1_oh_1(og_oh[34:28]), .og_1_oh_2(og_oh[41:35]),
      .ow, .od_0(od[0]), .od_1(od[1]), .od_2(od[2]), .ot, .oi,
      .bus_r(bus_if.r), .bus_q_x(bus_if.q.x), .bus_q_y(bus_if.q.y),
      .lane_0_r(lane_if[0].r), .lane_1_r(lane_if[1].r),
      .lane_0_q_z(lane_if[0].q.z), .lane_1_q_z(lane_if[1].q.z)
  );

endmodule

module bench;
  `include "bench.svh"

  logic valid, s, ovalid, os;
  logic [3:0][1:0] b;
  logic [2:0][4:0] e;
  logic [1:0][2:0][6:0] g_h;
  logic [63:0] w;
  logic [8:0][14:0] d;
  logic [2:0] t, ot;
  logic [31:0] i, oi;
  logic [7:0] ob;
  logic [4:0][2:0] oe;
  logic [41:0] og_oh;
  logic [1:0][31:0] ow;
  logic [2:0][44:0] od;
  pair_bus bus_if ();
  lane_bus lane_if[2] ();

  shape_vectors dut (.*);

  always @(negedge clk) begin
    valid <= any(0);
    s <= any(0);
    b <= any(0);
    e <= any(0);
    g_h <= any(0);
    w <= any(0);
    d <= any(0);
    t <= any(0);
    i <= any(0);
    bus_if.k <= any(0);
    bus_if.p <= any(0);
    lane_if[0].k <= any(0);
    lane_if[0].p <= any(0);
    lane_if[1].k <= any(0);
    lane_if[1].p <= any(0);
  end
endmodule
