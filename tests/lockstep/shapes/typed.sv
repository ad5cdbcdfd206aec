// SPDX-License-Identifier: Apache-2.0
// Structs, arrays of structs, unions and enumerations, and a port whose name is a keyword.
package typed_pkg;
  typedef enum logic [2:0] {IDLE, BUSY, DONE} kind_t;
  typedef enum logic [0:2] {NONE, SOME, MOST} answer_t;
  typedef enum logic {NO, YES} flag_t;
  typedef struct packed {
    flag_t valid;
    logic s;
    logic [1:0][3:0] b;
    kind_t t;
  } head_t;
  typedef struct packed {
    answer_t t;
    logic [7:0] b;
    flag_t valid;
    logic s;
  } ohead_t;
  typedef struct packed {
    logic [2:0][6:0] h;
    logic [0:5] k;
    struct packed {logic [10:0] z;} p;
  } row_t;
  typedef union packed {
    logic [63:0] raw;
    struct packed {
      logic [31:0] high;
      logic [3:0][7:0] low;
    } parts;
  } word_t;
  typedef struct {
    logic [5:0] r;
    logic [10:0] z;
    logic [2:0][6:0] h;
  } orow_t;
endpackage

module shape_typed (
    input  logic                             clk,
    input  logic                             rst,
    input  typed_pkg::head_t                 head,
    output typed_pkg::ohead_t                ohead,
    input  typed_pkg::row_t  [1:0]           rows,
    output typed_pkg::orow_t                 orows [1:0],
    input  typed_pkg::word_t                 word,
    output typed_pkg::word_t                 oword,
    input  logic [2:0][4:0]                  te,
    output logic [4:0]                       toe   [2:0],
    input  logic [44:0]                      td    [0:2],
    output logic [2:0][44:0]                 tod   [0:0],
    input  logic signed [31:0]               \int ,
    output integer                           oint,
    input  struct packed {logic [5:0] k; logic [8:0] y; logic [3:0] x;} pair,
    output struct packed {logic [3:0] x; logic [8:0] y; logic [5:0] r;} opair,
    input  typed_pkg::kind_t                 spare,
    output typed_pkg::flag_t                 ospare
);

  shapes_core core (
      .clk, .rst, .valid(head.valid), .s(head.s), .b(head.b), .e_0(te[0]), .e_1(te[1]), .e_2(te[2]),
      .g_0_h_0(rows[0].h[0]), .g_0_h_1(rows[0].h[1]), .g_0_h_2(rows[0].h[2]),
      .g_1_h_0(rows[1].h[0]), .g_1_h_1(rows[1].h[1]), .g_1_h_2(rows[1].h[2]),
      .w(word.raw), .d_0(td[0]), .d_1(td[1]), .d_2(td[2]), .t(head.t), .i(\int ),
      .bus_k(pair.k), .bus_p_x(pair.x), .bus_p_y(pair.y),
      .lane_0_k(rows[0].k), .lane_1_k(rows[1].k),
      .lane_0_p_z(rows[0].p.z), .lane_1_p_z(rows[1].p.z),
      .ovalid(valid), .os(ohead.s), .ob(ohead.b),
      .oe_0(toe[0]), .oe_1(toe[1]), .oe_2(toe[2]),
      .og_0_oh_0(h[0][0]), .og_0_oh_1(h[0][1]), .og_0_oh_2(h[0][2]),
      .og_1_oh_0(h[1][0]), .og_1_oh_1(h[1][1]), .og_1_oh_2(h[1][2]),
      .ow(oword.raw), .od_0(tod[0][0]), .od_1(tod[0][1]), .od_2(tod[0][2]), .ot(answer), .oi(oint),
      .bus_r(opair.r), .bus_q_x(opair.x), .bus_q_y(opair.y),
      .lane_0_r(orows[0].r), .lane_1_r(orows[1].r),
      .lane_0_q_z(orows[0].z), .lane_1_q_z(orows[1].z)
  );

  logic valid;
  logic [2:0] answer;
  logic [1:0][2:0][6:0] h;

  assign orows[0].h = h[0];
  assign orows[1].h = h[1];
  assign ohead.valid = typed_pkg::flag_t'(valid);
  assign ohead.t = typed_pkg::answer_t'(answer);
  assign ospare = typed_pkg::flag_t'(spare == typed_pkg::BUSY);

endmodule

module bench;
  `include "bench.svh"

  typed_pkg::head_t head;
  typed_pkg::ohead_t ohead;
  typed_pkg::row_t [1:0] rows;
  typed_pkg::orow_t orows[1:0];
  typed_pkg::word_t word, oword;
  logic [2:0][4:0] te;
  logic [4:0] toe[2:0];
  logic [44:0] td[0:2];
  logic [2:0][44:0] tod[0:0];
  logic signed [31:0] i;
  integer oint;
  logic [18:0] pair, opair;
  typed_pkg::flag_t ospare;

  shape_typed dut (
      .*,
      .\int (i),
      .spare(typed_pkg::DONE)
  );

  always @(negedge clk) begin
    head <= any(0);
    rows <= any(0);
    word <= any(0);
    te <= any(0);
    td[0] <= any(0);
    td[1] <= any(0);
    td[2] <= any(0);
    i <= any(0);
    pair <= any(0);
  end
endmodule
