// SPDX-License-Identifier: Apache-2.0

// Vortex's pipe buffer (vortex-issue §4.1): a stage that loads whenever it is ready, also without
// valid and in reset. The top bits of the data may be reset like valid.
module vx_pipe_buffer #(
    parameter logic [31:0] DataW  = 8,
    parameter logic [31:0] ResetW = 0
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

  logic valid_q;
  logic [DataW-1:0] data_q;

  assign ready_o = ready_i || !valid_q;

  always_ff @(posedge clk_i) begin
    if (ready_o) begin
      data_q <= data_i;
    end
    if (rst_i) begin
      valid_q <= 1'b0;
      for (int unsigned i = DataW - ResetW; i < DataW; i++) begin
        data_q[i] <= 1'b0;
      end
    end else if (ready_o) begin
      valid_q <= valid_i;
    end
  end

  assign valid_o = valid_q;
  assign data_o  = data_q;

endmodule
