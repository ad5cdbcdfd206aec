// SPDX-License-Identifier: Apache-2.0

// The ID_OC register sets, one a pipe kind (gpgpusim-opndcoll §5). Instructions enter after the
// step: a slot that an input port emptied is free in the same clock.
module opndcoll_id #(
    parameter logic [31:0] NumSchedPerCore = 4,
    parameter logic [31:0] SubCoreModel = 1,
    parameter logic [31:0] NumKinds = 6,
    parameter logic [31:0] IdWidth = 4,
    parameter logic [31:0] InstW = 46,
    parameter logic [31:0] UidW = 32,
    localparam logic [31:0] KindW = (NumKinds > 1) ? $clog2(NumKinds) : 1,
    localparam logic [31:0] SchedW = (NumSchedPerCore > 1) ? $clog2(NumSchedPerCore) : 1,
    localparam logic [31:0] NumSlots = NumKinds * IdWidth
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [       NumSchedPerCore-1:0] issue_valid_i,
    input  logic [ NumSchedPerCore*KindW-1:0] issue_kind_i,
    input  logic [NumSchedPerCore*SchedW-1:0] issue_sched_i,
    input  logic [ NumSchedPerCore*InstW-1:0] issue_inst_i,
    output logic [       NumSchedPerCore-1:0] issue_ready_o,

    output logic [      NumSlots-1:0] valid_o,
    output logic [ NumSlots*UidW-1:0] uid_o,
    output logic [NumSlots*InstW-1:0] inst_o,
    input  logic [      NumSlots-1:0] left_i    // what the input ports leave of valid_o
);

  localparam logic [31:0] SlotW = (NumSlots > 1) ? $clog2(NumSlots) : 1;

  logic [NumSlots-1:0] valid_q, valid_d;
  logic [UidW-1:0] uid_q[NumSlots];
  logic [InstW-1:0] inst_q[NumSlots];
  logic [UidW-1:0] last_uid_q;  // of the last instruction issued

  logic [NumSchedPerCore-1:0] fire;
  logic [NumSchedPerCore*SlotW-1:0] slots;  // where the ports' instructions go
  logic [NumSchedPerCore*UidW-1:0] uids;

  // Lowest empty slot of a kind; sub-core: the scheduler's own. A port sees what lower ones fill.
  always_comb begin
    valid_d = left_i;
    slots = '0;
    issue_ready_o = '0;
    for (int unsigned port = 0; port < NumSchedPerCore; port++) begin
      for (int unsigned slot = NumSlots; slot > 0; slot--) begin
        if ((issue_kind_i[port*KindW+:KindW] == KindW'((slot - 1) / IdWidth)) &&
            ((SubCoreModel == 0) || ((slot - 1) % IdWidth ==
             32'(issue_sched_i[port*SchedW+:SchedW]))) && !valid_d[slot-1]) begin
          issue_ready_o[port] = 1'b1;
          slots[port*SlotW+:SlotW] = SlotW'(slot - 1);
        end
      end
      fire[port] = issue_valid_i[port] && issue_ready_o[port];
      if (fire[port]) begin
        valid_d[slots[port*SlotW+:SlotW]] = 1'b1;
      end
    end
  end

  // Numbers follow the order of the ports.
  logic [UidW-1:0] last_uid_d;

  always_comb begin
    last_uid_d = last_uid_q;
    for (int unsigned port = 0; port < NumSchedPerCore; port++) begin
      if (fire[port]) begin
        last_uid_d = last_uid_d + 1'b1;
      end
      uids[port*UidW+:UidW] = last_uid_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= '0;
      last_uid_q <= '0;
    end else begin
      valid_q <= valid_d;
      last_uid_q <= last_uid_d;
    end
    for (int unsigned port = 0; port < NumSchedPerCore; port++) begin
      if (fire[port]) begin
        uid_q[slots[port*SlotW+:SlotW]]  <= uids[port*UidW+:UidW];
        inst_q[slots[port*SlotW+:SlotW]] <= issue_inst_i[port*InstW+:InstW];
      end
    end
  end

  assign valid_o = valid_q;

  for (genvar slot = 0; slot < NumSlots; slot++) begin : g_slot
    assign uid_o[slot*UidW+:UidW] = uid_q[slot];
    assign inst_o[slot*InstW+:InstW] = inst_q[slot];
  end

endmodule
