// SPDX-License-Identifier: Apache-2.0

// BOOM's Compactor as its text has it (boom-dispatch, Compactor): a pointer of one hot bit that each
// valid input moves on.
module compact #(
    parameter int unsigned NumIn  = 4,
    parameter int unsigned NumOut = 2,
    parameter int unsigned DataW  = 8
) (
    input  logic [      NumIn-1:0] valid_i,
    output logic [      NumIn-1:0] ready_o,
    input  logic [NumIn*DataW-1:0] data_i,

    output logic [      NumOut-1:0] valid_o,
    input  logic [      NumOut-1:0] ready_i,
    output logic [NumOut*DataW-1:0] data_o
);

  if (NumIn == NumOut) begin : g_all
    assign {valid_o, ready_o, data_o} = {valid_i, ready_i, data_i};
  end else begin : g_some
    logic [NumIn-1:0][NumOut-1:0] pointer;

    assign pointer[0] = NumOut'(1);
    for (genvar i = 1; i < NumIn; i++) begin : g_pointer
      assign pointer[i] = valid_i[i-1] ? pointer[i-1] << 1 : pointer[i-1];
    end

    for (genvar i = 0; i < NumIn; i++) begin : g_ready
      assign ready_o[i] = |(pointer[i] & ready_i);
    end

    for (genvar j = 0; j < NumOut; j++) begin : g_out
      logic [NumIn-1:0] taken;
      logic [NumIn-1:0][DataW-1:0] passed;  // of this input and those before it

      for (genvar i = 0; i < NumIn; i++) begin : g_in
        logic [DataW-1:0] own;
        assign taken[i] = pointer[i][j] & valid_i[i];
        assign own = data_i[i*DataW+:DataW] & {DataW{taken[i]}};
        if (i == 0) begin : g_first
          assign passed[i] = own;
        end else begin : g_behind
          assign passed[i] = passed[i-1] | own;
        end
      end

      assign valid_o[j] = |taken;
      assign data_o[j*DataW+:DataW] = passed[NumIn-1];
    end
  end

endmodule
