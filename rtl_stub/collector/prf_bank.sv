// SPDX-License-Identifier: Apache-2.0

// One bank of one copy of the physical register file: an SRAM with one read and one write port and
// a write mask per lane. The read address is registered and the array is read after it, so a read
// and a write of one row in one cycle return the new value (muon-issue §2). No reset reaches it and
// nothing initialises it: a word is unknown until it is written.
module prf_bank #(
    parameter int unsigned Rows = 256,
    parameter int unsigned NumLanes = 16,
    parameter int unsigned LaneBits = 32,
    localparam int unsigned AddrW = (Rows > 1) ? $clog2(Rows) : 1,
    localparam int unsigned RowBits = NumLanes * LaneBits
) (
    input logic clk_i,

    input  logic               read_en_i,
    input  logic [  AddrW-1:0] read_addr_i,
    output logic [RowBits-1:0] read_data_o,  // of the last enabled read, from the next cycle on

    input logic                write_en_i,
    input logic [   AddrW-1:0] write_addr_i,
    input logic [NumLanes-1:0] write_mask_i,
    input logic [ RowBits-1:0] write_data_i
);

  logic [RowBits-1:0] mem[Rows];
  logic [AddrW-1:0] read_addr_q;

  assign read_data_o = mem[read_addr_q];

  always_ff @(posedge clk_i) begin
    if (read_en_i) begin
      read_addr_q <= read_addr_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (write_en_i) begin
      for (int unsigned lane = 0; lane < NumLanes; lane++) begin
        if (write_mask_i[lane]) begin
          mem[write_addr_i][lane*LaneBits+:LaneBits] <= write_data_i[lane*LaneBits+:LaneBits];
        end
      end
    end
  end

endmodule
