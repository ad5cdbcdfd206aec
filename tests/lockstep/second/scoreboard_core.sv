// SPDX-License-Identifier: Apache-2.0

// Scoreboard (muon-issue §3) seen from its registers: each counts the updates that name it.
module scoreboard_core #(
    parameter int unsigned NumWarps = 8,
    parameter int unsigned NumPregs = 256,
    parameter int unsigned MaxPendingReads = 7,
    localparam int unsigned NumOps = 3,
    localparam int unsigned PregW = $clog2(NumPregs),
    localparam int unsigned CountW = $clog2(MaxPendingReads + 1)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                         updateColl_enable_i,
    input  logic [NumOps-1:0][PregW-1:0] updateColl_reads_pReg_i,
    input  logic [NumOps-1:0]            updateColl_reads_incr_i,
    input  logic [NumOps-1:0]            updateColl_reads_decr_i,
    output logic                         updateColl_success_o,

    input  logic             updateWB_enable_i,
    input  logic [PregW-1:0] updateWB_write_pReg_i,
    input  logic             updateWB_write_incr_i,
    input  logic             updateWB_write_decr_i,
    output logic             updateWB_success_o,

    input  logic                         hazard_updateRS_enable_i,
    input  logic [PregW-1:0]             hazard_updateRS_write_pReg_i,
    input  logic                         hazard_updateRS_write_incr_i,
    input  logic                         hazard_updateRS_write_decr_i,
    input  logic [NumOps-1:0][PregW-1:0] hazard_updateRS_reads_pReg_i,
    input  logic [NumOps-1:0]            hazard_updateRS_reads_incr_i,
    input  logic [NumOps-1:0]            hazard_updateRS_reads_decr_i,
    output logic                         hazard_updateRS_success_o,

    input  logic [NumWarps-1:0]             hazard_warps_readRs1_enable_i,
    input  logic [NumWarps-1:0][PregW-1:0]  hazard_warps_readRs1_pReg_i,
    output logic [NumWarps-1:0][CountW-1:0] hazard_warps_readRs1_pendingReads_o,
    output logic [NumWarps-1:0]             hazard_warps_readRs1_pendingWrites_o,

    input  logic [NumWarps-1:0]             hazard_warps_readRs2_enable_i,
    input  logic [NumWarps-1:0][PregW-1:0]  hazard_warps_readRs2_pReg_i,
    output logic [NumWarps-1:0][CountW-1:0] hazard_warps_readRs2_pendingReads_o,
    output logic [NumWarps-1:0]             hazard_warps_readRs2_pendingWrites_o,

    input  logic [NumWarps-1:0]             hazard_warps_readRs3_enable_i,
    input  logic [NumWarps-1:0][PregW-1:0]  hazard_warps_readRs3_pReg_i,
    output logic [NumWarps-1:0][CountW-1:0] hazard_warps_readRs3_pendingReads_o,
    output logic [NumWarps-1:0]             hazard_warps_readRs3_pendingWrites_o,

    input  logic [NumWarps-1:0]             hazard_warps_readRd_enable_i,
    input  logic [NumWarps-1:0][PregW-1:0]  hazard_warps_readRd_pReg_i,
    output logic [NumWarps-1:0][CountW-1:0] hazard_warps_readRd_pendingReads_o,
    output logic [NumWarps-1:0]             hazard_warps_readRd_pendingWrites_o
);

  // After collector and write-back; register 0 has no count.
  logic [NumPregs-1:0][CountW-1:0] reads;
  logic [NumPregs-1:0] writes;
  logic [NumPregs-1:0] coll_fits, wb_fits, rs_fits;
  logic others_count, rs_counts;

  assign reads[0] = '0;
  assign writes[0] = 1'b0;
  assign {coll_fits[0], wb_fits[0], rs_fits[0]} = '1;

  for (genvar preg = 1; preg < NumPregs; preg++) begin : g_register
    localparam logic [PregW-1:0] Own = PregW'(preg);
    logic [CountW-1:0] reads_q, reads_later;
    logic unwritten_q, writes_later;
    logic reads_fit, write_fits;

    scoreboard_sum #(
        .NumOps(NumOps),
        .PregW (PregW),
        .Own   (Own),
        .Max   (MaxPendingReads)
    ) u_coll (
        .preg_i(updateColl_reads_pReg_i),
        .incr_i(updateColl_reads_incr_i),
        .decr_i(updateColl_reads_decr_i),
        .count_i(reads_q),
        .count_o(reads[preg]),
        .fits_o(coll_fits[preg])
    );

    scoreboard_sum #(
        .NumOps(NumOps),
        .PregW (PregW),
        .Own   (Own),
        .Max   (MaxPendingReads)
    ) u_rs (
        .preg_i(hazard_updateRS_reads_pReg_i),
        .incr_i(hazard_updateRS_reads_incr_i),
        .decr_i(hazard_updateRS_reads_decr_i),
        .count_i(reads[preg]),
        .count_o(reads_later),
        .fits_o(reads_fit)
    );

    scoreboard_sum #(
        .NumOps(1),
        .PregW (PregW),
        .Own   (Own),
        .Max   (1)
    ) u_wb (
        .preg_i(updateWB_write_pReg_i),
        .incr_i(updateWB_write_incr_i),
        .decr_i(updateWB_write_decr_i),
        .count_i(!unwritten_q),
        .count_o(writes[preg]),
        .fits_o(wb_fits[preg])
    );

    scoreboard_sum #(
        .NumOps(1),
        .PregW (PregW),
        .Own   (Own),
        .Max   (1)
    ) u_rs_write (
        .preg_i(hazard_updateRS_write_pReg_i),
        .incr_i(hazard_updateRS_write_incr_i),
        .decr_i(hazard_updateRS_write_decr_i),
        .count_i(writes[preg]),
        .count_o(writes_later),
        .fits_o(write_fits)
    );

    assign rs_fits[preg] = reads_fit && write_fits;

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        reads_q <= '0;
        unwritten_q <= 1'b1;
      end else if (others_count) begin
        reads_q <= rs_counts ? reads_later : reads[preg];
        unwritten_q <= rs_counts ? !writes_later : !writes[preg];
      end
    end
  end

  assign rs_counts = hazard_updateRS_enable_i && (&rs_fits);
  assign others_count = |{updateColl_enable_i, updateWB_enable_i, hazard_updateRS_enable_i};

  assign updateColl_success_o = &coll_fits;
  assign updateWB_success_o = &wb_fits;
  assign hazard_updateRS_success_o = rs_counts;

  for (genvar warp = 0; warp < NumWarps; warp++) begin : g_warp
    logic [PregW-1:0] rs1, rs2, rs3, rd;

    assign rs1 = hazard_warps_readRs1_enable_i[warp] ? hazard_warps_readRs1_pReg_i[warp] : '0;
    assign rs2 = hazard_warps_readRs2_enable_i[warp] ? hazard_warps_readRs2_pReg_i[warp] : '0;
    assign rs3 = hazard_warps_readRs3_enable_i[warp] ? hazard_warps_readRs3_pReg_i[warp] : '0;
    assign rd = hazard_warps_readRd_enable_i[warp] ? hazard_warps_readRd_pReg_i[warp] : '0;
    assign hazard_warps_readRs1_pendingReads_o[warp] = reads[rs1];
    assign hazard_warps_readRs2_pendingReads_o[warp] = reads[rs2];
    assign hazard_warps_readRs3_pendingReads_o[warp] = reads[rs3];
    assign hazard_warps_readRd_pendingReads_o[warp] = reads[rd];
    assign hazard_warps_readRs1_pendingWrites_o[warp] = writes[rs1];
    assign hazard_warps_readRs2_pendingWrites_o[warp] = writes[rs2];
    assign hazard_warps_readRs3_pendingWrites_o[warp] = writes[rs3];
    assign hazard_warps_readRd_pendingWrites_o[warp] = writes[rd];
  end

endmodule

// The count of one register after all updates of a group that name it; it stays as it is when it
// would leave 0..Max.
module scoreboard_sum #(
    parameter int unsigned NumOps = 3,
    parameter int unsigned PregW = 8,
    parameter logic [PregW-1:0] Own = '0,
    parameter int unsigned Max = 7,
    localparam int unsigned CountW = $clog2(Max + 1)
) (
    input logic [NumOps-1:0][PregW-1:0] preg_i,
    input logic [NumOps-1:0]            incr_i,
    input logic [NumOps-1:0]            decr_i,

    input  logic [CountW-1:0] count_i,
    output logic [CountW-1:0] count_o,
    output logic              fits_o
);

  int change, sum;

  always_comb begin
    change = 0;
    for (int unsigned op = 0; op < NumOps; op++) begin
      if (preg_i[op] == Own) change += int'(incr_i[op]) - int'(decr_i[op]);
    end
    sum = int'(count_i) + change;
    fits_o = (change == 0) || ((sum >= 0) && (sum <= int'(Max)));
    count_o = fits_o ? CountW'(sum) : count_i;
  end

endmodule
