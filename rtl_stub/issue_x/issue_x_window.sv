// SPDX-License-Identifier: Apache-2.0

// A warp's candidate for admission (muon-designs §7): the first instruction of its window without a
// hazard and not fenced by those before it, unless what is before it, or it itself, has to wait for a
// write in service or for room.
module issue_x_window #(
    parameter logic [31:0] NumPregs = 256,
    parameter logic [31:0] IbufWindow = 1,
    parameter logic [31:0] War = 0,
    parameter logic [31:0] CollAlloc = 0,
    parameter logic [31:0] Groups = 1,
    localparam logic [31:0] NumOps = 3,
    localparam logic [31:0] PregW = $clog2(NumPregs),
    localparam logic [31:0] GroupW = (Groups > 1) ? $clog2(Groups) : 1
) (
    // The head at index 0
    input logic [             IbufWindow-1:0] valid_i,
    input logic [             IbufWindow-1:0] has_rd_i,
    input logic [       IbufWindow*PregW-1:0] rd_i,
    input logic [      IbufWindow*NumOps-1:0] has_rs_i,
    input logic [IbufWindow*NumOps*PregW-1:0] rs_i,
    input logic [      IbufWindow*GroupW-1:0] group_i,

    input logic [NumPregs-1:0] pending_reads_i,
    input logic [NumPregs-1:0] pending_writes_i,
    input logic                hold_i,            // readers of this register wait
    input logic [   PregW-1:0] hold_rd_i,
    input logic [  Groups-1:0] room_i,

    output logic [IbufWindow-1:0] candidate_o,  // at most one bit

    // Of the head, if it is valid
    output logic waw_o,
    output logic war_o,
    output logic held_o,
    output logic no_room_o
);

  logic [IbufWindow-1:0] waw, war, held, no_room, fenced;
  logic walking;

  for (genvar n = 0; n < IbufWindow; n++) begin : g_inst
    logic [PregW-1:0] rd;
    logic [NumOps*PregW-1:0] rs;
    logic [NumOps-1:0] has_rs;

    assign rd = rd_i[n*PregW+:PregW];
    assign rs = rs_i[n*NumOps*PregW+:NumOps*PregW];
    assign has_rs = has_rs_i[n*NumOps+:NumOps];

    always_comb begin
      waw[n]  = has_rd_i[n] && (rd != '0) && pending_writes_i[rd];
      war[n]  = (War == 0) && has_rd_i[n] && (rd != '0) && pending_reads_i[rd];
      held[n] = 1'b0;
      for (int unsigned op = 0; op < NumOps; op++) begin
        if (hold_i && has_rs[op] && (hold_rd_i != '0) && (rs[op*PregW+:PregW] == hold_rd_i)) begin
          held[n] = 1'b1;
        end
      end
      no_room[n] = (CollAlloc == 2) && (has_rs != '0) && !room_i[group_i[n*GroupW+:GroupW]];
    end

    // Does it have to come after a skipped one that writes what it reads, or reads or writes what it
    // writes?
    function automatic logic after(input int unsigned m);
      logic [PregW-1:0] other;
      other = rd_i[m*PregW+:PregW];
      after = has_rd_i[m] && has_rd_i[n] && (rd != '0) && (rd == other);
      for (int unsigned op = 0; op < NumOps; op++) begin
        if (has_rd_i[m] && has_rs[op] && (other != '0) && (rs[op*PregW+:PregW] == other)) begin
          after = 1'b1;
        end
        if (has_rd_i[n] && has_rs_i[m*NumOps+op] && (rd != '0) &&
            (rs_i[(m*NumOps+op)*PregW+:PregW] == rd)) begin
          after = 1'b1;
        end
      end
    endfunction

    always_comb begin
      fenced[n] = 1'b0;
      for (int unsigned m = 0; m < IbufWindow; m++) begin
        if ((m != n) && (m <= n)) begin
          fenced[n] |= after(m);
        end
      end
    end
  end

  // An instruction with a hazard is passed, at one that has to wait the walk ends.
  always_comb begin
    walking = 1'b1;
    for (int unsigned n = 0; n < IbufWindow; n++) begin
      walking &= valid_i[n];
      candidate_o[n] = walking && !fenced[n] && !waw[n] && !war[n] && !held[n] && !no_room[n];
      walking &= fenced[n] || waw[n] || war[n];
    end
  end

  assign waw_o = valid_i[0] && waw[0];
  assign war_o = valid_i[0] && war[0];
  assign held_o = valid_i[0] && !waw[0] && !war[0] && held[0];
  assign no_room_o = valid_i[0] && !waw[0] && !war[0] && !held[0] && no_room[0];

  logic unused_inputs;
  assign unused_inputs = ^{pending_reads_i, room_i, group_i};

endmodule
