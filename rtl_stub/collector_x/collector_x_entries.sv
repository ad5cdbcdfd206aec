// SPDX-License-Identifier: Apache-2.0

// Which entries of a collector are taken, in groups of equally many: the entry that is freed in this
// cycle, by the lowest issue port, goes first, then the lowest free one (muon-designs §4.1).
module collector_x_entries #(
    parameter logic [31:0] Groups = 1,
    parameter logic [31:0] Entries = 2,
    parameter logic [31:0] Ports = 1,
    localparam logic [31:0] EntryW = (Entries > 1) ? $clog2(Entries) : 1,
    localparam logic [31:0] GroupW = (Groups > 1) ? $clog2(Groups) : 1,
    localparam logic [31:0] Each = Entries / Groups
) (
    input logic clk_i,
    input logic rst_i,

    output logic [       Groups-1:0] room_o,
    output logic [Groups*EntryW-1:0] room_entry_o, // 0 without room

    input logic                    take_i,
    input logic [      GroupW-1:0] take_group_i,
    input logic [       Ports-1:0] free_i,
    input logic [Ports*EntryW-1:0] free_entry_i
);

  logic [Entries-1:0] taken_d, taken_q;

  always_comb begin
    for (int unsigned group = 0; group < Groups; group++) begin
      room_o[group] = 1'b0;
      room_entry_o[group*EntryW+:EntryW] = '0;
      for (int unsigned entry = (group + 1) * Each; entry > group * Each; entry--) begin
        if (!taken_q[entry-1]) begin
          room_o[group] = 1'b1;
          room_entry_o[group*EntryW+:EntryW] = EntryW'(entry - 1);
        end
      end
      for (int unsigned port = Ports; port > 0; port--) begin
        for (int unsigned entry = group * Each; entry < (group + 1) * Each; entry++) begin
          if (free_i[port-1] && (free_entry_i[(port-1)*EntryW+:EntryW] == EntryW'(entry))) begin
            room_o[group] = 1'b1;
            room_entry_o[group*EntryW+:EntryW] = EntryW'(entry);
          end
        end
      end
    end
  end

  always_comb begin
    // An entry that is freed and taken in one cycle stays taken.
    taken_d = taken_q;
    for (int unsigned port = 0; port < Ports; port++) begin
      for (int unsigned entry = 0; entry < Entries; entry++) begin
        if (free_i[port] && (free_entry_i[port*EntryW+:EntryW] == EntryW'(entry))) begin
          taken_d[entry] = 1'b0;
        end
      end
    end
    for (int unsigned entry = 0; entry < Entries; entry++) begin
      if (take_i && room_o[entry/Each] && (take_group_i == GroupW'(entry / Each)) &&
          (room_entry_o[(entry/Each)*EntryW+:EntryW] == EntryW'(entry))) begin
        taken_d[entry] = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      taken_q <= '0;
    end else begin
      taken_q <= taken_d;
    end
  end

endmodule
