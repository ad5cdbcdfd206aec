// SPDX-License-Identifier: Apache-2.0
// The block with the table's own ports. The modules of ports.sv have other shapes around it.
module shapes (
    input  logic        clk,
    input  logic        rst,
    input  logic        valid,
    input  logic        s,
    input  logic [ 7:0] b,
    input  logic [ 4:0] e_0,
    input  logic [ 4:0] e_1,
    input  logic [ 4:0] e_2,
    input  logic [ 6:0] g_0_h_0,
    input  logic [ 6:0] g_0_h_1,
    input  logic [ 6:0] g_0_h_2,
    input  logic [ 6:0] g_1_h_0,
    input  logic [ 6:0] g_1_h_1,
    input  logic [ 6:0] g_1_h_2,
    input  logic [63:0] w,
    input  logic [44:0] d_0,
    input  logic [44:0] d_1,
    input  logic [44:0] d_2,
    input  logic [ 2:0] t,
    input  logic [31:0] i,
    input  logic [ 5:0] bus_k,
    input  logic [ 3:0] bus_p_x,
    input  logic [ 8:0] bus_p_y,
    input  logic [ 5:0] lane_0_k,
    input  logic [ 5:0] lane_1_k,
    input  logic [10:0] lane_0_p_z,
    input  logic [10:0] lane_1_p_z,
    output logic        ovalid,
    output logic        os,
    output logic [ 7:0] ob,
    output logic [ 4:0] oe_0,
    output logic [ 4:0] oe_1,
    output logic [ 4:0] oe_2,
    output logic [ 6:0] og_0_oh_0,
    output logic [ 6:0] og_0_oh_1,
    output logic [ 6:0] og_0_oh_2,
    output logic [ 6:0] og_1_oh_0,
    output logic [ 6:0] og_1_oh_1,
    output logic [ 6:0] og_1_oh_2,
    output logic [63:0] ow,
    output logic [44:0] od_0,
    output logic [44:0] od_1,
    output logic [44:0] od_2,
    output logic [ 2:0] ot,
    output logic [31:0] oi,
    output logic [ 5:0] bus_r,
    output logic [ 3:0] bus_q_x,
    output logic [ 8:0] bus_q_y,
    output logic [ 5:0] lane_0_r,
    output logic [ 5:0] lane_1_r,
    output logic [10:0] lane_0_q_z,
    output logic [10:0] lane_1_q_z
);

  localparam int Bits = 354;

  // Registers, the first input in the high bits.
  logic [Bits-1:0] last_q;
  logic [0:0] s_q;
  logic [7:0] b_q;
  logic [4:0] e0_q, e1_q, e2_q;
  logic [6:0] g00_q, g01_q, g02_q, g10_q, g11_q, g12_q;
  logic [63:0] w_q;
  logic [44:0] d0_q, d1_q, d2_q;
  logic [ 2:0] t_q;
  logic [31:0] i_q;
  logic [5:0] k_q, k0_q, k1_q;
  logic [3:0] x_q;
  logic [8:0] y_q;
  logic [10:0] z0_q, z1_q;

  always_ff @(posedge clk) begin
    if (rst) begin
      last_q <= '0;
    end else begin
      last_q <= {
        valid, s, b, e_0, e_1, e_2, g_0_h_0, g_0_h_1, g_0_h_2, g_1_h_0, g_1_h_1, g_1_h_2, w,
        d_0, d_1, d_2, t, i, bus_k, bus_p_x, bus_p_y, lane_0_k, lane_1_k, lane_0_p_z, lane_1_p_z
      };
    end
  end

  assign {ovalid, s_q, b_q, e0_q, e1_q, e2_q, g00_q, g01_q, g02_q, g10_q, g11_q, g12_q, w_q,
          d0_q, d1_q, d2_q, t_q, i_q, k_q, x_q, y_q, k0_q, k1_q, z0_q, z1_q} = last_q;

  assign os = !s_q;
  assign ob = b_q + 8'd1;
  assign ow = w_q + 64'd2;
  assign ot = t_q + 3'd3;
  assign oi = i_q + 32'd4;
  assign bus_r = k_q + 6'd5;
  assign bus_q_x = x_q + 4'd6;
  assign bus_q_y = y_q + 9'd7;
  assign oe_0 = e0_q + 5'd8;
  assign oe_1 = e1_q + 5'd9;
  assign oe_2 = e2_q + 5'd10;
  assign od_0 = d0_q + 45'd11;
  assign od_1 = d1_q + 45'd12;
  assign od_2 = d2_q + 45'd13;
  assign og_0_oh_0 = g00_q + 7'd14;
  assign og_0_oh_1 = g01_q + 7'd15;
  assign og_0_oh_2 = g02_q + 7'd16;
  assign og_1_oh_0 = g10_q + 7'd17;
  assign og_1_oh_1 = g11_q + 7'd18;
  assign og_1_oh_2 = g12_q + 7'd19;
  assign lane_0_r = k0_q + 6'd20;
  assign lane_1_r = k1_q + 6'd21;
  assign lane_0_q_z = z0_q + 11'd22;
  assign lane_1_q_z = z1_q + 11'd23;

endmodule
