// SPDX-License-Identifier: Apache-2.0

// The same entries, as sets: one that is freed, else the lowest of those that can be taken.
module collector_x_entries #(
    parameter int unsigned Groups = 1,
    parameter int unsigned Entries = 2,
    parameter int unsigned Ports = 1,
    localparam int unsigned EntryW = (Entries > 1) ? $clog2(Entries) : 1,
    localparam int unsigned GroupW = (Groups > 1) ? $clog2(Groups) : 1,
    localparam int unsigned Each = Entries / Groups
) (
    input logic clk_i,
    input logic rst_i,

    output logic [       Groups-1:0] room_o,
    output logic [Groups*EntryW-1:0] room_entry_o,

    input logic                    take_i,
    input logic [      GroupW-1:0] take_group_i,
    input logic [       Ports-1:0] free_i,
    input logic [Ports*EntryW-1:0] free_entry_i
);

  logic [Entries-1:0] freed, offer, occupied;
  logic [Entries-1:0] by_port[Ports];

  for (genvar port = 0; port < Ports; port++) begin : g_port
    assign by_port[port] = free_i[port] ? (Entries'(1) << free_entry_i[port*EntryW+:EntryW]) : '0;
  end

  always_comb begin
    freed = '0;
    for (int unsigned port = 0; port < Ports; port++) begin
      freed = freed | by_port[port];
    end
  end

  for (genvar group = 0; group < Groups; group++) begin : g_group
    logic [Each-1:0] can, now, first;
    logic [EntryW-1:0] number;

    assign can = ~occupied[group*Each+:Each];
    always_comb begin
      now = '0;
      for (int unsigned port = 0; port < Ports; port++) begin
        now = (now != '0) ? now : by_port[port][group*Each+:Each];
      end
    end
    assign first = (now != '0) ? now : can & (~can + 1'b1);
    assign offer[group*Each+:Each] = (take_i && take_group_i == GroupW'(group)) ? first : '0;
    assign room_o[group] = (now != '0) || (can != '0);
    assign room_entry_o[group*EntryW+:EntryW] = number;

    always_comb begin
      number = '0;
      for (int unsigned entry = 0; entry < Each; entry++) begin
        if (first[entry]) begin
          number = number | EntryW'(group * Each + entry);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    occupied <= rst_i ? '0 : (occupied & ~freed) | offer;
  end

endmodule
