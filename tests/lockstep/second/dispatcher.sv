// SPDX-License-Identifier: Apache-2.0

// BOOM's dispatchers (boom-dispatch) by position: a queue compacts the numbers of the uops that it
// gets, one hot, and its places look the uops up.
module dispatcher #(
    parameter int unsigned CoreWidth = 3,
    parameter int unsigned Encoding = 0,
    parameter logic [63:0] QueuesType = 64'h04_01_02,
    parameter logic [63:0] QueuesDispatchWidth = 64'h03_03_03,
    parameter bit HoldsAll = 1'b1,
    parameter int unsigned PayloadW = 8,
    localparam int unsigned Places = sum_of(QueuesDispatchWidth, 8)
) (
    output logic [CoreWidth-1:0]               ren_uops_ready_o,
    input  logic [CoreWidth-1:0]               ren_uops_valid_i,
    input  logic [CoreWidth-1:0][2:0]          ren_uops_bits_iq_type_i,
    input  logic [CoreWidth-1:0]               ren_uops_bits_iq_type_0_i,
    input  logic [CoreWidth-1:0]               ren_uops_bits_iq_type_1_i,
    input  logic [CoreWidth-1:0]               ren_uops_bits_iq_type_2_i,
    input  logic [CoreWidth-1:0]               ren_uops_bits_iq_type_3_i,
    input  logic [CoreWidth-1:0][PayloadW-1:0] ren_uops_bits_payload_i,

    input  logic [Places-1:0]               dis_uops_ready_i,
    output logic [Places-1:0]               dis_uops_valid_o,
    output logic [Places-1:0][2:0]          dis_uops_bits_iq_type_o,
    output logic [Places-1:0]               dis_uops_bits_iq_type_0_o,
    output logic [Places-1:0]               dis_uops_bits_iq_type_1_o,
    output logic [Places-1:0]               dis_uops_bits_iq_type_2_o,
    output logic [Places-1:0]               dis_uops_bits_iq_type_3_o,
    output logic [Places-1:0][PayloadW-1:0] dis_uops_bits_payload_o
);

  // Of the first entries of a list.
  function automatic int unsigned sum_of(logic [7:0][7:0] list, int unsigned entries);
    sum_of = 0;
    for (int unsigned entry = 0; entry < entries; entry++) sum_of += 32'(list[entry]);
  endfunction

  localparam int unsigned UopW = PayloadW + 7;

  logic [CoreWidth-1:0][UopW-1:0] uops;
  logic [CoreWidth-1:0][CoreWidth-1:0] numbers;
  logic [7:0][CoreWidth-1:0] held;

  for (genvar w = 0; w < CoreWidth; w++) begin : g_uop
    assign numbers[w] = CoreWidth'(1) << w;
    assign uops[w] = {
      ren_uops_bits_iq_type_0_i[w],
      ren_uops_bits_iq_type_1_i[w],
      ren_uops_bits_iq_type_2_i[w],
      ren_uops_bits_iq_type_3_i[w],
      ren_uops_bits_iq_type_i[w],
      ren_uops_bits_payload_i[w]
    };
    assign ren_uops_ready_o[w] = !is_held(held, w);
  end

  function automatic logic is_held(logic [7:0][CoreWidth-1:0] by_queue, int unsigned position);
    is_held = 1'b0;
    for (int unsigned q = 0; q < 8; q++) is_held |= by_queue[q][position];
  endfunction

  for (genvar q = 0; q < 8; q++) begin : g_queue
    localparam int unsigned Type = 32'(QueuesType[8*q+:8]);
    localparam int unsigned Width = 32'(QueuesDispatchWidth[8*q+:8]);
    localparam int unsigned First = sum_of(QueuesDispatchWidth, q);

    if (Width == 0) begin : g_none
      assign held[q] = '0;
    end else begin : g_some
      logic [CoreWidth-1:0] gets, ready;
      logic [Width-1:0][CoreWidth-1:0] chosen;

      for (genvar w = 0; w < CoreWidth; w++) begin : g_gets
        if (Encoding == 0) begin : g_mask
          assign gets[w] = ((ren_uops_bits_iq_type_i[w] & 3'(Type)) != '0);
        end else begin : g_bit
          assign gets[w] = uops[w][UopW-1-Type];
        end
      end

      compact #(
          .NumIn (CoreWidth),
          .NumOut(Width),
          .DataW (CoreWidth)
      ) u_numbers (
          .valid_i(ren_uops_valid_i & gets),
          .ready_o(ready),
          .data_i (numbers),
          .valid_o(dis_uops_valid_o[First+:Width]),
          .ready_i(dis_uops_ready_i[First+:Width]),
          .data_o (chosen)
      );

      assign held[q] = ~ready & (HoldsAll ? '1 : gets);

      for (genvar j = 0; j < Width; j++) begin : g_place
        logic [UopW-1:0] shown;

        always_comb begin
          shown = '0;
          for (int unsigned w = 0; w < CoreWidth; w++) shown |= uops[w] & {UopW{chosen[j][w]}};
        end

        assign {
          dis_uops_bits_iq_type_0_o[First+j],
          dis_uops_bits_iq_type_1_o[First+j],
          dis_uops_bits_iq_type_2_o[First+j],
          dis_uops_bits_iq_type_3_o[First+j],
          dis_uops_bits_iq_type_o[First+j],
          dis_uops_bits_payload_o[First+j]
        } = shown;
      end
    end
  end

endmodule
