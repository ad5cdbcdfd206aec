// SPDX-License-Identifier: Apache-2.0

// Register file, one read a bank and clock. A read sees the contents before this clock's writes; no
// reset reaches them.
module opndcoll_regfile #(
    parameter logic [31:0] NumReads  = 16,
    parameter logic [31:0] NumWrites = 4,
    parameter logic [31:0] AddressW  = 14,
    parameter logic [31:0] DataBits  = 32
) (
    input logic clk_i,

    input  logic [NumReads*AddressW-1:0] read_address_i,
    output logic [NumReads*DataBits-1:0] read_data_o,

    input logic [         NumWrites-1:0] write_i,
    input logic [NumWrites*AddressW-1:0] write_address_i,
    input logic [NumWrites*DataBits-1:0] write_data_i
);

  logic [DataBits-1:0] registers_q[2**AddressW];

  for (genvar port = 0; port < NumReads; port++) begin : g_read
    assign read_data_o[port*DataBits+:DataBits] =
        registers_q[read_address_i[port*AddressW+:AddressW]];
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned port = 0; port < NumWrites; port++) begin
      if (write_i[port]) begin
        registers_q[write_address_i[port*AddressW+:AddressW]] <=
            write_data_i[port*DataBits+:DataBits];
      end
    end
  end

endmodule
