// SPDX-License-Identifier: Apache-2.0

// BOOM's dispatchers (boom-dispatch): a Compactor for each issue queue, which is wires where the
// queue is as wide as the core. They differ in which uops a full queue holds up.
// Places of the queues lie side by side, those of queue 0 lowest. Lists have eight bits a queue,
// queue 0 lowest; a queue of no width is not there.
module dispatcher #(
    parameter logic [31:0] CoreWidth = 3,
    parameter logic [31:0] Encoding = 0,
    parameter logic [63:0] QueuesType = 64'h04_01_02,
    parameter logic [63:0] QueuesDispatchWidth = 64'h03_03_03,
    parameter bit HoldsAll = 1'b1,  // a queue holds up also the uops that it does not get
    parameter logic [31:0] PayloadW = 8,
    // The sum of the eight widths is the highest byte of the product.
    localparam logic [31:0] Places = 32'((QueuesDispatchWidth * 64'h0101_0101_0101_0101) >> 56)
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

  localparam logic [31:0] UopW = PayloadW + 7;  // payload, target of v4, target of v3

  // The first place of a queue.
  function automatic int unsigned first_place(int unsigned queue);
    first_place = 0;
    for (int unsigned q = 0; q < queue; q++) begin
      first_place += {24'd0, QueuesDispatchWidth[8*q+:8]};
    end
  endfunction

  logic [4*CoreWidth-1:0] bits;
  logic [CoreWidth*UopW-1:0] uops;
  logic [8*CoreWidth-1:0] free;  // of each queue, the positions that it does not hold up

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

  for (genvar q = 0; q < 8; q++) begin : g_queue
    localparam logic [31:0] K = {24'd0, QueuesDispatchWidth[8*q+:8]};
    localparam logic [31:0] First = first_place(q);
    if (K == 0) begin : g_none
      assign free[q*CoreWidth+:CoreWidth] = '1;
    end else begin : g_there
      logic [CoreWidth-1:0] users, ready;
      logic [K*UopW-1:0] shown;

      queue_users #(
          .CoreWidth(CoreWidth),
          .Encoding (Encoding),
          .QueueType({24'd0, QueuesType[8*q+:8]})
      ) u_users (
          .mask_i (ren_uops_bits_iq_type_i),
          .bits_i (bits),
          .users_o(users)
      );

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

      assign free[q*CoreWidth+:CoreWidth] = HoldsAll ? ready : ready | ~users;

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
