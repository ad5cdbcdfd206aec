// SPDX-License-Identifier: Apache-2.0

// Reservation station (muon-issue §5): rows that wait for write-backs, ask the collector for their
// operands and leave through a one-deep output stage. Ports carry the names of the emitted module's
// fields; index 0 of a field (operand, warp) is in the low bits. An instruction is one port.
module reservation_station_core #(
    parameter logic [31:0] NumWarps = 8,
    parameter logic [31:0] LaneBits = 32,  // a pc is as wide as a lane
    parameter logic [31:0] NumPregs = 256,
    parameter logic [31:0] RsEntries = 8,
    parameter logic [31:0] CollEntries = 2,
    parameter logic [31:0] ForwardCollIssue = 1,
    parameter logic [31:0] InOrderPerWarp = 0,
    parameter logic [31:0] AllowPartialCollect = 0,
    // An instruction: its width, and where wid, pc, rs1 to rs3, hasRs1 to hasRs3 begin in it
    parameter logic [31:0] EntryW = 173,
    parameter logic [31:0] EntryUopWidLsb = 9,
    parameter logic [31:0] EntryUopPcLsb = 12,
    parameter logic [31:0] EntryUopInstEssentials4Lsb = 87,
    parameter logic [31:0] EntryUopInstEssentials23Lsb = 127,
    localparam logic [31:0] NumOps = 3,
    localparam logic [31:0] PerfW = 64,
    localparam logic [31:0] PregW = $clog2(NumPregs),
    localparam logic [31:0] RowW = (RsEntries > 1) ? $clog2(RsEntries) : 1,
    localparam logic [31:0] CollIdW = (CollEntries > 1) ? $clog2(CollEntries) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic softReset_i,

    output logic              admit_ready_o,
    input  logic              admit_valid_i,
    input  logic [EntryW-1:0] admit_bits_ibufEntry_i,
    input  logic [NumOps-1:0] admit_bits_valid_i,
    input  logic [NumOps-1:0] admit_bits_busy_i,

    input  logic              issue_ready_i,
    output logic              issue_valid_o,
    output logic [EntryW-1:0] issue_bits_o,

    input logic             writeback_valid_i,
    input logic [PregW-1:0] writeback_bits_rd_i,

    output logic                    scb_updateColl_enable_o,
    output logic [       PregW-1:0] scb_updateColl_write_pReg_o,
    output logic                    scb_updateColl_write_incr_o,
    output logic                    scb_updateColl_write_decr_o,
    output logic [NumOps*PregW-1:0] scb_updateColl_reads_pReg_o,
    output logic [      NumOps-1:0] scb_updateColl_reads_incr_o,
    output logic [      NumOps-1:0] scb_updateColl_reads_decr_o,

    output logic                    scb_updateWB_enable_o,
    output logic [       PregW-1:0] scb_updateWB_write_pReg_o,
    output logic                    scb_updateWB_write_incr_o,
    output logic                    scb_updateWB_write_decr_o,
    output logic [NumOps*PregW-1:0] scb_updateWB_reads_pReg_o,
    output logic [      NumOps-1:0] scb_updateWB_reads_incr_o,
    output logic [      NumOps-1:0] scb_updateWB_reads_decr_o,

    input  logic                    collector_readReq_ready_i,
    output logic                    collector_readReq_valid_o,
    output logic [      NumOps-1:0] collector_readReq_bits_regs_enable_o,
    output logic [NumOps*PregW-1:0] collector_readReq_bits_regs_pReg_o,
    output logic [        RowW-1:0] collector_readReq_bits_rsEntryId_o,
    output logic [    LaneBits-1:0] collector_readReq_bits_pc_o,

    input logic               collector_readResp_valid_i,
    input logic [CollIdW-1:0] collector_readResp_bits_collEntry_i,
    input logic [ NumOps-1:0] collector_readResp_bits_regs_enable_i,

    output logic               collector_readData_req_valid_o,
    output logic [CollIdW-1:0] collector_readData_req_bits_collEntry_o,
    output logic [ NumOps-1:0] collector_readData_req_bits_regs_enable_o,

    output logic [         PerfW-1:0] perf_cyclesDispatched_o,
    output logic [         PerfW-1:0] perf_cyclesEligible_o,
    output logic [NumWarps*PerfW-1:0] perf_perWarp_cyclesDispatched_o,
    output logic [NumWarps*PerfW-1:0] perf_perWarp_cyclesEligible_o,
    output logic [NumWarps*PerfW-1:0] perf_perWarp_stallsRSFull_o,
    output logic [         PerfW-1:0] perf_accRsOccupancy_o
);

  localparam logic [31:0] WarpW = (NumWarps > 1) ? $clog2(NumWarps) : 1;
  localparam logic [31:0] WidLsb = EntryUopWidLsb;
  localparam logic [31:0] PcLsb = EntryUopPcLsb;
  localparam logic [31:0] RsLsb = EntryUopInstEssentials4Lsb;
  localparam logic [31:0] HasRsLsb = EntryUopInstEssentials23Lsb;

  // Rows, one element each
  logic [RsEntries-1:0] valid;
  logic [EntryW-1:0] entries[RsEntries];
  logic [RsEntries*WarpW-1:0] wids;
  logic [NumOps*PregW-1:0] sources[RsEntries];
  logic [NumOps-1:0] needs[RsEntries];
  logic [NumOps-1:0] taken[RsEntries];
  logic [NumOps-1:0] coll_fired[RsEntries];
  logic [CollIdW-1:0] coll_entries[RsEntries];
  logic [RsEntries-1:0] can_request, uncollected, complete;
  logic [RsEntries-1:0] admit_row, request_row, dispatch_row;

  // In-order rule; all 1 without it
  logic [RsEntries-1:0] oldest, may_request;

  logic [ WarpW-1:0] admit_wid;
  logic [NumOps-1:0] response_enable;

  // ---- rows -------------------------------------------------------------------------------------

  for (genvar row = 0; row < RsEntries; row++) begin : g_row
    reservation_station_row #(
        .NumPregs(NumPregs),
        .ForwardCollIssue(ForwardCollIssue),
        .AllowPartialCollect(AllowPartialCollect),
        .CollIdW(CollIdW),
        .EntryW(EntryW),
        .RsLsb(RsLsb),
        .HasRsLsb(HasRsLsb)
    ) u_row (
        .clk_i,
        .rst_i,
        .admit_i(admit_row[row]),
        .admit_entry_i(admit_bits_ibufEntry_i),
        .admit_op_ready_i(admit_bits_valid_i),
        .admit_busy_i(admit_bits_busy_i),
        .request_i(request_row[row]),
        .response_enable_i(response_enable),
        .response_entry_i(collector_readResp_bits_collEntry_i),
        .writeback_i(writeback_valid_i),
        .writeback_rd_i(writeback_bits_rd_i),
        .dispatch_i(dispatch_row[row]),
        .valid_o(valid[row]),
        .entry_o(entries[row]),
        .rs_o(sources[row]),
        .coll_fired_o(coll_fired[row]),
        .need_o(needs[row]),
        .can_request_o(can_request[row]),
        .uncollected_o(uncollected[row]),
        .taken_o(taken[row]),
        .complete_o(complete[row]),
        .coll_entry_o(coll_entries[row])
    );

    assign wids[row*WarpW+:WarpW] = entries[row][WidLsb+:WarpW];
  end

  if (InOrderPerWarp != 0) begin : g_in_order
    reservation_station_order #(
        .NumWarps (NumWarps),
        .RsEntries(RsEntries)
    ) u_order (
        .clk_i,
        .rst_i,
        .admit_i(admit_row),
        .admit_wid_i(admit_wid),
        .valid_i(valid),
        .wid_i(wids),
        .uncollected_i(uncollected),
        .oldest_o(oldest),
        .may_request_o(may_request)
    );
  end else begin : g_any_order
    logic unused_uncollected;
    assign unused_uncollected = ^uncollected;
    assign oldest = '1;
    assign may_request = '1;
  end

  // ---- admission --------------------------------------------------------------------------------

  assign admit_wid = admit_bits_ibufEntry_i[WidLsb+:WarpW];

  // The lowest free row
  for (genvar row = 0; row < RsEntries; row++) begin : g_admit_row
    if (row == 0) begin : g_first
      assign admit_row[row] = admit_valid_i && !valid[row];
    end else begin : g_behind
      assign admit_row[row] = admit_valid_i && !valid[row] && (valid[row-1:0] == '1);
    end
  end

  assign admit_ready_o = (valid != '1);

  // ---- collector --------------------------------------------------------------------------------

  logic [RsEntries-1:0] requests;
  logic [RowW-1:0] coll_row;

  always_comb begin
    requests = can_request & may_request;
    coll_row = RowW'(RsEntries - 1);
    for (int unsigned row = RsEntries; row > 0; row--) begin
      if (requests[row-1]) begin
        coll_row = RowW'(row - 1);
      end
    end
  end

  for (genvar row = 0; row < RsEntries; row++) begin : g_request_row
    assign request_row[row] =
        requests[row] && collector_readReq_ready_i && (coll_row == RowW'(row));
  end

  assign collector_readReq_valid_o = (requests != '0);
  assign collector_readReq_bits_rsEntryId_o = coll_row;
  assign collector_readReq_bits_pc_o = entries[coll_row][PcLsb+:LaneBits];

  // Registers are named whether or not there is a request: by the last row's contents then.
  for (genvar op = 0; op < NumOps; op++) begin : g_request
    logic need;
    assign need = needs[coll_row][op];
    assign collector_readReq_bits_regs_enable_o[op] = collector_readReq_valid_o && need;
    assign collector_readReq_bits_regs_pReg_o[op*PregW+:PregW] =
        need ? sources[coll_row][op*PregW+:PregW] : '0;
  end

  assign response_enable = collector_readResp_valid_i ? collector_readResp_bits_regs_enable_i : '0;
  assign scb_updateColl_enable_o = (response_enable != '0);

  for (genvar op = 0; op < NumOps; op++) begin : g_response
    logic [PregW-1:0] preg;

    always_comb begin
      preg = '0;
      for (int unsigned row = 0; row < RsEntries; row++) begin
        if (taken[row][op]) begin
          preg = sources[row][op*PregW+:PregW];
        end
      end
    end

    assign scb_updateColl_reads_pReg_o[op*PregW+:PregW] = preg;
    assign scb_updateColl_reads_decr_o[op] = (preg != '0);
  end

  // ---- dispatch ---------------------------------------------------------------------------------

  logic [RsEntries-1:0] candidates, grants;
  logic dispatch_valid, dispatch_fire;
  logic [RowW-1:0] dispatch_from;
  logic stage_ready;
  logic issue_fire;

  // Output stage
  logic full_q;
  logic [EntryW-1:0] entry_q;
  logic [NumOps-1:0] coll_fired_q;
  logic [CollIdW-1:0] coll_entry_q;

  assign candidates = complete & oldest;

  rr_arbiter #(
      .NumIn(RsEntries)
  ) u_arbiter (
      .clk_i,
      .valid_i (candidates),
      .ready_o (grants),
      .valid_o (dispatch_valid),
      .ready_i (stage_ready),
      .choice_o(dispatch_from)
  );

  assign stage_ready = !full_q || issue_ready_i;
  assign dispatch_fire = dispatch_valid && stage_ready;
  assign dispatch_row = candidates & grants;
  assign issue_fire = full_q && issue_ready_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      full_q <= 1'b0;
    end else begin
      full_q <= dispatch_valid || (full_q && !issue_ready_i);
    end
    // No reset reaches the contents: they load in a reset cycle too.
    if (dispatch_fire) begin
      entry_q <= entries[dispatch_from];
      coll_fired_q <= coll_fired[dispatch_from];
      coll_entry_q <= coll_entries[dispatch_from];
    end
  end

  assign issue_valid_o = full_q;
  assign issue_bits_o = entry_q;
  assign collector_readData_req_valid_o = issue_fire && (coll_fired_q != '0);
  assign collector_readData_req_bits_regs_enable_o = issue_fire ? entry_q[HasRsLsb+:NumOps] : '0;
  assign collector_readData_req_bits_collEntry_o = coll_entry_q;

  // ---- scoreboard -------------------------------------------------------------------------------

  assign scb_updateColl_write_pReg_o = '0;
  assign scb_updateColl_write_incr_o = 1'b0;
  assign scb_updateColl_write_decr_o = 1'b0;
  assign scb_updateColl_reads_incr_o = '0;

  assign scb_updateWB_enable_o = writeback_valid_i;
  assign scb_updateWB_write_pReg_o = writeback_valid_i ? writeback_bits_rd_i : '0;
  assign scb_updateWB_write_incr_o = 1'b0;
  assign scb_updateWB_write_decr_o = writeback_valid_i;
  assign scb_updateWB_reads_pReg_o = '0;
  assign scb_updateWB_reads_incr_o = '0;
  assign scb_updateWB_reads_decr_o = '0;

  // ---- performance counters, of the state before the edge ---------------------------------------

  logic clear;
  logic [PerfW-1:0] occupancy;
  logic [PerfW-1:0] cycles_dispatched_q, cycles_eligible_q, occupancy_q;

  assign clear = rst_i || softReset_i;

  always_comb begin
    occupancy = '0;
    for (int unsigned row = 0; row < RsEntries; row++) begin
      occupancy += PerfW'(valid[row]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear) begin
      cycles_dispatched_q <= '0;
      cycles_eligible_q <= '0;
      occupancy_q <= '0;
    end else begin
      cycles_dispatched_q <= cycles_dispatched_q + PerfW'(valid != '0);
      cycles_eligible_q <= cycles_eligible_q + PerfW'(candidates != '0);
      occupancy_q <= occupancy_q + occupancy;
    end
  end

  assign perf_cyclesDispatched_o = cycles_dispatched_q;
  assign perf_cyclesEligible_o   = cycles_eligible_q;
  assign perf_accRsOccupancy_o   = occupancy_q;

  for (genvar warp = 0; warp < NumWarps; warp++) begin : g_warp
    logic [RsEntries-1:0] mine;
    logic refused;
    logic [PerfW-1:0] dispatched_q, eligible_q, refused_q;

    for (genvar row = 0; row < RsEntries; row++) begin : g_mine
      assign mine[row] = (wids[row*WarpW+:WarpW] == WarpW'(warp));
    end

    assign refused = admit_valid_i && !admit_ready_o && (admit_wid == WarpW'(warp));

    always_ff @(posedge clk_i) begin
      if (clear) begin
        dispatched_q <= '0;
        eligible_q <= '0;
        refused_q <= '0;
      end else begin
        dispatched_q <= dispatched_q + PerfW'((valid & mine) != '0);
        eligible_q <= eligible_q + PerfW'((candidates & mine) != '0);
        refused_q <= refused_q + PerfW'(refused);
      end
    end

    assign perf_perWarp_cyclesDispatched_o[warp*PerfW+:PerfW] = dispatched_q;
    assign perf_perWarp_cyclesEligible_o[warp*PerfW+:PerfW] = eligible_q;
    assign perf_perWarp_stallsRSFull_o[warp*PerfW+:PerfW] = refused_q;
  end

endmodule
