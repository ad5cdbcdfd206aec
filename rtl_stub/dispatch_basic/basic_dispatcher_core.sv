// SPDX-License-Identifier: Apache-2.0

// BOOM's BasicDispatcher (boom-dispatch, BasicDispatcher): position by position, every uop waits for every queue.
module basic_dispatcher_core #(
    parameter int unsigned CoreWidth = 3,
    parameter int unsigned Encoding = 0,
    parameter logic [63:0] QueuesType = 64'h04_01_02,
    parameter logic [63:0] QueuesDispatchWidth = 64'h03_03_03,
    parameter int unsigned PayloadW = 8,
    localparam int unsigned Places = 32'((QueuesDispatchWidth * 64'h0101_0101_0101_0101) >> 56)
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

  dispatcher #(
      .CoreWidth(CoreWidth),
      .Encoding(Encoding),
      .QueuesType(QueuesType),
      .QueuesDispatchWidth(QueuesDispatchWidth),
      .HoldsAll(1'b1),
      .PayloadW(PayloadW)
  ) u_dispatcher (
      .*
  );

endmodule
