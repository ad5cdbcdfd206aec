// SPDX-License-Identifier: Apache-2.0

// A scoreboard with the ports of Vortex's, interfaces of structs, around the stub's core.
package gpu_pkg;
  localparam int unsigned Warps = 4;

  typedef struct packed {
    logic [15:0] imm;
    logic [20:0] rest;
  } args_t;

  typedef struct packed {
    logic [43:0] uuid;
    logic [3:0]  tmask;
    logic [31:0] PC;
    logic [1:0]  ex_type;
    logic [3:0]  op_type;
    args_t       op_args;
    logic        wb;
    logic [2:0]  used_rs;
    logic [5:0]  rd, rs1, rs2, rs3;
  } ibuffer_t;

  typedef struct packed {
    logic [43:0] uuid;
    logic [1:0]  wis;
    logic [3:0]  tmask;
    logic [31:0] PC;
    logic [1:0]  ex_type;
    logic [3:0]  op_type;
    args_t       op_args;
    logic        wb;
    logic [2:0]  used_rs;
    logic [5:0]  rd, rs1, rs2, rs3;
  } scoreboard_t;

  typedef struct packed {
    logic [43:0] uuid;
    logic [1:0] wis;
    logic [3:0] tmask;
    logic [31:0] PC;
    logic [5:0] rd;
    logic [3:0][31:0] data;
    logic sop, eop;
  } writeback_t;
endpackage

interface ibuffer_bus import gpu_pkg::*; ();
  logic valid;
  ibuffer_t data;
  logic ready;
  modport master(output valid, output data, input ready);
  modport slave(input valid, input data, output ready);
endinterface

interface scoreboard_bus import gpu_pkg::*; ();
  logic valid;
  scoreboard_t data;
  logic ready;
  modport master(output valid, output data, input ready);
  modport slave(input valid, input data, output ready);
endinterface

interface writeback_bus import gpu_pkg::*; ();
  logic valid;
  writeback_t data;
  modport master(output valid, output data);
  modport slave(input valid, input data);
endinterface

module VX_scoreboard
  import gpu_pkg::*;
#(
    parameter INSTANCE_ID = "",
    parameter ISSUE_ID = 0
) (
    input wire clk,
    input wire reset,
    output wire [43:0] perf_stalls,
    output wire [3:0][43:0] perf_units_uses,
    output wire [1:0][43:0] perf_sfu_uses,
    writeback_bus.slave writeback_if,
    ibuffer_bus.slave ibuffer_if[Warps],
    scoreboard_bus.master scoreboard_if
);

  localparam int unsigned InstrW = 156;
  logic [Warps-1:0] valid, ready;
  logic [Warps-1:0][InstrW-1:0] data;
  logic [InstrW-1:0] sent;
  logic [1:0] wis;
  ibuffer_t out;

  for (genvar w = 0; w < Warps; w++) begin : g_warp
    assign valid[w] = ibuffer_if[w].valid;
    assign ibuffer_if[w].ready = ready[w];
    assign data[w] = {
      ibuffer_if[w].data.uuid, ibuffer_if[w].data.tmask, ibuffer_if[w].data.PC,
      ibuffer_if[w].data.ex_type, ibuffer_if[w].data.op_type, ibuffer_if[w].data.op_args, 5'd0,
      ibuffer_if[w].data.wb, ibuffer_if[w].data.used_rs, ibuffer_if[w].data.rd,
      ibuffer_if[w].data.rs1, ibuffer_if[w].data.rs2, ibuffer_if[w].data.rs3
    };
  end

  assign out = {sent[155:33], sent[27:0]};
  assign scoreboard_if.data = {
    out.uuid, wis, out.tmask, out.PC, out.ex_type, out.op_type, out.op_args, out.wb, out.used_rs,
    out.rd, out.rs1, out.rs2, out.rs3
  };

  vx_scoreboard_core #(
      .PerfEnable(1),
      .InstrW(InstrW),
      .InstrExTypeLsb(74),
      .InstrOpTypeLsb(70),
      .InstrWbLsb(27),
      .InstrUsedRsLsb(24),
      .InstrRdLsb(18),
      .InstrRs1Lsb(12),
      .InstrRs2Lsb(6),
      .InstrRs3Lsb(0)
  ) u_core (
      .clk_i(clk),
      .rst_i(reset),
      .perf_stalls_o(perf_stalls),
      .perf_units_uses_o(perf_units_uses),
      .perf_sfu_uses_0_o(perf_sfu_uses[0]),
      .perf_sfu_uses_1_o(perf_sfu_uses[1]),
      .wb_valid_i(writeback_if.valid),
      .wb_data_wis_i(writeback_if.data.wis),
      .wb_data_rd_i(writeback_if.data.rd),
      .wb_data_eop_i(writeback_if.data.eop),
      .ib_valid_i(valid),
      .ib_ready_o(ready),
      .ib_data_i(data),
      .sb_valid_o(scoreboard_if.valid),
      .sb_ready_i(scoreboard_if.ready),
      .sb_data_wis_o(wis),
      .sb_data_o(sent)
  );

endmodule
