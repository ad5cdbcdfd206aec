// SPDX-License-Identifier: Apache-2.0
// A simulation of a user's own around mapped_collector.sv: random legal work, and now and then an
// asynchronous reset in the midst of a cycle.
module bench;
  logic clk = 0, rst_n = 0;
  logic rd_valid, rd_ready, resp_valid, wr_valid, wr_en, wr_ready, wr_done, want, got_valid, busy;
  logic [2:0] rd_en, resp_en, get_en, got_en;
  logic [2:0][3:0] rd_preg;
  logic [0:0] resp_entry, get_entry;
  logic [3:0] wr_preg;
  logic [1:0] wr_mask;
  logic [1:0][31:0] wr_data;
  logic [2:0][1:0][31:0] got_data;

  opc u_opc (
      .*,
      .scan_en(1'b0),
      .dbg_busy(busy),
      .get_valid(want && got_valid)
  );

  always #5 clk = !clk;

  always @(negedge clk) begin
    {rd_valid, wr_valid, wr_en, want, get_entry} <= $urandom;
    {rd_en, rd_preg, get_en} <= $urandom;
    {wr_preg, wr_mask} <= $urandom;
    wr_data <= {$urandom, $urandom};
  end

  initial begin
    #18 rst_n = 1;
    repeat (40) begin
      #(10 * ($urandom % 50) + 702) rst_n = 0;
      #(10 * ($urandom % 3) + 10) rst_n = 1;
      #8;
    end
    $finish;
  end
endmodule
