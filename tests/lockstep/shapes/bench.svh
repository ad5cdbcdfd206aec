// SPDX-License-Identifier: Apache-2.0
// Clock, reset, and the length of a run. The bench drives its inputs at falling edges.
logic clk = 0, rst = 1;
int cycle = 0;

always #5 clk = !clk;

always @(negedge clk) begin
  cycle <= cycle + 1;
  rst <= cycle < 2 || cycle % 16 == 15;
  if (cycle == 60) $finish;
end

function automatic logic [159:0] any(input int unused);
  any = {$urandom, $urandom, $urandom, $urandom, $urandom};
endfunction
