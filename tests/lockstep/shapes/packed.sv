// SPDX-License-Identifier: Apache-2.0
// Packed ports: several dimensions, ascending ranges, lower bounds that are not 0, signed ones, and
// places that are several elements. packed.toml says which port of the block is where.
module shape_packed (
    input  logic                     clk,
    input  logic                     rst,
    input  logic        [ 5:2]       flags,
    output logic        [ 0:2]       oflags,
    input  logic        [ 9:2]       pb,
    output logic        [ 0:7]       pob,
    input  logic        [ 0:2][ 4:0] pe,
    output logic        [ 4:2][ 0:4] poe,
    input  logic        [ 1:0][ 2:0][6:0] pg,
    output logic        [ 0:1][ 5:3][7:1] pog,
    input  logic        [ 1:0][ 0:3][7:0] pw,
    output logic        [0:63]       pow,
    input  logic        [ 2:0][44:0] pd,
    output logic        [134:0]      pod,
    input  logic signed [ 1:0][ 0:2] pt,
    output logic        [ 2:0][ 0:0] pot,
    input  int                       pi,
    output logic signed [31:0]       poi,
    input  logic        [ 7:0][ 1:0] px,
    output logic        [ 5:0][ 2:0] pr,
    input  logic        [ 0:5]       pk,
    input  logic        [ 1:0][ 1:0][10:0] pz,
    output logic        [ 1:0][10:0] pqz,
    input  logic        [ 2:0][ 2:0] py,
    output logic        [12:0]       pq
);

  shapes_core core (
      .clk(clk), .rst(rst), .valid(flags[5]), .s(flags[3]), .b(pb),
      .e_0(pe[0]), .e_1(pe[1]), .e_2(pe[2]),
      .g_0_h_0(pg[0][0]), .g_0_h_1(pg[0][1]), .g_0_h_2(pg[0][2]),
      .g_1_h_0(pg[1][0]), .g_1_h_1(pg[1][1]), .g_1_h_2(pg[1][2]),
      .w(pw), .d_0(pd[0]), .d_1(pd[1]), .d_2(pd[2]), .t(pt[1]), .i(pi),
      .bus_k({px[7], px[6], px[5]}), .bus_p_x({px[1], px[0]}), .bus_p_y(py),
      .lane_0_k({px[4], px[3], px[2]}), .lane_1_k(pk),
      .lane_0_p_z(pz[0][1]), .lane_1_p_z(pz[1][1]),
      .ovalid(oflags[2]), .os(oflags[0]), .ob(pob), .oe_0(poe[2]), .oe_1(poe[3]), .oe_2(poe[4]),
      .og_0_oh_0(pog[0][3]), .og_0_oh_1(pog[0][4]), .og_0_oh_2(pog[0][5]),
      .og_1_oh_0(pog[1][3]), .og_1_oh_1(pog[1][4]), .og_1_oh_2(pog[1][5]),
      .ow(pow), .od_0(pod[44:0]), .od_1(pod[89:45]), .od_2(pod[134:90]), .ot(pot), .oi(poi),
      .bus_r({pr[5], pr[4]}), .bus_q_x(pq[12:9]), .bus_q_y(pq[8:0]),
      .lane_0_r({pr[3], pr[2]}), .lane_1_r({pr[1], pr[0]}),
      .lane_0_q_z(pqz[0]), .lane_1_q_z(pqz[1])
  );

  assign oflags[1] = pz[0][0][0];

endmodule

module bench;
  `include "bench.svh"

  logic [5:2] flags;
  logic [0:2] oflags;
  logic [9:2] pb;
  logic [0:7] pob;
  logic [0:2][4:0] pe;
  logic [4:2][0:4] poe;
  logic [1:0][2:0][6:0] pg;
  logic [0:1][5:3][7:1] pog;
  logic [1:0][0:3][7:0] pw;
  logic [0:63] pow;
  logic [2:0][44:0] pd;
  logic [134:0] pod;
  logic signed [1:0][0:2] pt;
  logic [2:0][0:0] pot;
  int pi;
  logic signed [31:0] poi;
  logic [7:0][1:0] px;
  logic [5:0][2:0] pr;
  logic [0:5] pk;
  logic [1:0][1:0][10:0] pz;
  logic [1:0][10:0] pqz;
  logic [2:0][2:0] py;
  logic [12:0] pq;

  shape_packed dut (.*);

  always @(negedge clk) begin
    flags <= any(0);
    pb <= any(0);
    pe <= any(0);
    pg <= any(0);
    pw <= any(0);
    pd <= any(0);
    pt <= any(0);
    pi <= any(0);
    px <= any(0);
    pk <= any(0);
    pz <= any(0);
    py <= any(0);
  end
endmodule
