// SPDX-License-Identifier: Apache-2.0

// What BOOM's Compactor must do in every cycle whatever its inputs are (boom-dispatch, Compactor), stated
// as what goes where: each input carries its number, which nothing in the block can make.
module compactor_proof #(
    parameter int unsigned N = 4,
    parameter int unsigned K = 2
) (
    input logic [  N-1:0] valid_i,
    input logic [  K-1:0] ready_i,
    input logic [2*N-1:0] payload_i
);

  localparam int unsigned W = 4;  // number, and payload of two bits

  logic [N*W-1:0] data;
  logic [  N-1:0] ready;
  logic [  K-1:0] valid;
  logic [K*W-1:0] shown;

  for (genvar i = 0; i < N; i++) begin : g_input
    assign data[i*W+:W] = {payload_i[2*i+:2], 2'(i)};
  end

  compactor_core #(
      .N(N),
      .K(K),
      .PayloadW(W)
  ) u_core (
      .in_ready_o(ready),
      .in_valid_i(valid_i),
      .in_bits_payload_i(data),
      .out_ready_i(ready_i),
      .out_valid_o(valid),
      .out_bits_payload_o(shown)
  );

  for (genvar j = 0; j < K; j++) begin : g_output
    wire [1:0] number = shown[j*W+:2];

    always_comb begin
      // Nothing invented: a valid output shows a valid input, whole.
      assert (!valid[j] || valid_i[number]);
      assert (!valid[j] || shown[j*W+2+:2] == payload_i[2*number+:2]);
      if (N == K) begin
        // Wires: nothing moves, and what is not valid shows through.
        assert (valid[j] == valid_i[j]);
        assert (shown[j*W+:W] == data[j*W+:W]);
      end else begin
        // An output without an input is 0. (g_fill: outputs fill from 0 on.)
        assert (valid[j] || shown[j*W+:W] == '0);
      end
    end

    if (N != K && j > 0) begin : g_fill
      always_comb assert (!valid[j] || valid[j-1]);
    end

    // Order kept, and none doubled: numbers rise.
    for (genvar later = j + 1; later < K; later++) begin : g_later
      always_comb assert (!valid[j] || !valid[later] || number < shown[later*W+:2]);
    end
  end

  for (genvar i = 0; i < N; i++) begin : g_lost
    logic [K-1:0] here, older;

    for (genvar j = 0; j < K; j++) begin : g_output
      assign here[j]  = valid[j] && shown[j*W+:2] == 2'(i);
      assign older[j] = valid[j] && shown[j*W+:2] < 2'(i);
    end

    always_comb begin
      // None lost: a valid input is shown, or every output shows an older one.
      assert (!valid_i[i] || here != '0 || older == '1);
      // It is taken where it stands, and nowhere else.
      assert (!valid_i[i] || ready[i] == ((here & ready_i) != '0));
    end
  end

endmodule
