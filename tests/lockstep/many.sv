// SPDX-License-Identifier: Apache-2.0

// Ten collectors as model modules, each beside a stub with the same inputs: every output is equal
// before every edge. Two clocks; every third instance has a gated one; each is reset twice, at its
// own time. The driver is that of pair.sv. What lists the ports is written by test_model.py: DRIVER,
// WIRES, PINS, STUB_WIRES, STUB_PINS, OUTPUTS, STUB_OUTPUTS. SECOND is the module of the last one.
// +UPSET=N: a register of the stub in instance 7 is inverted in its cycle N.
`include "ports.svh"
`ifndef SECOND
`define SECOND CollectorModel
`endif

module lane #(
    parameter int Index = 0
) (
    input logic clock
);

  `WIRES;
  `STUB_WIRES;
  logic reset = 1'b1;
  int   cycle = 0;
  int   compared = 0;
  int   upset = -1;

  driver #(.Seed(64'h1234_5678_9abc_def1 * (Index + 1))) u_driver (.*);

  DuplicatedCollector u_stub (`STUB_PINS, .clock, .reset);

  if (Index == 9) begin : g_model
    `SECOND u_model (`PINS, .clock, .reset);
  end else begin : g_model
    CollectorModel u_model (`PINS, .clock, .reset);
  end

  always @(posedge clock) begin
    cycle <= cycle + 1;
    reset <= (cycle < 3) || (cycle >= 500 + 10 * Index && cycle < 502 + 11 * Index);
    compared <= compared + $bits(`OUTPUTS);
    if (`OUTPUTS != `STUB_OUTPUTS) begin
      $display("lane %0d differs in cycle %0d", Index, cycle);
      $finish;
    end
  end

  initial begin
    if ($value$plusargs("UPSET=%d", upset) && Index == 7) begin
      wait (cycle == upset);
      force u_stub.u_core.next_alloc_id_q = ~u_stub.u_core.next_alloc_id_q;
      wait (cycle == upset + 1);
      release u_stub.u_core.next_alloc_id_q;
    end
  end

endmodule

module many;

  bit clock_a = 1'b0;
  bit clock_b = 1'b0;
  bit enable_q = 1'b0;  // of the gated clock: changes while the clock is low
  int edges = 0;

  always #5 clock_a = ~clock_a;
  always #7 clock_b = ~clock_b;

  always @(negedge clock_a) begin
    edges <= edges + 1;
    enable_q <= (edges % 7 < 3);
  end

  for (genvar i = 0; i < 10; i++) begin : g_lane
    if (i % 3 == 2) begin : g_clock
      wire clock = clock_a & enable_q;
    end else if (i % 3 == 1) begin : g_clock
      wire clock = clock_b;
    end else begin : g_clock
      wire clock = clock_a;
    end
    lane #(.Index(i)) u_lane (.clock(g_clock.clock));
  end

  always @(posedge clock_a) begin
    if (edges == 2000) begin
      $display("compared %0d bits of the gated one, %0d of another", g_lane[2].u_lane.compared,
               g_lane[0].u_lane.compared);
      $display("all equal");
      $finish;
    end
  end

endmodule
