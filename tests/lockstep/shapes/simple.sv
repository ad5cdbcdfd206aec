// SPDX-License-Identifier: Apache-2.0
// What Icarus 11 reads of types: unpacked arrays, and packed structs outside of a package.
typedef struct packed {
  logic valid;
  logic s;
  logic [7:0] b;
  logic [1:0][5:0] k;
  logic [2:0] t;
} simple_head_t;

typedef struct packed {
  logic [2:0] t;
  logic [11:0] r;
  logic [7:0] b;
  logic s;
  logic valid;
} simple_ohead_t;

module shape_simple (
    input  logic              clk,
    input  logic              rst,
    input  simple_head_t      head,
    output simple_ohead_t     ohead,
    input  logic [4:0]        ue [0:2],
    output logic [2:0][4:0]   uoe,
    input  logic [2:0][6:0]   ug [3:2],
    output logic [41:0]       uog,
    input  logic [63:0]       uw [2:1],
    output logic [63:0]       uow,
    input  logic [44:0]       ud [2:0],
    output logic [2:0][44:0]  uod,
    input  int                ui,
    output logic [31:0]       uoi,
    input  logic [18:0]       pair,
    output logic [18:0]       opair,
    input  logic [10:0]       uz [0:1],
    output logic [1:0][10:0]  uoz
);

  shapes_core core (
      .clk(clk), .rst(rst), .valid(head.valid), .s(head.s), .b(head.b),
      .e_0(ue[0]), .e_1(ue[1]), .e_2(ue[2]),
      .g_0_h_0(ug[2][0]), .g_0_h_1(ug[2][1]), .g_0_h_2(ug[2][2]),
      .g_1_h_0(ug[3][0]), .g_1_h_1(ug[3][1]), .g_1_h_2(ug[3][2]),
      .w(uw[1]), .d_0(ud[0]), .d_1(ud[1]), .d_2(ud[2]), .t(head.t), .i(ui),
      .bus_k(pair[18:13]), .bus_p_x(pair[12:9]), .bus_p_y(pair[8:0]),
      .lane_0_k(head.k[0]), .lane_1_k(head.k[1]), .lane_0_p_z(uz[0]), .lane_1_p_z(uz[1]),
      .ovalid(valid), .os(single), .ob(b),
      .oe_0(uoe[0]), .oe_1(uoe[1]), .oe_2(uoe[2]),
      .og_0_oh_0(uog[6:0]), .og_0_oh_1(uog[13:7]), .og_0_oh_2(uog[20:14]),
      .og_1_oh_0(uog[27:21]), .og_1_oh_1(uog[34:28]), .og_1_oh_2(uog[41:35]),
      .ow(uow), .od_0(uod[0]), .od_1(uod[1]), .od_2(uod[2]), .ot(t), .oi(uoi),
      .bus_r(opair[18:13]), .bus_q_x(opair[12:9]), .bus_q_y(opair[8:0]),
      .lane_0_r(r[5:0]), .lane_1_r(r[11:6]), .lane_0_q_z(uoz[0]), .lane_1_q_z(uoz[1])
  );

  wire valid, single;
  wire [2:0] t;
  wire [7:0] b;
  wire [11:0] r;

  assign ohead = {t, r, b, single, valid};

endmodule

module bench;
  `include "bench.svh"

  simple_head_t head;
  simple_ohead_t ohead;
  logic [4:0] ue[0:2];
  logic [2:0][4:0] uoe;
  logic [2:0][6:0] ug[3:2];
  logic [41:0] uog;
  logic [63:0] uw[2:1];
  logic [63:0] uow;
  logic [44:0] ud[2:0];
  logic [2:0][44:0] uod;
  int ui;
  logic [31:0] uoi;
  logic [18:0] pair, opair;
  logic [10:0] uz[0:1];
  logic [1:0][10:0] uoz;

  shape_simple dut (.*);

  always @(negedge clk) begin
    head <= any(0);
    ue[0] <= any(0);
    ue[1] <= any(0);
    ue[2] <= any(0);
    ug[2] <= any(0);
    ug[3] <= any(0);
    uw[1] <= any(0);
    uw[2] <= any(0);
    ud[0] <= any(0);
    ud[1] <= any(0);
    ud[2] <= any(0);
    ui <= any(0);
    pair <= any(0);
    uz[0] <= any(0);
    uz[1] <= any(0);
  end
endmodule
