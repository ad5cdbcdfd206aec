// SPDX-License-Identifier: Apache-2.0

// Vortex's stream buffer of two entries (vortex-issue §4.2), whose ready is a register. With OutReg
// an empty one shows what came in the cycle before, valid or not.
module vx_stream_buffer #(
    parameter logic [31:0] DataW  = 8,
    parameter logic [31:0] OutReg = 1
) (
    input logic clk_i,
    input logic rst_i,

    output logic             ready_o,
    input  logic             valid_i,
    input  logic [DataW-1:0] data_i,

    input  logic             ready_i,
    output logic             valid_o,
    output logic [DataW-1:0] data_o
);

  logic ready_q, valid_q;
  logic [DataW-1:0] data_q, spare_q;
  logic fire, flow;

  assign fire = valid_i && ready_q;
  assign flow = ready_i || !valid_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ready_q <= 1'b1;
      valid_q <= 1'b0;
    end else begin
      if (valid_i || flow) begin
        ready_q <= flow;
      end
      if (flow) begin
        valid_q <= valid_i || !ready_q;
      end
    end
  end

  if (OutReg != 0) begin : g_registered
    always_ff @(posedge clk_i) begin
      if (flow) begin
        data_q <= ready_q ? data_i : spare_q;
      end
      if (fire) begin
        spare_q <= data_i;
      end
    end
    assign data_o = data_q;
  end else begin : g_selected
    always_ff @(posedge clk_i) begin
      if (fire) begin
        spare_q <= data_q;
        data_q  <= data_i;
      end
    end
    assign data_o = ready_q ? data_q : spare_q;
  end

  assign ready_o = ready_q;
  assign valid_o = valid_q;

endmodule
