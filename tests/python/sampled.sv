// SPDX-License-Identifier: Apache-2.0

// A FIFO of the example's ports with inputs from registers, which change at the very edge that is
// sampled, and a register that has what an edge sees of them.
module sampled (
    input logic clock,
    input logic rst,
    input logic poison
);
  logic rst_ni = 1'b0, flush_i, push_valid_i, push_ready_o, pop_valid_o, pop_ready_i;
  logic [7:0] push_data_i, pop_data_o;
  logic [ 2:0] count_o;
  logic [31:0] dice = 32'h2545F491;
  logic [24:0] seen;
  logic [15:0] edges = 16'd0;

  fifo u_fifo (
      .clk_i(clock),
      .*
  );

  always_ff @(posedge clock) begin
    dice <= {dice[30:0], dice[31] ^ dice[21] ^ dice[1] ^ dice[0]};
    rst_ni <= !rst;
    flush_i <= dice[7:3] == 5'd0;
    push_valid_i <= poison ? 1'bx : dice[0] | dice[1];
    push_data_i <= dice[15:8];
    pop_ready_i <= dice[2];
    edges <= edges + 16'd1;
    seen <= {
      rst_ni, flush_i, push_valid_i, push_data_i, pop_ready_i, push_ready_o, pop_valid_o, pop_data_o,
      count_o
    };
  end
endmodule

module fifo (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       flush_i,
    input  logic       push_valid_i,
    output logic       push_ready_o,
    input  logic [7:0] push_data_i,
    output logic       pop_valid_o,
    input  logic       pop_ready_i,
    output logic [7:0] pop_data_o,
    output logic [2:0] count_o
);
  logic [7:0] mem[4];
  logic [1:0] rd_q, wr_q;

  assign push_ready_o = !count_o[2];
  assign pop_valid_o  = count_o != 3'd0;
  assign pop_data_o   = mem[rd_q];

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni || flush_i) begin
      rd_q <= 2'd0;
      wr_q <= 2'd0;
      count_o <= 3'd0;
    end else begin
      if (push_valid_i && push_ready_o) begin
        mem[wr_q] <= push_data_i;
        wr_q <= wr_q + 2'd1;
      end
      if (pop_valid_o && pop_ready_i) rd_q <= rd_q + 2'd1;
      count_o <= count_o + {2'd0, push_valid_i && push_ready_o}
          - {2'd0, pop_valid_o && pop_ready_i};
    end
  end
endmodule
