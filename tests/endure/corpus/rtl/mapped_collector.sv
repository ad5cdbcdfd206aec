// SPDX-License-Identifier: Apache-2.0
// A collector under names and shapes of its own: asynchronous reset, active low, packed arrays, and
// two ports that the block does not have.
module opc #(
    parameter int LANES = 2,
    parameter int ENTRIES = 2,
    parameter int PREGS = 16
) (
    input  logic                              clk,
    input  logic                              rst_n,
    input  logic                              scan_en,
    output logic                              dbg_busy,
    output logic                              rd_ready,
    input  logic                              rd_valid,
    input  logic [2:0]                        rd_en,
    input  logic [2:0][$clog2(PREGS)-1:0]     rd_preg,
    output logic                              resp_valid,
    output logic [$clog2(ENTRIES)-1:0]        resp_entry,
    output logic [2:0]                        resp_en,
    output logic                              wr_ready,
    input  logic                              wr_valid,
    input  logic                              wr_en,
    input  logic [$clog2(PREGS)-1:0]          wr_preg,
    input  logic [LANES-1:0]                  wr_mask,
    input  logic [LANES-1:0][31:0]            wr_data,
    output logic                              wr_done,
    input  logic                              get_valid,
    input  logic [$clog2(ENTRIES)-1:0]        get_entry,
    input  logic [2:0]                        get_en,
    output logic                              got_valid,
    output logic [2:0]                        got_en,
    output logic [2:0][LANES-1:0][31:0]       got_data
);
  logic [LANES-1:0][31:0] regs[3][PREGS];
  logic [ENTRIES-1:0][2:0][LANES-1:0][31:0] held;
  logic [2:0][$clog2(PREGS)-1:0] preg, row;
  logic [ENTRIES-1:0] busy;
  logic [$clog2(ENTRIES)-1:0] lowest;

  wire frees = get_valid && get_en != 0;
  wire fires = rd_valid && rd_ready;
  assign rd_ready = !(&busy) || frees;
  assign dbg_busy = |busy;
  assign wr_ready = 1;
  assign got_valid = busy[get_entry];
  assign got_en = get_valid ? get_en : 0;
  assign got_data = held[get_entry];

  always_comb begin
    lowest = $clog2(ENTRIES)'(ENTRIES - 1);
    for (int e = ENTRIES - 1; e >= 0; e--) if (!busy[e]) lowest = $clog2(ENTRIES)'(e);
  end

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      busy <= 0;
      resp_valid <= 0;
      resp_entry <= 0;
      resp_en <= 0;
      preg <= 0;
      held <= 0;
    end else begin
      resp_valid <= fires;
      resp_en <= fires ? rd_en : 0;
      preg <= rd_preg;
      if (fires) resp_entry <= frees ? get_entry : lowest;
      if (fires && !frees) busy[lowest] <= 1;
      if (frees && !fires) busy[get_entry] <= 0;
      for (int r = 0; r < 3; r++) begin
        if (resp_en[r]) held[resp_entry][r] <= preg[r] == 0 ? 0 : regs[r][row[r]];
      end
    end
  end

  // No reset reaches these.
  always_ff @(posedge clk) begin
    wr_done <= wr_valid && wr_en;
    for (int r = 0; r < 3; r++) begin
      if (fires && rd_en[r]) row[r] <= rd_preg[r];
      for (int l = 0; l < LANES; l++) begin
        if (wr_valid && wr_en && wr_mask[l] && !scan_en) regs[r][wr_preg][l] <= wr_data[l];
      end
    end
  end
endmodule
