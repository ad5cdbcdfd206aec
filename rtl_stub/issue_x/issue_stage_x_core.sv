// SPDX-License-Identifier: Apache-2.0

// The issue stage of the Muon document, by configuration (muon-designs): admission, rows, allocator,
// forwarding and write-back service around a collector. Ports carry the names of the emitted module's
// fields; index 0 of a field (warp, port, operand) is in the low bits, an instruction is one port. A
// parameter that has names is the position of its value: collector 0 duplicated, 1 src_banked, 2
// inst_banked, 3 caching; coll_alloc 0 request, 1 eager, 2 admit; forwarding 0 none, 1 egress, 2 must;
// war 0 gate, 1 stall, 2 epoch. Ports that there are not are 1 bit wide.
module issue_stage_x_core #(
    parameter logic [31:0] NumWarps = 8,
    parameter logic [31:0] NumLanes = 16,
    parameter logic [31:0] LaneBits = 32,
    parameter logic [31:0] NumPregs = 256,
    parameter logic [31:0] RsEntries = 8,
    parameter logic [31:0] RegBanks = 1,
    parameter logic [31:0] MaxPendingReads = 7,
    parameter logic [31:0] CountForwardedReads = 1,
    parameter logic [31:0] ForwardCollIssue = 1,
    parameter logic [31:0] InOrderPerWarp = 0,
    parameter logic [31:0] Collector = 0,
    parameter logic [31:0] CollBanks = 3,
    parameter logic [31:0] CollDepth = 2,
    parameter logic [31:0] BankMap = 0,
    parameter logic [31:0] CollAlloc = 0,
    parameter logic [31:0] AllocOrder = 0,
    parameter logic [31:0] AllocRows = 1,
    parameter logic [31:0] ReadBroadcast = 0,
    parameter logic [31:0] Forwarding = 0,
    parameter logic [31:0] War = 0,
    parameter logic [31:0] IbufWindow = 1,
    parameter logic [31:0] IssuePorts = 1,
    parameter logic [31:0] WbBuffer = 0,
    // An instruction: its width, and where wid, rd, rs1 to rs3, hasRd, hasRs1 to hasRs3 begin in it
    parameter logic [31:0] EntryW = 173,
    parameter logic [31:0] EntryUopWidLsb = 9,
    parameter logic [31:0] EntryUopInstEssentials3Lsb = 79,
    parameter logic [31:0] EntryUopInstEssentials4Lsb = 87,
    parameter logic [31:0] EntryUopInstEssentials22Lsb = 126,
    parameter logic [31:0] EntryUopInstEssentials23Lsb = 127,
    localparam logic [31:0] NumOps = 3,
    localparam logic [31:0] PerfW = 64,
    localparam logic [31:0] PregW = $clog2(NumPregs),
    localparam logic [31:0] RegBits = NumLanes * LaneBits,
    localparam logic [31:0] FuW = (CollBanks > 1) ? $clog2(CollBanks) : 1,
    localparam logic [31:0] Behind = NumWarps * (IbufWindow - 1),  // instructions behind the heads
    localparam logic [31:0] BehindW = (Behind > 0) ? Behind : 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic softReset_i,

    output logic [       NumWarps-1:0] ibuf_ready_o,
    input  logic [       NumWarps-1:0] ibuf_valid_i,
    input  logic [NumWarps*EntryW-1:0] ibuf_bits_i,
    input  logic [   NumWarps*FuW-1:0] ibuf_bits_uop_fuSel_i,
    output logic [        BehindW-1:0] ibuf_window_ready_o,
    input  logic [        BehindW-1:0] ibuf_window_valid_i,
    input  logic [ BehindW*EntryW-1:0] ibuf_window_bits_i,
    input  logic [    BehindW*FuW-1:0] ibuf_window_bits_uop_fuSel_i,

    input  logic [               IssuePorts-1:0] issue_ready_i,
    output logic [               IssuePorts-1:0] issue_valid_o,
    output logic [        IssuePorts*EntryW-1:0] issue_bits_o,
    output logic [           IssuePorts*FuW-1:0] issue_bits_uop_fuSel_o,
    output logic [IssuePorts*NumOps*RegBits-1:0] operands_o,

    output logic                writeback_ready_o,
    input  logic                writeback_valid_i,
    input  logic [   PregW-1:0] writeback_bits_rd_i,
    input  logic [NumLanes-1:0] writeback_bits_tmask_i,
    input  logic [ RegBits-1:0] writeback_bits_data_i,

    output logic [         PerfW-1:0] perfRS_cyclesDispatched_o,
    output logic [         PerfW-1:0] perfRS_cyclesEligible_o,
    output logic [NumWarps*PerfW-1:0] perfRS_perWarp_cyclesDispatched_o,
    output logic [NumWarps*PerfW-1:0] perfRS_perWarp_cyclesEligible_o,
    output logic [NumWarps*PerfW-1:0] perfRS_perWarp_stallsRSFull_o,
    output logic [         PerfW-1:0] perfRS_accRsOccupancy_o,

    output logic [NumWarps*PerfW-1:0] perfHazard_stallsWAW_o,
    output logic [NumWarps*PerfW-1:0] perfHazard_stallsWAR_o,
    output logic [NumWarps*PerfW-1:0] perfHazard_stallsScoreboard_o,

    output logic [         PerfW-1:0] perfDesign_prfReads_o,
    output logic [         PerfW-1:0] perfDesign_prfConflicts_o,
    output logic [         PerfW-1:0] perfDesign_laneConflicts_o,
    output logic [         PerfW-1:0] perfDesign_noEntry_o,
    output logic [         PerfW-1:0] perfDesign_lostReads_o,
    output logic [         PerfW-1:0] perfDesign_forwards_o,
    output logic [         PerfW-1:0] perfDesign_cacheLookups_o,
    output logic [         PerfW-1:0] perfDesign_cacheHits_o,
    output logic [         PerfW-1:0] perfDesign_wbStallsWAR_o,
    output logic [         PerfW-1:0] perfDesign_wbStallsFwd_o,
    output logic [         PerfW-1:0] perfDesign_accEntryOccupancy_o,
    output logic [NumWarps*PerfW-1:0] perfDesign_perWarp_stallsHold_o,
    output logic [NumWarps*PerfW-1:0] perfDesign_perWarp_stallsRoom_o
);

  localparam logic [31:0] Groups = (Collector == 2) ? CollBanks : 1;
  localparam logic [31:0] Rows = CollBanks * CollDepth;
  localparam logic [31:0] Entries = (Collector == 1) ? ((Rows < 3) ? 1 : Rows / 3) :
      ((Collector == 2) ? Rows : CollDepth);
  localparam logic [31:0] WarpW = (NumWarps > 1) ? $clog2(NumWarps) : 1;
  localparam logic [31:0] RowW = (RsEntries > 1) ? $clog2(RsEntries) : 1;
  localparam logic [31:0] PlaceW = (Entries > 1) ? $clog2(Entries) : 1;
  localparam logic [31:0] SlotW = (CollDepth > 1) ? $clog2(CollDepth) : 1;
  localparam logic [31:0] GroupW = (Groups > 1) ? $clog2(Groups) : 1;
  localparam logic [31:0] PregsW = NumOps * PregW;
  localparam logic [31:0] PlacesW = NumOps * PlaceW;
  localparam logic [31:0] WidLsb = EntryUopWidLsb;
  localparam logic [31:0] RsLsb = EntryUopInstEssentials4Lsb;
  localparam logic [31:0] HasRsLsb = EntryUopInstEssentials23Lsb;

  // ---- rows: their registered state ----------------------------------------------------------------

  logic [RsEntries-1:0] valid, placed, complete, oldest, may_collect, uncollected;
  logic [RsEntries*EntryW-1:0] entries;
  logic [RsEntries*FuW-1:0] fus;
  logic [RsEntries*WarpW-1:0] wids;
  logic [RsEntries*NumOps-1:0] has_rs, busy, op_ready, fired, epochs, need;
  logic [ RsEntries*PregsW-1:0] rs;
  logic [RsEntries*PlacesW-1:0] places;

  // What happens to them
  logic [RsEntries-1:0] admit_row, take_row, dispatch_row;
  logic [RsEntries*NumOps-1:0] hit, grant, landed, lost, served;

  // ---- the same in the order of the walk ------------------------------------------------------------

  localparam logic [31:0] WalkW = 3 + RowW + GroupW + 5 * NumOps + PregsW + PlacesW;
  logic [RsEntries*RsEntries-1:0] walk;
  logic [RsEntries-1:0] walk_valid, walk_placed, walk_may_collect;
  logic [  RsEntries*RowW-1:0] walk_row;
  logic [RsEntries*GroupW-1:0] walk_group;
  logic [RsEntries*NumOps-1:0] walk_has_rs, walk_need, walk_op_ready, walk_busy, walk_epoch;
  logic [RsEntries*PregsW-1:0] walk_rs;
  logic [RsEntries*PlacesW-1:0] walk_place;
  logic [RsEntries*NumOps*CollBanks-1:0] walk_lanes;

  // What the walks decide
  logic [RsEntries-1:0] walk_bind, walk_take;
  logic [RsEntries*NumOps-1:0] walk_served, walk_hit, walk_reads, walk_grant;
  logic [RsEntries*NumOps-1:0] walk_first, walk_bank_denied, walk_lane_denied;
  logic [RsEntries*PlacesW-1:0] walk_place_now;

  // ---- write in service -----------------------------------------------------------------------------

  logic [NumPregs-1:0] refused;
  logic write, write_commit, write_merge, merged_q, write_stalled;
  logic [PregW-1:0] write_rd;
  logic [NumLanes-1:0] write_tmask;
  logic [RegBits-1:0] write_data;
  logic waiting, left, can_forward, merging;
  logic [CollBanks-1:0] fwd, fwd_epoch;
  logic [CollBanks*2-1:0] fwd_op;
  logic [CollBanks*PlaceW-1:0] fwd_place;

  // ---- collector ------------------------------------------------------------------------------------

  logic [Groups-1:0] room, missed;
  logic [Groups*PlaceW-1:0] room_entry;
  logic alloc;
  logic [GroupW-1:0] alloc_group, take_group;
  logic [PlacesW-1:0] take_place, bind_place;
  logic bind_ready;
  logic [NumOps-1:0] bind_enable, bind_busy, bind_epoch, bind_hit;
  logic [PregsW-1:0] bind_preg;
  logic [NumOps*SlotW-1:0] bind_slot, issue_slot;
  logic [CollBanks-1:0] read, resp, resp_lost;
  logic [CollBanks*PregW-1:0] read_preg;
  logic [CollBanks*RowW-1:0] read_row, resp_row;
  logic [CollBanks*2-1:0] read_op, resp_op;
  logic [CollBanks*PlaceW-1:0] read_place, resp_place;
  logic [IssuePorts-1:0] issue_fire, issue_placed;
  logic [IssuePorts*NumOps-1:0] issue_enable, stage_has_rs;
  logic [IssuePorts*PlaceW-1:0] issue_entry;
  logic [IssuePorts*PlacesW-1:0] stage_place;
  logic [IssuePorts*NumOps*RegBits-1:0] issue_data;
  logic write_resp;

  // ---- admission ------------------------------------------------------------------------------------

  logic [NumPregs-1:0] pending_reads, pending_writes;
  logic admit_ready, admitted, admit_fits, admit_placed, admit_has_rd;
  logic [EntryW-1:0] admit_entry;
  logic [FuW-1:0] admit_fu;
  logic [GroupW-1:0] admit_group;
  logic [PregW-1:0] admit_rd;
  logic [PregsW-1:0] admit_rs;
  logic [NumOps-1:0] admit_has_rs, admit_busy, admit_counts, admit_epoch;
  logic [PlacesW-1:0] admit_place;
  logic [NumWarps-1:0] stall_waw, stall_war, stall_scoreboard, stall_hold, stall_room;

  // ==== rows =========================================================================================

  for (genvar row = 0; row < RsEntries; row++) begin : g_row
    issue_x_row #(
        .NumPregs(NumPregs),
        .ForwardCollIssue(ForwardCollIssue),
        .EntryW(EntryW),
        .RsLsb(RsLsb),
        .HasRsLsb(HasRsLsb),
        .FuW(FuW),
        .PlaceW(PlaceW)
    ) u_row (
        .clk_i,
        .rst_i,
        .admit_i(admit_row[row]),
        .admit_entry_i(admit_entry),
        .admit_fu_i(admit_fu),
        .admit_busy_i(admit_busy),
        .admit_epoch_i(admit_epoch),
        .admit_placed_i(admit_placed),
        .admit_place_i(admit_place),
        .place_i(take_row[row]),
        .place_at_i(take_place),
        .hit_i(hit[row*NumOps+:NumOps]),
        .grant_i(grant[row*NumOps+:NumOps]),
        .landed_i(landed[row*NumOps+:NumOps]),
        .lost_i(lost[row*NumOps+:NumOps]),
        .served_i(served[row*NumOps+:NumOps]),
        .commit_i(write_commit),
        .commit_rd_i(write_rd),
        .dispatch_i(dispatch_row[row]),
        .valid_o(valid[row]),
        .entry_o(entries[row*EntryW+:EntryW]),
        .fu_o(fus[row*FuW+:FuW]),
        .busy_o(busy[row*NumOps+:NumOps]),
        .op_ready_o(op_ready[row*NumOps+:NumOps]),
        .fired_o(fired[row*NumOps+:NumOps]),
        .epoch_o(epochs[row*NumOps+:NumOps]),
        .placed_o(placed[row]),
        .place_o(places[row*PlacesW+:PlacesW]),
        .complete_o(complete[row])
    );

    assign wids[row*WarpW+:WarpW] = entries[row*EntryW+WidLsb+:WarpW];
    assign rs[row*PregsW+:PregsW] = entries[row*EntryW+RsLsb+:PregsW];
    assign has_rs[row*NumOps+:NumOps] = entries[row*EntryW+HasRsLsb+:NumOps];
    assign uncollected[row] = ((op_ready[row*NumOps+:NumOps] | fired[row*NumOps+:NumOps]) != '1);
  end

  assign need = ~op_ready & ~busy & ~fired;

  issue_x_order #(
      .RsEntries(RsEntries),
      .WarpW(WarpW),
      .AllocOrder(AllocOrder),
      .InOrderPerWarp(InOrderPerWarp)
  ) u_order (
      .clk_i,
      .admit_i(admit_row),
      .valid_i(valid),
      .wid_i(wids),
      .uncollected_i(uncollected),
      .oldest_o(oldest),
      .may_collect_o(may_collect),
      .walk_o(walk)
  );

  // Rows in the order of the walk; all 0 behind the last
  for (genvar n = 0; n < RsEntries; n++) begin : g_walk
    logic [WalkW-1:0] all;

    always_comb begin
      all = '0;
      for (int unsigned row = 0; row < RsEntries; row++) begin
        if (walk[n*RsEntries+row]) begin
          all |= {
            1'b1,
            placed[row],
            may_collect[row],
            RowW'(row),
            (Groups > 1) ? GroupW'(fus[row*FuW+:FuW]) : GroupW'(0),
            has_rs[row*NumOps+:NumOps],
            need[row*NumOps+:NumOps],
            op_ready[row*NumOps+:NumOps],
            busy[row*NumOps+:NumOps],
            epochs[row*NumOps+:NumOps],
            rs[row*PregsW+:PregsW],
            places[row*PlacesW+:PlacesW]
          };
        end
      end
    end

    assign {
      walk_valid[n],
      walk_placed[n],
      walk_may_collect[n],
      walk_row[n*RowW+:RowW],
      walk_group[n*GroupW+:GroupW],
      walk_has_rs[n*NumOps+:NumOps],
      walk_need[n*NumOps+:NumOps],
      walk_op_ready[n*NumOps+:NumOps],
      walk_busy[n*NumOps+:NumOps],
      walk_epoch[n*NumOps+:NumOps],
      walk_rs[n*PregsW+:PregsW],
      walk_place[n*PlacesW+:PlacesW]
    } = all;

    issue_x_lanes #(
        .Collector(Collector),
        .CollBanks(CollBanks),
        .CollDepth(CollDepth),
        .Entries(Entries),
        .PlaceW(PlaceW)
    ) u_lanes (
        .place_i(walk_place[n*PlacesW+:PlacesW]),
        .lanes_o(walk_lanes[n*NumOps*CollBanks+:NumOps*CollBanks])
    );
  end

  // What the walks decided, by row
  always_comb begin
    take_row = '0;
    served = '0;
    hit = '0;
    grant = '0;
    for (int unsigned n = 0; n < RsEntries; n++) begin
      for (int unsigned row = 0; row < RsEntries; row++) begin
        if (walk[n*RsEntries+row]) begin
          take_row[row] = walk_take[n];
          served[row*NumOps+:NumOps] = walk_served[n*NumOps+:NumOps];
          hit[row*NumOps+:NumOps] = walk_hit[n*NumOps+:NumOps];
          grant[row*NumOps+:NumOps] = walk_grant[n*NumOps+:NumOps];
        end
      end
    end
  end

  // ==== writes (§5, §6) ==============================================================================

  issue_x_writes #(
      .NumPregs(NumPregs),
      .NumLanes(NumLanes),
      .LaneBits(LaneBits),
      .WbBuffer(WbBuffer)
  ) u_writes (
      .clk_i,
      .rst_i,
      .writeback_ready_o,
      .writeback_valid_i,
      .writeback_rd_i(writeback_bits_rd_i),
      .writeback_tmask_i(writeback_bits_tmask_i),
      .writeback_data_i(writeback_bits_data_i),
      .refused_i(refused),
      .valid_o(write),
      .rd_o(write_rd),
      .tmask_o(write_tmask),
      .data_o(write_data),
      .done_i(write_commit),
      .stalled_o(write_stalled)
  );

  issue_x_forward #(
      .NumPregs(NumPregs),
      .RsEntries(RsEntries),
      .CollBanks(CollBanks),
      .PlaceW(PlaceW)
  ) u_forward (
      .write_i(write),
      .write_rd_i(write_rd),
      .can_forward_i(can_forward),
      .busy_i(walk_busy),
      .preg_i(walk_rs),
      .epoch_i(walk_epoch),
      .placed_i(walk_placed),
      .place_i(walk_place),
      .lanes_i(walk_lanes),
      .waiting_o(waiting),
      .left_o(left),
      .served_o(walk_served),
      .fwd_o(fwd),
      .fwd_op_o(fwd_op),
      .fwd_place_o(fwd_place),
      .fwd_epoch_o(fwd_epoch)
  );

  // Of a register that is written in part the waiting operands get the rest from its old value (§5.3).
  always_comb begin
    can_forward = 1'b0;
    if (Forwarding == 1) begin
      can_forward = (write_tmask == '1);
    end else if (Forwarding == 2) begin
      can_forward = (write_tmask == '1) || merged_q;
    end
  end

  // Who waits and who is left follows from can_forward: in one process these two would not come to
  // rest in a simulator that sees each step of it.
  always_comb begin
    write_merge = (Forwarding == 2) && write && waiting && (write_tmask != '1) && !merged_q;
    write_commit = write && ((Forwarding != 2) || !left);
    merging = write && (write_merge || merged_q);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      merged_q <= 1'b0;
    end else begin
      merged_q <= (merged_q && !write_commit) || write_merge;
    end
  end

  // ==== collector ====================================================================================

  collector_x_core #(
      .NumLanes(NumLanes),
      .LaneBits(LaneBits),
      .NumPregs(NumPregs),
      .RsEntries(RsEntries),
      .Collector(Collector),
      .CollBanks(CollBanks),
      .CollDepth(CollDepth),
      .RegBanks(RegBanks),
      .IssuePorts(IssuePorts),
      .BankMap(BankMap),
      .Forwarding(Forwarding)
  ) u_collector (
      .clk_i,
      .rst_i,
      .room_valid_o(room),
      .room_collEntry_o(room_entry),
      .alloc_valid_i(alloc),
      .alloc_group_i(alloc_group),
      .bind_valid_i(walk_bind != '0),
      .bind_regs_enable_i(bind_enable),
      .bind_regs_pReg_i(bind_preg),
      .bind_regs_busy_i(bind_busy),
      .bind_ready_o(bind_ready),
      .bind_regs_hit_o(bind_hit),
      .bind_regs_slot_o(bind_slot),
      .readReq_regs_enable_i(read),
      .readReq_regs_pReg_i(read_preg),
      .readReq_regs_rsEntryId_i(read_row),
      .readReq_regs_opIdx_i(read_op),
      .readReq_regs_collEntry_i(read_place),
      .readResp_regs_enable_o(resp),
      .readResp_regs_lost_o(resp_lost),
      .readResp_regs_rsEntryId_o(resp_row),
      .readResp_regs_opIdx_o(resp_op),
      .readResp_regs_collEntry_o(resp_place),
      .writeReq_valid_i(write),
      .writeReq_commit_i(write_commit),
      .writeReq_merge_i(write_merge),
      .writeReq_regs_pReg_i(write_rd),
      .writeReq_regs_tmask_i(write_tmask),
      .writeReq_regs_data_i(write_data),
      .writeReq_fwd_enable_i(fwd),
      .writeReq_fwd_opIdx_i(fwd_op),
      .writeReq_fwd_collEntry_i(fwd_place),
      .writeResp_valid_o(write_resp),
      .readData_req_valid_i(issue_fire & issue_placed),
      .readData_req_collEntry_i(issue_entry),
      .readData_req_slot_i(issue_slot),
      .readData_req_regs_enable_i(issue_enable),
      .readData_resp_data_o(issue_data)
  );

  logic unused_responses;
  assign unused_responses = ^{resp_place, write_resp};

  // What lands, or is lost, is an operand that its row waits for.
  always_comb begin
    landed = '0;
    lost   = '0;
    for (int unsigned lane = 0; lane < CollBanks; lane++) begin
      for (int unsigned n = 0; n < RsEntries * NumOps; n++) begin
        if (resp[lane] && (resp_row[lane*RowW+:RowW] == RowW'(n / NumOps)) &&
            (resp_op[lane*2+:2] == 2'(n % NumOps))) begin
          landed[n] = !resp_lost[lane];
          lost[n]   = resp_lost[lane];
        end
      end
    end
  end

  // ---- allocator (§4.1, §4.2) ------------------------------------------------------------------------

  issue_x_entry #(
      .RsEntries(RsEntries),
      .Collector(Collector),
      .CollAlloc(CollAlloc),
      .Groups(Groups),
      .PlaceW(PlaceW)
  ) u_entry (
      .valid_i(walk_valid),
      .has_rs_i(walk_has_rs),
      .need_i(walk_need),
      .op_ready_i(walk_op_ready),
      .placed_i(walk_placed),
      .may_collect_i(walk_may_collect),
      .group_i(walk_group),
      .room_i(room),
      .room_entry_i(room_entry),
      .bind_ready_i(bind_ready),
      .bind_slot_i(bind_place),
      .bind_row_o(walk_bind),
      .take_row_o(walk_take),
      .take_group_o(take_group),
      .take_place_o(take_place),
      .missed_o(missed)
  );

  always_comb begin
    bind_enable = '0;
    bind_preg   = '0;
    bind_busy   = '0;
    bind_epoch  = '0;
    for (int unsigned n = 0; n < RsEntries; n++) begin
      if (walk_bind[n]) begin
        bind_enable |= walk_has_rs[n*NumOps+:NumOps];
        bind_preg |= walk_rs[n*PregsW+:PregsW];
        bind_busy |= walk_busy[n*NumOps+:NumOps];
        bind_epoch |= walk_epoch[n*NumOps+:NumOps];
      end
    end
    for (int unsigned op = 0; op < NumOps; op++) begin
      bind_place[op*PlaceW+:PlaceW] = PlaceW'(bind_slot[op*SlotW+:SlotW]);
    end
  end

  // Rows that take part in the grants: they have their entry, or get it now
  for (genvar n = 0; n < RsEntries; n++) begin : g_reads
    assign walk_hit[n*NumOps+:NumOps] = walk_take[n] ? bind_hit : '0;
    assign walk_reads[n*NumOps+:NumOps] =
        (walk_may_collect[n] && (walk_placed[n] || walk_take[n])) ?
        (walk_need[n*NumOps+:NumOps] & ~walk_hit[n*NumOps+:NumOps]) : '0;
    assign walk_place_now[n*PlacesW+:PlacesW] =
        walk_take[n] ? take_place : walk_place[n*PlacesW+:PlacesW];
  end

  issue_x_grants #(
      .NumPregs(NumPregs),
      .RsEntries(RsEntries),
      .Collector(Collector),
      .CollBanks(CollBanks),
      .CollDepth(CollDepth),
      .Entries(Entries),
      .PlaceW(PlaceW),
      .RegBanks(RegBanks),
      .BankMap(BankMap),
      .ReadBroadcast(ReadBroadcast),
      .AllocRows(AllocRows)
  ) u_grants (
      .need_i(walk_reads),
      .preg_i(walk_rs),
      .place_i(walk_place_now),
      .row_i(walk_row),
      .merging_i(merging),
      .merging_rd_i(write_rd),
      .grant_o(walk_grant),
      .first_o(walk_first),
      .bank_denied_o(walk_bank_denied),
      .lane_denied_o(walk_lane_denied),
      .read_o(read),
      .read_preg_o(read_preg),
      .read_row_o(read_row),
      .read_op_o(read_op),
      .read_place_o(read_place)
  );

  // ==== issue (§4.4) =================================================================================

  localparam logic [31:0] StageW = EntryW + FuW + 1 + PlacesW;
  logic [RsEntries*StageW-1:0] stage_in;
  logic [RsEntries-1:0] candidates;
  logic [RsEntries-1:0] dispatched[IssuePorts];

  for (genvar row = 0; row < RsEntries; row++) begin : g_stage_in
    assign stage_in[row*StageW+:StageW] = {
      entries[row*EntryW+:EntryW], fus[row*FuW+:FuW], placed[row], places[row*PlacesW+:PlacesW]
    };
  end

  assign candidates = complete & oldest;

  for (genvar port = 0; port < IssuePorts; port++) begin : g_port
    logic [RsEntries-1:0] mine;

    for (genvar row = 0; row < RsEntries; row++) begin : g_mine
      assign mine[row] = (IssuePorts == 1) || (fus[row*FuW+:FuW] == FuW'(port));
    end

    issue_x_port #(
        .RsEntries(RsEntries),
        .DataW(StageW)
    ) u_port (
        .clk_i,
        .rst_i,
        .candidates_i(candidates & mine),
        .data_i(stage_in),
        .dispatch_o(dispatched[port]),
        .ready_i(issue_ready_i[port]),
        .full_o(issue_valid_o[port]),
        .shown_o({
          issue_bits_o[port*EntryW+:EntryW],
          issue_bits_uop_fuSel_o[port*FuW+:FuW],
          issue_placed[port],
          stage_place[port*PlacesW+:PlacesW]
        })
    );

    assign issue_fire[port] = issue_valid_o[port] && issue_ready_i[port];
    assign issue_entry[port*PlaceW+:PlaceW] = stage_place[port*PlacesW+:PlaceW];
    assign stage_has_rs[port*NumOps+:NumOps] = issue_bits_o[port*EntryW+HasRsLsb+:NumOps];
    assign issue_enable[port*NumOps+:NumOps] =
        issue_fire[port] ? stage_has_rs[port*NumOps+:NumOps] : '0;
    for (genvar op = 0; op < NumOps; op++) begin : g_operand
      assign operands_o[(port*NumOps+op)*RegBits+:RegBits] = issue_enable[port*NumOps+op] ?
          issue_data[(port*NumOps+op)*RegBits+:RegBits] : '0;
    end
  end

  always_comb begin
    dispatch_row = '0;
    for (int unsigned port = 0; port < IssuePorts; port++) begin
      dispatch_row |= dispatched[port];
    end
    for (int unsigned op = 0; op < NumOps; op++) begin
      issue_slot[op*SlotW+:SlotW] = SlotW'(stage_place[op*PlaceW+:PlaceW]);
    end
  end

  // ==== admission (§6.1, §7) =========================================================================

  localparam logic [31:0] Decrements = 2 * CollBanks + NumOps;
  logic [Decrements-1:0] decr, decr_epoch;
  logic [Decrements*PregW-1:0] decr_preg;

  always_comb begin
    decr = {
      bind_ready ? bind_hit : NumOps'(0), (CountForwardedReads != 0) ? fwd : '0, resp & ~resp_lost
    };
    decr_epoch = {bind_epoch, fwd_epoch, CollBanks'(0)};
    decr_preg = {bind_preg, {CollBanks{write_rd}}, (CollBanks * PregW)'(0)};
    for (int unsigned lane = 0; lane < CollBanks; lane++) begin
      for (int unsigned n = 0; n < RsEntries * NumOps; n++) begin
        if ((resp_row[lane*RowW+:RowW] == RowW'(n / NumOps)) &&
            (resp_op[lane*2+:2] == 2'(n % NumOps))) begin
          decr_preg[lane*PregW+:PregW] = rs[n*PregW+:PregW];
          decr_epoch[lane] = epochs[n];
        end
      end
    end
  end

  issue_x_scoreboard #(
      .NumPregs(NumPregs),
      .MaxPendingReads(MaxPendingReads),
      .War(War),
      .Decrements(Decrements)
  ) u_scoreboard (
      .clk_i,
      .rst_i,
      .decr_i(decr),
      .decr_preg_i(decr_preg),
      .decr_epoch_i(decr_epoch),
      .commit_i(write_commit),
      .commit_rd_i(write_rd),
      .refused_o(refused),
      .pending_writes_o(pending_writes),
      .pending_reads_o(pending_reads),
      .rd_i(admit_rd),
      .has_rd_i(admit_has_rd),
      .rs_i(admit_rs),
      .counts_i(admit_counts),
      .epoch_o(admit_epoch),
      .fits_o(admit_fits),
      .admit_i(admitted)
  );

  issue_x_admit #(
      .NumWarps(NumWarps),
      .NumPregs(NumPregs),
      .IbufWindow(IbufWindow),
      .War(War),
      .CollAlloc(CollAlloc),
      .Groups(Groups),
      .EntryW(EntryW),
      .FuW(FuW),
      .RdLsb(EntryUopInstEssentials3Lsb),
      .RsLsb(RsLsb),
      .HasRdLsb(EntryUopInstEssentials22Lsb),
      .HasRsLsb(HasRsLsb)
  ) u_admit (
      .clk_i,
      .ibuf_ready_o,
      .ibuf_valid_i,
      .ibuf_bits_i,
      .ibuf_fu_i(ibuf_bits_uop_fuSel_i),
      .window_ready_o(ibuf_window_ready_o),
      .window_valid_i(ibuf_window_valid_i),
      .window_bits_i(ibuf_window_bits_i),
      .window_fu_i(ibuf_window_bits_uop_fuSel_i),
      .pending_reads_i(pending_reads),
      .pending_writes_i(pending_writes),
      .hold_i(write && !write_commit),
      .hold_rd_i(write_rd),
      .room_i(room),
      .ready_i(admit_ready),
      .fits_i(admit_fits),
      .admitted_o(admitted),
      .entry_o(admit_entry),
      .fu_o(admit_fu),
      .rd_o(admit_rd),
      .has_rd_o(admit_has_rd),
      .rs_o(admit_rs),
      .has_rs_o(admit_has_rs),
      .waw_o(stall_waw),
      .war_o(stall_war),
      .refused_o(stall_scoreboard),
      .held_o(stall_hold),
      .no_room_o(stall_room)
  );

  assign admit_ready  = (valid != '1);
  assign admit_group  = (Groups > 1) ? GroupW'(admit_fu) : '0;
  assign admit_placed = (CollAlloc == 2) && (admit_has_rs != '0);
  assign admit_counts = (CountForwardedReads != 0) ? admit_has_rs : (admit_has_rs & ~admit_busy);

  always_comb begin
    for (int unsigned op = 0; op < NumOps; op++) begin
      admit_busy[op] = admit_has_rs[op] && pending_writes[admit_rs[op*PregW+:PregW]];
      admit_place[op*PlaceW+:PlaceW] =
          admit_placed ? room_entry[32'(admit_group)*PlaceW+:PlaceW] : '0;
    end
    // The lowest free row
    admit_row = '0;
    for (int unsigned row = RsEntries; row > 0; row--) begin
      if (!valid[row-1]) begin
        admit_row = admitted ? (RsEntries'(1) << (row - 1)) : '0;
      end
    end
    alloc = (CollAlloc == 2) ? (admitted && admit_placed) : (walk_take != '0);
    alloc_group = (CollAlloc == 2) ? admit_group : take_group;
  end

  // ==== performance counters (muon-issue §5, muon-designs §11) =======================================

  localparam logic [31:0] AddW = 10;
  logic [RsEntries+IssuePorts-1:0] holds;
  logic [AddW-1:0] add_occupancy;
  logic [13*AddW-1:0] add;
  logic clear;

  function automatic logic [AddW-1:0] ones(input logic [RsEntries*NumOps-1:0] bits);
    ones = '0;
    for (int unsigned n = 0; n < RsEntries * NumOps; n++) begin
      ones += AddW'(bits[n]);
    end
  endfunction

  function automatic logic [AddW-1:0] lanes(input logic [CollBanks-1:0] bits);
    lanes = '0;
    for (int unsigned n = 0; n < CollBanks; n++) begin
      lanes += AddW'(bits[n]);
    end
  endfunction

  function automatic logic [AddW-1:0] ops(input logic [NumOps-1:0] bits);
    ops = AddW'(bits[0]) + AddW'(bits[1]) + AddW'(bits[2]);
  endfunction

  assign clear = rst_i || softReset_i;
  assign holds = {issue_valid_o & issue_placed, valid & placed};

  issue_x_occupancy #(
      .Holders(RsEntries + IssuePorts),
      .Collector(Collector),
      .CollDepth(CollDepth),
      .PlaceW(PlaceW),
      .CountW(AddW)
  ) u_occupancy (
      .holds_i (holds),
      .has_rs_i({stage_has_rs, has_rs}),
      .place_i ({stage_place, places}),
      .count_o (add_occupancy)
  );

  logic [AddW-1:0] add_rows, add_missed;
  always_comb begin
    add_rows   = '0;
    add_missed = '0;
    for (int unsigned row = 0; row < RsEntries; row++) begin
      add_rows += AddW'(valid[row]);
    end
    for (int unsigned group = 0; group < Groups; group++) begin
      add_missed += AddW'(missed[group]);
    end
    add = {
      AddW'(valid != '0),
      AddW'(candidates != '0),
      add_rows,
      ones(walk_first),
      ones(walk_bank_denied),
      ones(walk_lane_denied),
      add_missed,
      lanes(resp & resp_lost),
      lanes(fwd),
      bind_ready ? ops(bind_enable) : AddW'(0),
      bind_ready ? ops(bind_hit) : AddW'(0),
      AddW'(write_stalled),
      AddW'(write && !write_commit)
    };
  end

  issue_x_counters #(
      .Count(14),
      .AddW (AddW)
  ) u_counters (
      .clk_i,
      .clear_i(clear),
      .add_i({add, add_occupancy}),
      .count_o({
        perfRS_cyclesDispatched_o,
        perfRS_cyclesEligible_o,
        perfRS_accRsOccupancy_o,
        perfDesign_prfReads_o,
        perfDesign_prfConflicts_o,
        perfDesign_laneConflicts_o,
        perfDesign_noEntry_o,
        perfDesign_lostReads_o,
        perfDesign_forwards_o,
        perfDesign_cacheLookups_o,
        perfDesign_cacheHits_o,
        perfDesign_wbStallsWAR_o,
        perfDesign_wbStallsFwd_o,
        perfDesign_accEntryOccupancy_o
      })
  );

  logic [NumWarps-1:0] warp_valid, warp_eligible;
  always_comb begin
    warp_valid = '0;
    warp_eligible = '0;
    for (int unsigned warp = 0; warp < NumWarps; warp++) begin
      for (int unsigned row = 0; row < RsEntries; row++) begin
        if (wids[row*WarpW+:WarpW] == WarpW'(warp)) begin
          warp_valid[warp] |= valid[row];
          warp_eligible[warp] |= candidates[row];
        end
      end
    end
  end

  issue_x_counters #(
      .Count(7 * NumWarps),
      .AddW (1)
  ) u_warp_counters (
      .clk_i,
      .clear_i(clear),
      .add_i({
        warp_valid, warp_eligible, stall_waw, stall_war, stall_scoreboard, stall_hold, stall_room
      }),
      .count_o({
        perfRS_perWarp_cyclesDispatched_o,
        perfRS_perWarp_cyclesEligible_o,
        perfHazard_stallsWAW_o,
        perfHazard_stallsWAR_o,
        perfHazard_stallsScoreboard_o,
        perfDesign_perWarp_stallsHold_o,
        perfDesign_perWarp_stallsRoom_o
      })
  );

  // Nothing is offered to rows that are full (muon-issue §5).
  assign perfRS_perWarp_stallsRSFull_o = '0;

endmodule
