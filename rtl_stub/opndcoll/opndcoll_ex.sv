// SPDX-License-Identifier: Apache-2.0

// The OC_EX register sets, one a pipe kind (gpgpusim-opndcoll §5): dispatch units fill them, each
// pipe takes the oldest instruction of its own before the step, or that in a slot (§12.2).
module opndcoll_ex #(
    parameter logic [31:0] NumUnits = 8,
    parameter logic [31:0] OutPorts = 8,
    parameter logic [31:0] NumKinds = 6,
    parameter logic [31:0] ExWidth = 4,
    parameter logic [31:0] OpW = 40,  // what leaves: uid in the high bits, the rest opaque
    parameter logic [31:0] UidW = 32,
    localparam logic [31:0] KindW = (NumKinds > 1) ? $clog2(NumKinds) : 1,
    localparam logic [31:0] UnitW = (NumUnits > 1) ? $clog2(NumUnits) : 1,
    localparam logic [31:0] SlotW = (ExWidth > 1) ? $clog2(ExWidth) : 1,
    localparam logic [31:0] NumSlots = NumKinds * ExWidth
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [      NumKinds-1:0] take_ready_i,
    input  logic [      NumKinds-1:0] take_by_slot_i,
    input  logic [NumKinds*SlotW-1:0] take_slot_i,
    output logic [      NumKinds-1:0] take_valid_o,
    output logic [  NumKinds*OpW-1:0] take_op_o,       // 0 without one

    output logic [NumSlots-1:0] left_o,  // slots that are occupied after the takes
    input  logic [NumSlots-1:0] next_i,  // and after dispatch

    input logic [      OutPorts-1:0] dispatch_valid_i,
    input logic [OutPorts*UnitW-1:0] dispatch_unit_i,
    input logic [OutPorts*KindW-1:0] dispatch_kind_i,
    input logic [OutPorts*SlotW-1:0] dispatch_slot_i,
    input logic [  NumUnits*OpW-1:0] unit_op_i
);

  localparam logic [31:0] IndexW = (NumSlots > 1) ? $clog2(NumSlots) : 1;

  logic [NumSlots-1:0] valid_q;
  logic [OpW-1:0] op_q[NumSlots];

  for (genvar kind = 0; kind < NumKinds; kind++) begin : g_kind
    logic [ExWidth-1:0] valid;
    logic [ExWidth*UidW-1:0] uids;
    logic [SlotW-1:0] oldest, chosen;
    logic there, fire;

    assign valid = valid_q[kind*ExWidth+:ExWidth];
    for (genvar slot = 0; slot < ExWidth; slot++) begin : g_slot
      assign uids[slot*UidW+:UidW] = op_q[kind*ExWidth+slot][OpW-1-:UidW];
      assign left_o[kind*ExWidth+slot] = valid[slot] && !(fire && (chosen == SlotW'(slot)));
    end

    opndcoll_oldest #(
        .NumSlots(ExWidth),
        .UidW(UidW)
    ) u_oldest (
        .valid_i(valid),
        .uid_i  (uids),
        .slot_o (oldest)
    );

    // There may be numbers beyond the last slot.
    always_comb begin
      chosen = take_by_slot_i[kind] ? take_slot_i[kind*SlotW+:SlotW] : oldest;
      there  = 1'b0;
      for (int unsigned slot = 0; slot < ExWidth; slot++) begin
        if (valid[slot] && (chosen == SlotW'(slot))) begin
          there = 1'b1;
        end
      end
    end

    assign fire = there && take_ready_i[kind];
    assign take_valid_o[kind] = there;
    assign take_op_o[kind*OpW+:OpW] = there ? op_q[IndexW'(kind*ExWidth)+IndexW'(chosen)] : '0;
  end

  logic [OutPorts*IndexW-1:0] slots;

  for (genvar du = 0; du < OutPorts; du++) begin : g_fill
    assign slots[du*IndexW+:IndexW] =
        IndexW'(dispatch_kind_i[du*KindW+:KindW]) * IndexW'(ExWidth) +
        IndexW'(dispatch_slot_i[du*SlotW+:SlotW]);
  end

  always_ff @(posedge clk_i) begin
    valid_q <= rst_i ? '0 : next_i;
    for (int unsigned du = 0; du < OutPorts; du++) begin
      if (dispatch_valid_i[du]) begin
        op_q[slots[du*IndexW+:IndexW]] <= unit_op_i[dispatch_unit_i[du*UnitW+:UnitW]*OpW+:OpW];
      end
    end
  end

endmodule
