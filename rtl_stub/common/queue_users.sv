// SPDX-License-Identifier: Apache-2.0

// The positions whose uop is for one issue queue, valid or not (boom-dispatch, Parameters): v3 has a
// mask of three bits, any of which is enough; v4 a bit for each type.
module queue_users #(
    parameter logic [31:0] CoreWidth = 3,
    parameter logic [31:0] Encoding  = 0,
    parameter logic [31:0] QueueType = 2
) (
    input logic [3*CoreWidth-1:0] mask_i,  // v3: of position w in bits 3w to 3w+2
    input logic [4*CoreWidth-1:0] bits_i,  // v4: type t of position w in bit t*CoreWidth+w

    output logic [CoreWidth-1:0] users_o
);

  if (Encoding == 0) begin : g_mask
    for (genvar w = 0; w < CoreWidth; w++) begin : g_position
      assign users_o[w] = |(mask_i[3*w+:3] & 3'(QueueType));
    end
    wire unused_bits = ^bits_i;
  end else begin : g_bit
    assign users_o = bits_i[QueueType*CoreWidth+:CoreWidth];
    wire unused_bits = ^{mask_i, bits_i};
  end

endmodule
