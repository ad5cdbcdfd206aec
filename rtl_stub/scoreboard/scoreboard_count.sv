// SPDX-License-Identifier: Apache-2.0

// One update of one count, which stays as it is when it would leave 0..Max (muon-issue §3, apply).
module scoreboard_count #(
    parameter int unsigned Max = 7,
    parameter int unsigned CountW = 3,
    parameter int unsigned DeltaW = 2
) (
    input  logic              fixed_i,   // register 0: never changes, always succeeds
    input  logic [CountW-1:0] count_i,
    input  logic [DeltaW-1:0] incr_i,
    input  logic [DeltaW-1:0] decr_i,
    output logic [CountW-1:0] count_o,
    output logic              success_o
);

  localparam int unsigned SumW = ((CountW > DeltaW) ? CountW : DeltaW) + 1;

  logic [SumW-1:0] raised;
  logic overflow, underflow, change;

  always_comb begin
    raised = SumW'(count_i) + SumW'(incr_i);
    overflow = raised > SumW'(Max) + SumW'(decr_i);
    underflow = raised < SumW'(decr_i);
    change = !fixed_i && (incr_i != decr_i);
    success_o = !change || (!overflow && !underflow);
    count_o = (change && success_o) ? CountW'(raised - SumW'(decr_i)) : count_i;
  end

endmodule
