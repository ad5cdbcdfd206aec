// SPDX-License-Identifier: Apache-2.0

// One collector unit (gpgpusim-opndcoll §1, §6): an instruction and the operands it waits for. A unit
// that is emptied can be filled in the same clock.
module opndcoll_unit #(
    parameter logic [31:0] Unit = 0,
    parameter logic [31:0] NumRegBanks = 16,
    parameter logic [31:0] NumLanes = 8,  // instructions that the input ports may move in a clock
    parameter logic [31:0] SrcSlots = 4,
    parameter logic [31:0] Data = 0,
    parameter logic [31:0] DataBits = 32,
    parameter logic [31:0] UnitW = 3,
    parameter logic [31:0] KindW = 3,
    parameter logic [31:0] TagW = 40,
    localparam logic [31:0] SlotW = (SrcSlots > 1) ? $clog2(SrcSlots) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic [               NumLanes-1:0] alloc_valid_i,
    input logic [         NumLanes*UnitW-1:0] alloc_unit_i,
    input logic [         NumLanes*KindW-1:0] alloc_kind_i,
    input logic [          NumLanes*TagW-1:0] alloc_tag_i,
    input logic [      NumLanes*SrcSlots-1:0] alloc_sources_i,
    input logic [NumLanes*SrcSlots*SlotW-1:0] alloc_from_i,     // the read that serves a slot

    input logic [         NumRegBanks-1:0] grant_valid_i,
    input logic [   NumRegBanks*UnitW-1:0] grant_unit_i,
    input logic [   NumRegBanks*SlotW-1:0] grant_slot_i,
    input logic [NumRegBanks*DataBits-1:0] grant_data_i,

    input logic dispatch_i,

    output logic                         busy_o,
    output logic                         complete_o,  // and busy
    output logic [            KindW-1:0] kind_o,
    output logic [             TagW-1:0] tag_o,
    output logic [SrcSlots*DataBits-1:0] data_o
);

  logic busy_q;
  logic [SrcSlots-1:0] pending_q;
  logic [KindW-1:0] kind_q, kind_d;
  logic [TagW-1:0] tag_q, tag_d;

  logic fill;
  logic [SrcSlots-1:0] sources, granted;
  logic [SrcSlots*SlotW-1:0] from;

  // At most one lane fills the unit.
  always_comb begin
    fill = 1'b0;
    kind_d = kind_q;
    tag_d = tag_q;
    sources = '0;
    from = '0;
    for (int unsigned lane = 0; lane < NumLanes; lane++) begin
      if (alloc_valid_i[lane] && (alloc_unit_i[lane*UnitW+:UnitW] == UnitW'(Unit))) begin
        fill = 1'b1;
        kind_d = alloc_kind_i[lane*KindW+:KindW];
        tag_d = alloc_tag_i[lane*TagW+:TagW];
        sources = alloc_sources_i[lane*SrcSlots+:SrcSlots];
        from = alloc_from_i[lane*SrcSlots*SlotW+:SrcSlots*SlotW];
      end
    end
  end

  always_comb begin
    granted = '0;
    for (int unsigned bank = 0; bank < NumRegBanks; bank++) begin
      if (grant_valid_i[bank] && (grant_unit_i[bank*UnitW+:UnitW] == UnitW'(Unit))) begin
        granted[grant_slot_i[bank*SlotW+:SlotW]] = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q <= 1'b0;
      pending_q <= '0;
    end else begin
      busy_q <= fill || (busy_q && !dispatch_i);
      pending_q <= fill ? sources : pending_q & ~granted;
    end
    kind_q <= kind_d;
    tag_q  <= tag_d;
  end

  assign busy_o = busy_q;
  assign complete_o = busy_q && (pending_q == '0);
  assign kind_o = kind_q;
  assign tag_o = tag_q;

  if (Data != 0) begin : g_data
    logic [SrcSlots*DataBits-1:0] data_q, data_d;
    logic [SrcSlots*SlotW-1:0] from_q;

    // A slot without a source shows 0; slots that one read serves show the same.
    always_comb begin
      data_d = fill ? '0 : data_q;
      for (int unsigned bank = 0; bank < NumRegBanks; bank++) begin
        for (int unsigned slot = 0; slot < SrcSlots; slot++) begin
          if (grant_valid_i[bank] && (grant_unit_i[bank*UnitW+:UnitW] == UnitW'(Unit)) &&
              (grant_slot_i[bank*SlotW+:SlotW] == from_q[slot*SlotW+:SlotW])) begin
            data_d[slot*DataBits+:DataBits] = grant_data_i[bank*DataBits+:DataBits];
          end
        end
      end
    end

    always_ff @(posedge clk_i) begin
      data_q <= data_d;
      if (fill) begin
        from_q <= from;
      end
    end

    assign data_o = data_q;
  end else begin : g_no_data
    logic unused_data;
    assign unused_data = ^{grant_data_i, from};
    assign data_o = '0;
  end

endmodule
