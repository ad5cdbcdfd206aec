// SPDX-License-Identifier: Apache-2.0
// First in, first out, with a flush: what is pushed in the cycle of a flush is dropped too.
module fifo #(
    parameter int Width = 8,
    parameter int Depth = 4
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       flush_i,
    input  logic                       push_valid_i,
    output logic                       push_ready_o,
    input  logic [          Width-1:0] push_data_i,
    output logic                       pop_valid_o,
    input  logic                       pop_ready_i,
    output logic [          Width-1:0] pop_data_o,
    output logic [$clog2(Depth+1)-1:0] count_o
);
  localparam int PtrW = Depth > 1 ? $clog2(Depth) : 1;
  localparam int CountW = $clog2(Depth + 1);

  logic [Width-1:0] mem[Depth];
  logic [PtrW-1:0] rd_q, wr_q;
  logic [CountW-1:0] count_q;
  logic push, pop;

  assign push_ready_o = count_q != CountW'(Depth);
  assign pop_valid_o = count_q != '0;
  assign pop_data_o = mem[rd_q];
  assign count_o = count_q;
  assign push = push_valid_i && push_ready_o;
  assign pop = pop_valid_o && pop_ready_i;

  function automatic logic [PtrW-1:0] next(input logic [PtrW-1:0] ptr);
    next = ptr == PtrW'(Depth - 1) ? '0 : ptr + 1'b1;
  endfunction

  always_ff @(posedge clk_i) begin
    if (push) mem[wr_q] <= push_data_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rd_q <= '0;
      wr_q <= '0;
      count_q <= '0;
    end else if (flush_i) begin
      rd_q <= '0;
      wr_q <= '0;
      count_q <= '0;
    end else begin
      if (push) wr_q <= next(wr_q);
      if (pop) rd_q <= next(rd_q);
      count_q <= count_q + CountW'(push) - CountW'(pop);
    end
  end
endmodule
