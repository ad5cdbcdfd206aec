// SPDX-License-Identifier: Apache-2.0

// A bank of Vortex's register file (vortex-issue §4.8): a write mask per lane; a read returns the word
// before a write of the same edge and is held. In simulation reset may clear it; nothing is written
// then. The read register has no reset.
module vx_gpr_bank #(
    parameter logic [31:0] Rows = 64,
    parameter logic [31:0] Lanes = 4,
    parameter logic [31:0] LaneBits = 32,
    parameter logic [31:0] ResetClears = 1,
    localparam logic [31:0] AddrW = (Rows > 1) ? $clog2(Rows) : 1,
    localparam logic [31:0] RowBits = Lanes * LaneBits
) (
    input logic clk_i,
    input logic rst_i,

    input  logic               read_i,
    input  logic [  AddrW-1:0] read_addr_i,
    output logic [RowBits-1:0] read_data_o,

    input logic               write_i,
    input logic [  AddrW-1:0] write_addr_i,
    input logic [  Lanes-1:0] write_mask_i,
    input logic [RowBits-1:0] write_data_i
);

  logic [RowBits-1:0] mem[Rows];
  logic [RowBits-1:0] read_data_q, word;
  logic clears;

  // Instead of a loop over all rows: a lane that was not written since reset is 0.
  if (ResetClears != 0) begin : g_clears
    logic [Rows*Lanes-1:0] written_q;
    logic [Lanes-1:0] written;

    assign clears  = rst_i;
    assign written = written_q[32'(read_addr_i)*Lanes+:Lanes];

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        written_q <= '0;
      end else if (write_i) begin
        written_q[32'(write_addr_i)*Lanes+:Lanes] <=
            written_q[32'(write_addr_i)*Lanes+:Lanes] | write_mask_i;
      end
    end

    for (genvar lane = 0; lane < Lanes; lane++) begin : g_lane
      assign word[lane*LaneBits+:LaneBits] =
          written[lane] ? mem[read_addr_i][lane*LaneBits+:LaneBits] : '0;
    end
  end else begin : g_keeps
    logic unused_rst;
    assign unused_rst = rst_i;
    assign clears = 1'b0;
    assign word = mem[read_addr_i];
  end

  always_ff @(posedge clk_i) begin
    if (read_i) begin
      read_data_q <= word;
    end
  end

  always_ff @(posedge clk_i) begin
    if (write_i && !clears) begin
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        if (write_mask_i[lane]) begin
          mem[write_addr_i][lane*LaneBits+:LaneBits] <= write_data_i[lane*LaneBits+:LaneBits];
        end
      end
    end
  end

  assign read_data_o = read_data_q;

endmodule
