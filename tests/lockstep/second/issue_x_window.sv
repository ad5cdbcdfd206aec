// SPDX-License-Identifier: Apache-2.0

// A warp's candidate with the sets of muon-designs §7 as they stand there: the registers that skipped
// instructions write (`fence`) and read (`source`), one bit a register.
module issue_x_window #(
    parameter int unsigned NumPregs = 256,
    parameter int unsigned IbufWindow = 1,
    parameter int unsigned War = 0,
    parameter int unsigned CollAlloc = 0,
    parameter int unsigned Groups = 1,
    localparam int unsigned NumOps = 3,
    localparam int unsigned PregW = $clog2(NumPregs),
    localparam int unsigned GroupW = (Groups > 1) ? $clog2(Groups) : 1
) (
    input logic [             IbufWindow-1:0] valid_i,
    input logic [             IbufWindow-1:0] has_rd_i,
    input logic [       IbufWindow*PregW-1:0] rd_i,
    input logic [      IbufWindow*NumOps-1:0] has_rs_i,
    input logic [IbufWindow*NumOps*PregW-1:0] rs_i,
    input logic [      IbufWindow*GroupW-1:0] group_i,

    input logic [NumPregs-1:0] pending_reads_i,
    input logic [NumPregs-1:0] pending_writes_i,
    input logic                hold_i,
    input logic [   PregW-1:0] hold_rd_i,
    input logic [  Groups-1:0] room_i,

    output logic [IbufWindow-1:0] candidate_o,

    output logic waw_o,
    output logic war_o,
    output logic held_o,
    output logic no_room_o
);

  logic [NumPregs-1:0] fence, source, written, read, hold;
  logic ended, waw, war, waits, held, no_room;

  always_comb begin
    fence = '0;
    source = '0;
    ended = 1'b0;
    candidate_o = '0;
    {waw_o, war_o, held_o, no_room_o} = '0;
    hold = hold_i ? (NumPregs'(1) << hold_rd_i) : '0;
    hold[0] = 1'b0;
    for (int unsigned n = 0; n < IbufWindow; n++) begin
      written = has_rd_i[n] ? (NumPregs'(1) << rd_i[n*PregW+:PregW]) : '0;
      written[0] = 1'b0;
      read = '0;
      for (int unsigned op = 0; op < NumOps; op++) begin
        if (has_rs_i[n*NumOps+op]) begin
          read[rs_i[(n*NumOps+op)*PregW+:PregW]] = 1'b1;
        end
      end
      read[0] = 1'b0;
      waw = ((written & pending_writes_i) != '0);
      war = (War == 0) && ((written & pending_reads_i) != '0);
      waits = waw || war || ((read & fence) != '0) || ((written & (fence | source)) != '0);
      held = ((read & hold) != '0);
      no_room = (CollAlloc == 2) && (has_rs_i[n*NumOps+:NumOps] != '0) &&
          !room_i[group_i[n*GroupW+:GroupW]];
      if (n == 0 && valid_i[0]) begin
        waw_o = waw;
        war_o = war;
        held_o = !waits && held;
        no_room_o = !waits && !held && no_room;
      end
      if (!valid_i[n] || ended) begin
        ended = 1'b1;
      end else if (waits) begin
        fence |= written;
        source |= read;
      end else begin
        candidate_o[n] = !held && !no_room;
        ended = 1'b1;
      end
    end
  end

endmodule
