// SPDX-License-Identifier: Apache-2.0

// Vortex's elastic buffer by its OUT_BUF code (vortex-issue §4.4): 0 wires, 1 a pipe stage, 2 and 3
// two entries without and with output register, 4 and 5 those of code 2 with one and two pipe
// stages behind.
module vx_elastic_buffer #(
    parameter logic [31:0] DataW  = 8,
    parameter logic [31:0] OutBuf = 3
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

  localparam logic [31:0] Stages = (OutBuf == 1) ? 1 : (OutBuf > 3) ? OutBuf - 3 : 0;

  // Between the stages, the last one at the output
  logic [Stages:0] ready, valid;
  logic [DataW-1:0] data[Stages+1];

  if (OutBuf < 2) begin : g_no_entries
    assign ready_o  = ready[0];
    assign valid[0] = valid_i;
    assign data[0]  = data_i;
  end else begin : g_entries
    vx_stream_buffer #(
        .DataW (DataW),
        .OutReg((OutBuf == 3) ? 1 : 0)
    ) u_stream_buffer (
        .clk_i,
        .rst_i,
        .ready_o,
        .valid_i,
        .data_i,
        .ready_i(ready[0]),
        .valid_o(valid[0]),
        .data_o (data[0])
    );
  end

  for (genvar stage = 0; stage < Stages; stage++) begin : g_stage
    vx_pipe_buffer #(
        .DataW(DataW)
    ) u_pipe_buffer (
        .clk_i,
        .rst_i,
        .ready_o(ready[stage]),
        .valid_i(valid[stage]),
        .data_i (data[stage]),
        .ready_i(ready[stage+1]),
        .valid_o(valid[stage+1]),
        .data_o (data[stage+1])
    );
  end

  assign ready[Stages] = ready_i;
  assign valid_o = valid[Stages];
  assign data_o = data[Stages];

  if (OutBuf == 0) begin : g_wires
    logic unused_wires;
    assign unused_wires = ^{clk_i, rst_i};
  end

endmodule
