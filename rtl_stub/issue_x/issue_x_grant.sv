// SPDX-License-Identifier: Apache-2.0

// A row's part of the walk that grants reads (muon-designs §4.2): each operand that needs one gets it
// unless its resource, a bank of the register file or of the operand's copy of it, or its lane is
// used. What earlier rows use comes in, with this row's behind it goes out.
module issue_x_grant #(
    parameter logic [31:0] NumPregs = 256,
    parameter logic [31:0] Collector = 0,
    parameter logic [31:0] CollBanks = 3,
    parameter logic [31:0] RegBanks = 1,
    parameter logic [31:0] BankMap = 0,
    parameter logic [31:0] ReadBroadcast = 0,
    parameter logic [31:0] AllocRows = 1,
    localparam logic [31:0] NumOps = 3,
    localparam logic [31:0] PregW = $clog2(NumPregs),
    localparam logic [31:0] Resources = (Collector == 0) ? NumOps * RegBanks : RegBanks,
    localparam logic [31:0] CountW = $clog2(AllocRows + 1)
) (
    input logic [          NumOps-1:0] need_i,
    input logic [    NumOps*PregW-1:0] preg_i,
    input logic [NumOps*CollBanks-1:0] lanes_i,

    // A write that keeps its bank for itself (§5.3)
    input logic             merging_i,
    input logic [PregW-1:0] merging_rd_i,

    input  logic [      Resources-1:0] used_i,
    input  logic [Resources*PregW-1:0] used_preg_i,
    input  logic [      CollBanks-1:0] lane_used_i,
    input  logic [         CountW-1:0] rows_i,       // with a grant
    output logic [      Resources-1:0] used_o,
    output logic [Resources*PregW-1:0] used_preg_o,
    output logic [      CollBanks-1:0] lane_used_o,
    output logic [         CountW-1:0] rows_o,

    output logic [NumOps-1:0] grant_o,
    output logic [NumOps-1:0] first_o,        // it is granted, and the first to use its resource
    output logic [NumOps-1:0] bank_denied_o,
    output logic [NumOps-1:0] lane_denied_o
);

  // The bits of a register's number that choose its bank
  localparam logic [31:0] BankLsb = (BankMap == 0) ? $clog2(NumPregs / RegBanks) : 0;
  localparam logic [PregW-1:0] BankMask = PregW'((RegBanks - 1) << BankLsb);

  logic walking, clash;
  logic [PregW-1:0] preg, bank;
  logic [31:0] resource;

  always_comb begin
    used_o = used_i;
    used_preg_o = used_preg_i;
    lane_used_o = lane_used_i;
    grant_o = '0;
    first_o = '0;
    bank_denied_o = '0;
    lane_denied_o = '0;
    walking = (rows_i != CountW'(AllocRows));
    for (int unsigned op = 0; op < NumOps; op++) begin
      preg = preg_i[op*PregW+:PregW];
      bank = (preg & BankMask) >> BankLsb;
      resource = 32'(bank) + ((Collector == 0) ? op * RegBanks : 0);
      clash = used_o[resource] &&
          ((ReadBroadcast == 0) || (used_preg_o[resource*PregW+:PregW] != preg));
      if (merging_i && (((preg ^ merging_rd_i) & BankMask) == '0)) begin
        clash = 1'b1;
      end
      if (walking && need_i[op]) begin
        if ((preg != '0) && clash) begin
          bank_denied_o[op] = 1'b1;
        end else if ((lane_used_o & lanes_i[op*CollBanks+:CollBanks]) != '0) begin
          lane_denied_o[op] = 1'b1;
        end else begin
          grant_o[op] = 1'b1;
          lane_used_o |= lanes_i[op*CollBanks+:CollBanks];
          if (preg != '0) begin
            first_o[op] = !used_o[resource];
            used_o[resource] = 1'b1;
            used_preg_o[resource*PregW+:PregW] = preg;
          end
        end
      end
    end
    rows_o = rows_i + CountW'(grant_o != '0);
  end

endmodule
