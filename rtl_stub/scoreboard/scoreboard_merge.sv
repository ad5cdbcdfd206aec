// SPDX-License-Identifier: Apache-2.0

// Updates of one group that name one register become one: the first carries the sum, the later ones
// become register 0 without a change (muon-issue §3, consolidate).
module scoreboard_merge #(
    parameter int unsigned NumOps = 3,
    parameter int unsigned PregW  = 8,
    parameter int unsigned SumW   = 2
) (
    input logic [NumOps*PregW-1:0] preg_i,
    input logic [      NumOps-1:0] incr_i,
    input logic [      NumOps-1:0] decr_i,

    output logic [NumOps*PregW-1:0] preg_o,
    output logic [ NumOps*SumW-1:0] incr_o,
    output logic [ NumOps*SumW-1:0] decr_o
);

  for (genvar op = 0; op < NumOps; op++) begin : g_op
    logic repeated;
    logic [SumW-1:0] incr, decr;

    always_comb begin
      repeated = 1'b0;
      for (int unsigned earlier = 0; earlier < NumOps; earlier++) begin
        if ((earlier != op) && (earlier <= op)) begin
          repeated |= (preg_i[op*PregW+:PregW] == preg_i[earlier*PregW+:PregW]);
        end
      end

      incr = '0;
      decr = '0;
      for (int unsigned later = op; later < NumOps; later++) begin
        if (preg_i[op*PregW+:PregW] == preg_i[later*PregW+:PregW]) begin
          incr += SumW'(incr_i[later]);
          decr += SumW'(decr_i[later]);
        end
      end
    end

    assign preg_o[op*PregW+:PregW] = repeated ? '0 : preg_i[op*PregW+:PregW];
    assign incr_o[op*SumW+:SumW]   = repeated ? '0 : incr;
    assign decr_o[op*SumW+:SumW]   = repeated ? '0 : decr;
  end

endmodule
