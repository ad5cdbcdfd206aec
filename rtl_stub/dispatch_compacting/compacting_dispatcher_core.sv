// SPDX-License-Identifier: Apache-2.0

// BOOM's CompactingDispatcher (boom-dispatch, CompactingDispatcher): a Compactor for each queue.
// Places of the queues lie side by side, those of queue 0 lowest.
module compacting_dispatcher_core #(
    parameter int unsigned CoreWidth = 3,
    parameter int unsigned Encoding = 0,
    parameter int unsigned Queues0Type = 2,
    parameter int unsigned Queues0DispatchWidth = 3,
    parameter int unsigned Queues1Type = 1,
    parameter int unsigned Queues1DispatchWidth = 3,
    parameter int unsigned Queues2Type = 4,
    parameter int unsigned Queues2DispatchWidth = 3,
    parameter int unsigned Queues3Type = 0,
    parameter int unsigned Queues3DispatchWidth = 0,
    parameter int unsigned Queues4Type = 0,
    parameter int unsigned Queues4DispatchWidth = 0,
    parameter int unsigned Queues5Type = 0,
    parameter int unsigned Queues5DispatchWidth = 0,
    parameter int unsigned Queues6Type = 0,
    parameter int unsigned Queues6DispatchWidth = 0,
    parameter int unsigned Queues7Type = 0,
    parameter int unsigned Queues7DispatchWidth = 0,
    parameter int unsigned PayloadW = 8,
    localparam int unsigned Places =
        Queues0DispatchWidth + Queues1DispatchWidth + Queues2DispatchWidth + Queues3DispatchWidth +
        Queues4DispatchWidth + Queues5DispatchWidth + Queues6DispatchWidth + Queues7DispatchWidth
) (
    output logic [CoreWidth-1:0] ren_uops_ready_o,
    input logic [CoreWidth-1:0] ren_uops_valid_i,
    input logic [3*CoreWidth-1:0] ren_uops_bits_iq_type_i,
    input logic [CoreWidth-1:0] ren_uops_bits_iq_type_0_i,
    input logic [CoreWidth-1:0] ren_uops_bits_iq_type_1_i,
    input logic [CoreWidth-1:0] ren_uops_bits_iq_type_2_i,
    input logic [CoreWidth-1:0] ren_uops_bits_iq_type_3_i,
    input logic [CoreWidth*PayloadW-1:0] ren_uops_bits_payload_i,

    input logic [Places-1:0] dis_uops_ready_i,
    output logic [Places-1:0] dis_uops_valid_o,
    output logic [3*Places-1:0] dis_uops_bits_iq_type_o,
    output logic [Places-1:0] dis_uops_bits_iq_type_0_o,
    output logic [Places-1:0] dis_uops_bits_iq_type_1_o,
    output logic [Places-1:0] dis_uops_bits_iq_type_2_o,
    output logic [Places-1:0] dis_uops_bits_iq_type_3_o,
    output logic [Places*PayloadW-1:0] dis_uops_bits_payload_o
);

  // Types and widths of the queues, four bits each.
  localparam logic [31:0] Types = {
    4'(Queues7Type),
    4'(Queues6Type),
    4'(Queues5Type),
    4'(Queues4Type),
    4'(Queues3Type),
    4'(Queues2Type),
    4'(Queues1Type),
    4'(Queues0Type)
  };
  localparam logic [31:0] Widths = {
    4'(Queues7DispatchWidth),
    4'(Queues6DispatchWidth),
    4'(Queues5DispatchWidth),
    4'(Queues4DispatchWidth),
    4'(Queues3DispatchWidth),
    4'(Queues2DispatchWidth),
    4'(Queues1DispatchWidth),
    4'(Queues0DispatchWidth)
  };

  // The first place of a queue.
  function automatic int unsigned first_place(int unsigned queue);
    first_place = 0;
    for (int unsigned q = 0; q < queue; q++) begin
      first_place += {28'd0, Widths[4*q+:4]};
    end
  endfunction

  localparam int unsigned UopW = PayloadW + 7;  // payload, target of v4, target of v3

  logic [4*CoreWidth-1:0] bits;
  logic [CoreWidth*UopW-1:0] uops;

  assign bits = {
    ren_uops_bits_iq_type_3_i,
    ren_uops_bits_iq_type_2_i,
    ren_uops_bits_iq_type_1_i,
    ren_uops_bits_iq_type_0_i
  };

  for (genvar w = 0; w < CoreWidth; w++) begin : g_uop
    assign uops[w*UopW+:UopW] = {
      ren_uops_bits_payload_i[w*PayloadW+:PayloadW],
      bits[3*CoreWidth+w],
      bits[2*CoreWidth+w],
      bits[1*CoreWidth+w],
      bits[w],
      ren_uops_bits_iq_type_i[3*w+:3]
    };
  end

  // Of each queue, the positions that it does not hold up.
  logic [8*CoreWidth-1:0] free;

  for (genvar q = 0; q < 8; q++) begin : g_queue
    localparam int unsigned K = {28'd0, Widths[4*q+:4]};
    localparam int unsigned First = first_place(q);
    if (K == 0) begin : g_none
      assign free[q*CoreWidth+:CoreWidth] = '1;
    end else begin : g_there
      logic [CoreWidth-1:0] users;
      logic [K*UopW-1:0] shown;

      queue_users #(
          .CoreWidth(CoreWidth),
          .Encoding (Encoding),
          .QueueType({28'd0, Types[4*q+:4]})
      ) u_users (
          .mask_i (ren_uops_bits_iq_type_i),
          .bits_i (bits),
          .users_o(users)
      );

      logic [CoreWidth-1:0] ready;

      compact #(
          .NumIn (CoreWidth),
          .NumOut(K),
          .DataW (UopW)
      ) u_compact (
          .valid_i(ren_uops_valid_i & users),
          .ready_o(ready),
          .data_i (uops),
          .valid_o(dis_uops_valid_o[First+:K]),
          .ready_i(dis_uops_ready_i[First+:K]),
          .data_o (shown)
      );

      assign free[q*CoreWidth+:CoreWidth] = ready | ~users;

      for (genvar j = 0; j < K; j++) begin : g_place
        assign {
          dis_uops_bits_payload_o[(First+j)*PayloadW+:PayloadW],
          dis_uops_bits_iq_type_3_o[First+j],
          dis_uops_bits_iq_type_2_o[First+j],
          dis_uops_bits_iq_type_1_o[First+j],
          dis_uops_bits_iq_type_0_o[First+j],
          dis_uops_bits_iq_type_o[3*(First+j)+:3]
        } = shown[j*UopW+:UopW];
      end
    end
  end

  always_comb begin
    ren_uops_ready_o = '1;
    for (int unsigned q = 0; q < 8; q++) begin
      ren_uops_ready_o &= free[q*CoreWidth+:CoreWidth];
    end
  end

endmodule
