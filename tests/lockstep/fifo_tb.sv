// SPDX-License-Identifier: Apache-2.0
// Random work for docs/examples/fifo.
module tb;
  logic clk_i = 0, rst_ni = 1, flush_i = 0, push_valid_i = 0, pop_ready_i = 0;
  logic [7:0] push_data_i = 0;
  wire push_ready_o, pop_valid_o;
  wire [7:0] pop_data_o;
  wire [2:0] count_o;
  fifo dut (.*);
  initial forever #5 clk_i = ~clk_i;
  initial begin
    #1 rst_ni = 0;
    #20 rst_ni = 1;
    repeat (500) begin
      @(negedge clk_i);
      push_valid_i = $urandom;
      pop_ready_i = $urandom;
      push_data_i = $urandom;
      flush_i = ($urandom % 16) == 0;
    end
    $finish;
  end
endmodule
