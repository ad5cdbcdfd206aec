// SPDX-License-Identifier: Apache-2.0

// The first NumOut valid inputs side by side, in order (boom-dispatch, Compactor). What goes where
// depends on valid alone; with as many outputs as inputs nothing moves.
module compact #(
    parameter logic [31:0] NumIn  = 4,
    parameter logic [31:0] NumOut = 2,
    parameter logic [31:0] DataW  = 8
) (
    input  logic [      NumIn-1:0] valid_i,
    output logic [      NumIn-1:0] ready_o,
    input  logic [NumIn*DataW-1:0] data_i,

    output logic [      NumOut-1:0] valid_o,
    input  logic [      NumOut-1:0] ready_i,
    output logic [NumOut*DataW-1:0] data_o
);

  localparam logic [31:0] CountW = $clog2(NumIn + 1);

  if (NumIn == NumOut) begin : g_wires
    assign valid_o = valid_i;
    assign ready_o = ready_i;
    assign data_o  = data_i;
  end else begin : g_pack
    // Of each input, the valid ones before it: its output, as far as there is one.
    logic [NumIn*CountW-1:0] ahead;

    always_comb begin
      ahead = '0;
      for (int unsigned i = 1; i < NumIn; i++) begin
        ahead[i*CountW+:CountW] = ahead[(i-1)*CountW+:CountW] + CountW'(valid_i[i-1]);
      end
    end

    always_comb begin
      valid_o = '0;
      ready_o = '0;
      data_o  = '0;
      for (int unsigned i = 0; i < NumIn; i++) begin
        for (int unsigned j = 0; j < NumOut; j++) begin
          if (ahead[i*CountW+:CountW] == CountW'(j)) begin
            ready_o[i] = ready_i[j];
            if (valid_i[i]) begin
              valid_o[j] = 1'b1;
              data_o[j*DataW+:DataW] = data_i[i*DataW+:DataW];
            end
          end
        end
      end
    end
  end

endmodule
