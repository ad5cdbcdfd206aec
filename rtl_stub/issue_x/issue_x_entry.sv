// SPDX-License-Identifier: Apache-2.0

// Which row gets its entry, or slots, in this cycle (muon-designs §4.1): the first of the walk that
// wants one and whose group has room. A caching collector is asked for the first row alone. Index 0
// of a row is the first of the walk.
module issue_x_entry #(
    parameter logic [31:0] RsEntries = 8,
    parameter logic [31:0] Collector = 0,
    parameter logic [31:0] CollAlloc = 0,
    parameter logic [31:0] Groups = 1,
    parameter logic [31:0] PlaceW = 1,
    localparam logic [31:0] NumOps = 3,
    localparam logic [31:0] GroupW = (Groups > 1) ? $clog2(Groups) : 1
) (
    // Rows; all 0 where none is
    input logic [       RsEntries-1:0] valid_i,
    input logic [RsEntries*NumOps-1:0] has_rs_i,
    input logic [RsEntries*NumOps-1:0] need_i,
    input logic [RsEntries*NumOps-1:0] op_ready_i,
    input logic [       RsEntries-1:0] placed_i,
    input logic [       RsEntries-1:0] may_collect_i,
    input logic [RsEntries*GroupW-1:0] group_i,

    input  logic [       Groups-1:0] room_i,
    input  logic [Groups*PlaceW-1:0] room_entry_i,
    input  logic                     bind_ready_i,
    input  logic [NumOps*PlaceW-1:0] bind_slot_i,
    output logic [    RsEntries-1:0] bind_row_o,    // asks for slots

    output logic [    RsEntries-1:0] take_row_o,
    output logic [       GroupW-1:0] take_group_o,
    output logic [NumOps*PlaceW-1:0] take_place_o,
    output logic [       Groups-1:0] missed_o       // groups that a row found without room
);

  logic [RsEntries-1:0] wants;

  // request: all that is not there can be read. eager: it has a source.
  for (genvar n = 0; n < RsEntries; n++) begin : g_wants
    if (CollAlloc == 0) begin : g_request
      logic [NumOps-1:0] need;
      assign need = need_i[n*NumOps+:NumOps];
      assign wants[n] = valid_i[n] && !placed_i[n] && may_collect_i[n] && (need != '0) &&
          ((need | op_ready_i[n*NumOps+:NumOps]) == '1);
    end else begin : g_eager
      assign wants[n] = (CollAlloc == 1) && valid_i[n] && !placed_i[n] &&
          (has_rs_i[n*NumOps+:NumOps] != '0);
    end
  end

  if (Collector == 3) begin : g_slots
    always_comb begin
      bind_row_o = '0;
      for (int unsigned n = RsEntries; n > 0; n--) begin
        if (wants[n-1]) begin
          bind_row_o = RsEntries'(1) << (n - 1);
        end
      end
    end
    assign take_row_o = bind_ready_i ? bind_row_o : '0;
    assign take_group_o = '0;
    assign take_place_o = bind_slot_i;
    assign missed_o = Groups'((bind_row_o != '0) && !bind_ready_i);
  end else begin : g_entries
    logic taken;
    always_comb begin
      bind_row_o = '0;
      taken = 1'b0;
      take_row_o = '0;
      take_group_o = '0;
      take_place_o = '0;
      missed_o = '0;
      for (int unsigned n = 0; n < RsEntries; n++) begin
        for (int unsigned group = 0; group < Groups; group++) begin
          if (!taken && wants[n] && !take_row_o[n] &&
              (group_i[n*GroupW+:GroupW] == GroupW'(group))) begin
            if (room_i[group]) begin
              take_row_o[n] = 1'b1;
              take_group_o  = GroupW'(group);
              take_place_o  = {NumOps{room_entry_i[group*PlaceW+:PlaceW]}};
            end else begin
              missed_o[group] = 1'b1;
            end
          end
        end
        taken = (take_row_o != '0);
      end
    end
  end

  logic unused_inputs;
  assign unused_inputs = ^{
    has_rs_i,
    need_i,
    op_ready_i,
    may_collect_i,
    group_i,
    room_i,
    room_entry_i,
    bind_ready_i,
    bind_slot_i
  };

endmodule
