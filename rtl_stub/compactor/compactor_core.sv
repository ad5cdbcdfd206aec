// SPDX-License-Identifier: Apache-2.0

// BOOM's Compactor (boom-dispatch, Compactor).
module compactor_core #(
    parameter logic [31:0] N        = 4,
    parameter logic [31:0] K        = 2,
    parameter logic [31:0] PayloadW = 8
) (
    output logic [         N-1:0] in_ready_o,
    input  logic [         N-1:0] in_valid_i,
    input  logic [N*PayloadW-1:0] in_bits_payload_i,

    input  logic [         K-1:0] out_ready_i,
    output logic [         K-1:0] out_valid_o,
    output logic [K*PayloadW-1:0] out_bits_payload_o
);

  compact #(
      .NumIn (N),
      .NumOut(K),
      .DataW (PayloadW)
  ) u_compact (
      .valid_i(in_valid_i),
      .ready_o(in_ready_o),
      .data_i (in_bits_payload_i),
      .valid_o(out_valid_o),
      .ready_i(out_ready_i),
      .data_o (out_bits_payload_o)
  );

endmodule
