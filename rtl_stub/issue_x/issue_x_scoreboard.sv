// SPDX-License-Identifier: Apache-2.0

// Pending reads and writes of each register, and with War = 2 the epoch that its reads count in
// (muon-designs §2, §6; muon-issue §3). Admissions see this cycle's decrements and written register;
// what refuses a write is of the state before the edge.
module issue_x_scoreboard #(
    parameter logic [31:0] NumPregs = 256,
    parameter logic [31:0] MaxPendingReads = 7,
    parameter logic [31:0] War = 0,
    parameter logic [31:0] Decrements = 9,
    localparam logic [31:0] NumOps = 3,
    localparam logic [31:0] PregW = $clog2(NumPregs)
) (
    input logic clk_i,
    input logic rst_i,

    input logic [      Decrements-1:0] decr_i,
    input logic [Decrements*PregW-1:0] decr_preg_i,
    input logic [      Decrements-1:0] decr_epoch_i,
    input logic                        commit_i,
    input logic [           PregW-1:0] commit_rd_i,

    output logic [NumPregs-1:0] refused_o,  // a write of the register, by reads of its old value
    output logic [NumPregs-1:0] pending_writes_o,
    output logic [NumPregs-1:0] pending_reads_o,  // any; of epoch 0

    // The instruction that is to be admitted
    input  logic [       PregW-1:0] rd_i,
    input  logic                    has_rd_i,
    input  logic [NumOps*PregW-1:0] rs_i,
    input  logic [      NumOps-1:0] counts_i,  // sources that are counted
    output logic [      NumOps-1:0] epoch_o,   // of its sources
    output logic                    fits_o,    // no count becomes too large
    input  logic                    admit_i
);

  localparam logic [31:0] CountW = $clog2(MaxPendingReads + 1);
  localparam logic [31:0] SumW = CountW + $clog2(Decrements + 1);
  localparam logic [31:0] Epochs = (War == 2) ? 2 : 1;

  // Of register p in epoch e: element e * NumPregs + p
  logic [Epochs*NumPregs*CountW-1:0] reads_d, reads_left, reads_q;
  logic [NumPregs-1:0] writes_d, writes_left, writes_q;
  logic [NumPregs-1:0] epoch_d, epoch_q;

  logic [Decrements*32-1:0] decr_at;
  logic [CountW-1:0] count;
  logic [SumW-1:0] total, sum;
  logic [NumOps-1:0] counted;
  logic [NumOps*32-1:0] at;

  // Decrements of one count are one, without which it stays if it would fall below 0 (muon-issue §3).
  always_comb begin
    reads_left = reads_q;
    for (int unsigned n = 0; n < Decrements; n++) begin
      decr_at[n*32+:32] = 32'(decr_preg_i[n*PregW+:PregW]) +
          ((War == 2 && decr_epoch_i[n]) ? NumPregs : 0);
    end
    for (int unsigned n = 0; n < Decrements; n++) begin
      total = '0;
      for (int unsigned other = 0; other < Decrements; other++) begin
        total += SumW'(decr_i[other] && (decr_at[other*32+:32] == decr_at[n*32+:32]));
      end
      count = reads_q[decr_at[n*32+:32]*CountW+:CountW];
      if (decr_i[n] && (decr_preg_i[n*PregW+:PregW] != '0) && (total <= SumW'(count))) begin
        reads_left[decr_at[n*32+:32]*CountW+:CountW] = CountW'(SumW'(count) - total);
      end
    end
    writes_left = writes_q;
    if (commit_i) begin
      writes_left[commit_rd_i] = 1'b0;
    end
  end

  always_comb begin
    fits_o = 1'b1;
    for (int unsigned op = 0; op < NumOps; op++) begin
      epoch_o[op]   = epoch_q[rs_i[op*PregW+:PregW]];
      counted[op]   = counts_i[op] && (rs_i[op*PregW+:PregW] != '0);
      at[op*32+:32] = 32'(rs_i[op*PregW+:PregW]) + (epoch_o[op] ? NumPregs : 0);
    end
    for (int unsigned op = 0; op < NumOps; op++) begin
      sum = SumW'(reads_left[at[op*32+:32]*CountW+:CountW]);
      for (int unsigned other = 0; other < NumOps; other++) begin
        if (counted[other] && (rs_i[op*PregW+:PregW] == rs_i[other*PregW+:PregW])) begin
          sum = sum + 1'b1;
        end
      end
      if (counted[op] && (sum > SumW'(MaxPendingReads))) begin
        fits_o = 1'b0;
      end
    end
  end

  always_comb begin
    reads_d  = reads_left;
    writes_d = writes_left;
    epoch_d  = epoch_q;
    if (admit_i) begin
      for (int unsigned op = 0; op < NumOps; op++) begin
        if (counted[op]) begin
          reads_d[at[op*32+:32]*CountW+:CountW] = reads_d[at[op*32+:32]*CountW+:CountW] + 1'b1;
        end
      end
      if (has_rd_i && (rd_i != '0)) begin
        writes_d[rd_i] = 1'b1;
        epoch_d[rd_i]  = (War == 2) && !epoch_q[rd_i];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      reads_q  <= '0;
      writes_q <= '0;
      epoch_q  <= '0;
    end else begin
      reads_q  <= reads_d;
      writes_q <= writes_d;
      epoch_q  <= epoch_d;
    end
  end

  for (genvar preg = 0; preg < NumPregs; preg++) begin : g_preg
    assign pending_reads_o[preg] = (reads_left[preg*CountW+:CountW] != '0);
    if (War == 0 || preg == 0) begin : g_never
      assign refused_o[preg] = 1'b0;
    end else if (War == 1) begin : g_stall
      assign refused_o[preg] = (reads_q[preg*CountW+:CountW] != '0);
    end else begin : g_epoch
      assign refused_o[preg] = epoch_q[preg] ? (reads_q[preg*CountW+:CountW] != '0) :
          (reads_q[(NumPregs+preg)*CountW+:CountW] != '0);
    end
  end

  assign pending_writes_o = writes_left;

endmodule
