// SPDX-License-Identifier: Apache-2.0

// The operand collectors of the Muon document (muon-designs §2 to §5). Ports carry the names of the
// emitted module's fields; index 0 of a field, and lane 0 of a payload, is in the low bits. Copies
// of the register file are one here: nothing tells them apart. Its banks are no structure either:
// who asks keeps to one read a bank.
module collector_x_core #(
    parameter logic [31:0] NumLanes = 16,
    parameter logic [31:0] LaneBits = 32,
    parameter logic [31:0] NumPregs = 256,
    parameter logic [31:0] RsEntries = 8,
    parameter logic [31:0] Collector = 0,
    parameter logic [31:0] CollBanks = 3,
    parameter logic [31:0] CollDepth = 2,
    parameter logic [31:0] RegBanks = 1,
    parameter logic [31:0] IssuePorts = 1,
    parameter logic [31:0] BankMap = 0,
    parameter logic [31:0] Forwarding = 0,
    localparam logic [31:0] NumOps = 3,
    localparam bit IsSrc = Collector == 1,
    localparam bit IsInst = Collector == 2,
    localparam bit IsCaching = Collector == 3,
    localparam logic [31:0] Groups = IsInst ? CollBanks : 1,
    localparam logic [31:0] Rows = CollBanks * CollDepth,
    localparam logic [31:0] Entries =
        IsSrc ? ((Rows < 3) ? 1 : Rows / 3) : (IsInst ? Rows : CollDepth),
    localparam logic [31:0] PregW = $clog2(NumPregs),
    localparam logic [31:0] RowW = (RsEntries > 1) ? $clog2(RsEntries) : 1,
    localparam logic [31:0] EntryW = (Entries > 1) ? $clog2(Entries) : 1,
    localparam logic [31:0] SlotW = (CollDepth > 1) ? $clog2(CollDepth) : 1,
    localparam logic [31:0] GroupW = (Groups > 1) ? $clog2(Groups) : 1,
    localparam logic [31:0] RegBits = NumLanes * LaneBits
) (
    input logic clk_i,
    input logic rst_i,

    output logic [       Groups-1:0] room_valid_o,
    output logic [Groups*EntryW-1:0] room_collEntry_o,
    input  logic                     alloc_valid_i,
    input  logic [       GroupW-1:0] alloc_group_i,

    input  logic                    bind_valid_i,
    input  logic [      NumOps-1:0] bind_regs_enable_i,
    input  logic [NumOps*PregW-1:0] bind_regs_pReg_i,
    input  logic [      NumOps-1:0] bind_regs_busy_i,
    output logic                    bind_ready_o,
    output logic [      NumOps-1:0] bind_regs_hit_o,
    output logic [NumOps*SlotW-1:0] bind_regs_slot_o,

    input logic [       CollBanks-1:0] readReq_regs_enable_i,
    input logic [ CollBanks*PregW-1:0] readReq_regs_pReg_i,
    input logic [  CollBanks*RowW-1:0] readReq_regs_rsEntryId_i,
    input logic [     CollBanks*2-1:0] readReq_regs_opIdx_i,
    input logic [CollBanks*EntryW-1:0] readReq_regs_collEntry_i,

    output logic [       CollBanks-1:0] readResp_regs_enable_o,
    output logic [       CollBanks-1:0] readResp_regs_lost_o,
    output logic [  CollBanks*RowW-1:0] readResp_regs_rsEntryId_o,
    output logic [     CollBanks*2-1:0] readResp_regs_opIdx_o,
    output logic [CollBanks*EntryW-1:0] readResp_regs_collEntry_o,

    input  logic                        writeReq_valid_i,
    input  logic                        writeReq_commit_i,
    input  logic                        writeReq_merge_i,
    input  logic [           PregW-1:0] writeReq_regs_pReg_i,
    input  logic [        NumLanes-1:0] writeReq_regs_tmask_i,
    input  logic [         RegBits-1:0] writeReq_regs_data_i,
    input  logic [       CollBanks-1:0] writeReq_fwd_enable_i,
    input  logic [     CollBanks*2-1:0] writeReq_fwd_opIdx_i,
    input  logic [CollBanks*EntryW-1:0] writeReq_fwd_collEntry_i,
    output logic                        writeResp_valid_o,

    input  logic [               IssuePorts-1:0] readData_req_valid_i,
    input  logic [        IssuePorts*EntryW-1:0] readData_req_collEntry_i,
    input  logic [             NumOps*SlotW-1:0] readData_req_slot_i,
    input  logic [        IssuePorts*NumOps-1:0] readData_req_regs_enable_i,
    output logic [IssuePorts*NumOps*RegBits-1:0] readData_resp_data_o
);

  // The bits of a register's number that choose its register-file bank
  localparam logic [31:0] BankLsb = (BankMap == 0) ? $clog2(NumPregs / RegBanks) : 0;
  localparam logic [PregW-1:0] BankMask = PregW'((RegBanks - 1) << BankLsb);

  // Reads under way
  logic [CollBanks-1:0] read_q;
  logic [CollBanks*PregW-1:0] read_preg_q;
  logic [CollBanks*RowW-1:0] read_row_q;
  logic [CollBanks*2-1:0] read_op_q;
  logic [CollBanks*EntryW-1:0] read_entry_q;
  logic [CollBanks-1:0] fwd, lost;

  // Register file
  logic [RegBits-1:0] rf_q[NumPregs];
  logic [RegBits-1:0] old_q;
  logic [RegBits-1:0] fwd_data;
  logic rf_write, write_valid_q;

  // What is stored at the edge, by operand and entry, and the register that it is of
  logic [NumOps*Entries-1:0] stored;
  logic [NumOps*Entries-1:0] forwarded;
  logic [RegBits-1:0] stored_data[NumOps][Entries];
  logic [NumOps*Entries*PregW-1:0] stored_preg;

  always_comb begin
    rf_write = writeReq_valid_i && writeReq_commit_i && (writeReq_regs_pReg_i != '0);
    fwd = '0;
    if (Forwarding != 0 && writeReq_valid_i && (writeReq_regs_pReg_i != '0)) begin
      fwd = writeReq_fwd_enable_i;
    end
    for (int unsigned lane = 0; lane < NumLanes; lane++) begin
      fwd_data[lane*LaneBits+:LaneBits] = old_q[lane*LaneBits+:LaneBits];
      if (writeReq_regs_tmask_i[lane] || Forwarding != 2) begin  // without merge only whole ones
        fwd_data[lane*LaneBits+:LaneBits] = writeReq_regs_data_i[lane*LaneBits+:LaneBits];
      end
    end
  end

  // A forward has its lane's write port, and the way out of its bank (§5.2).
  for (genvar lane = 0; lane < CollBanks; lane++) begin : g_lane
    logic [PregW-1:0] preg;
    logic in_bank;
    always_comb begin
      preg = read_preg_q[lane*PregW+:PregW];
      in_bank = (Collector != 0) && (preg != '0) &&
          (((preg ^ writeReq_regs_pReg_i) & BankMask) == '0);
      lost[lane] = read_q[lane] && (fwd[lane] || ((fwd != '0) && in_bank));
    end
  end

  always_comb begin
    for (int unsigned op = 0; op < NumOps; op++) begin
      for (int unsigned entry = 0; entry < Entries; entry++) begin
        stored[op*Entries+entry] = 1'b0;
        forwarded[op*Entries+entry] = 1'b0;
        stored_data[op][entry] = '0;
        stored_preg[(op*Entries+entry)*PregW+:PregW] = '0;
        for (int unsigned lane = 0; lane < CollBanks; lane++) begin
          if (read_q[lane] && !lost[lane] && (read_op_q[lane*2+:2] == 2'(op)) &&
              (read_entry_q[lane*EntryW+:EntryW] == EntryW'(entry))) begin
            stored[op*Entries+entry] = 1'b1;
            stored_preg[(op*Entries+entry)*PregW+:PregW] = read_preg_q[lane*PregW+:PregW];
            stored_data[op][entry] = (read_preg_q[lane*PregW+:PregW] != '0) ?
                rf_q[read_preg_q[lane*PregW+:PregW]] : '0;
          end
        end
        for (int unsigned lane = 0; lane < CollBanks; lane++) begin
          if (fwd[lane] && (writeReq_fwd_opIdx_i[lane*2+:2] == 2'(op)) &&
              (writeReq_fwd_collEntry_i[lane*EntryW+:EntryW] == EntryW'(entry))) begin
            stored[op*Entries+entry] = 1'b1;
            forwarded[op*Entries+entry] = 1'b1;
            stored_preg[(op*Entries+entry)*PregW+:PregW] = writeReq_regs_pReg_i;
            stored_data[op][entry] = fwd_data;
          end
        end
      end
    end
  end

  for (genvar op = 0; op < NumOps; op++) begin : g_op
    logic [Entries*RegBits-1:0] data_q;

    for (genvar port = 0; port < IssuePorts; port++) begin : g_port
      logic [EntryW-1:0] shown;
      always_comb begin
        shown = readData_req_collEntry_i[port*EntryW+:EntryW];
        if (IsCaching) begin
          shown = EntryW'(readData_req_slot_i[op*SlotW+:SlotW]);
        end
        if ({1'b0, shown} >= (EntryW + 1)'(Entries)) begin
          shown = '0;
        end
      end
      assign readData_resp_data_o[(port*NumOps+op)*RegBits+:RegBits] =
          data_q[32'(shown)*RegBits+:RegBits];
    end

    always_ff @(posedge clk_i) begin
      for (int unsigned entry = 0; entry < Entries; entry++) begin
        if (rst_i) begin
          data_q[entry*RegBits+:RegBits] <= '0;
        end else if (stored[op*Entries+entry]) begin
          data_q[entry*RegBits+:RegBits] <= stored_data[op][entry];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      read_q <= '0;
    end else begin
      read_q <= readReq_regs_enable_i;
    end
    read_preg_q <= readReq_regs_pReg_i;
    read_row_q <= readReq_regs_rsEntryId_i;
    read_op_q <= readReq_regs_opIdx_i;
    read_entry_q <= readReq_regs_collEntry_i;
    // No reset reaches these: a write in a reset cycle is done and answered.
    write_valid_q <= writeReq_valid_i && writeReq_commit_i;
    if (Forwarding == 2 && writeReq_valid_i && writeReq_merge_i) begin
      old_q <= (writeReq_regs_pReg_i != '0) ? rf_q[writeReq_regs_pReg_i] : '0;
    end
    if (rf_write) begin
      for (int unsigned lane = 0; lane < NumLanes; lane++) begin
        if (writeReq_regs_tmask_i[lane]) begin
          rf_q[writeReq_regs_pReg_i][lane*LaneBits+:LaneBits] <=
              writeReq_regs_data_i[lane*LaneBits+:LaneBits];
        end
      end
    end
  end

  // Beside a lane that reads nothing all bits are 0.
  for (genvar lane = 0; lane < CollBanks; lane++) begin : g_response
    assign readResp_regs_rsEntryId_o[lane*RowW+:RowW] =
        read_q[lane] ? read_row_q[lane*RowW+:RowW] : '0;
    assign readResp_regs_opIdx_o[lane*2+:2] = read_q[lane] ? read_op_q[lane*2+:2] : '0;
    assign readResp_regs_collEntry_o[lane*EntryW+:EntryW] =
        read_q[lane] ? read_entry_q[lane*EntryW+:EntryW] : '0;
  end
  assign readResp_regs_enable_o = read_q;
  assign readResp_regs_lost_o = lost;
  assign writeResp_valid_o = write_valid_q;

  if (IsCaching) begin : g_slots
    collector_x_slots #(
        .NumPregs (NumPregs),
        .RsEntries(RsEntries),
        .CollDepth(CollDepth)
    ) u_slots (
        .clk_i,
        .rst_i,
        .bind_valid_i,
        .bind_enable_i(bind_regs_enable_i),
        .bind_preg_i(bind_regs_pReg_i),
        .bind_busy_i(bind_regs_busy_i),
        .bind_ready_o,
        .bind_hit_o(bind_regs_hit_o),
        .bind_slot_o(bind_regs_slot_o),
        .stored_i(stored),
        .forwarded_i(forwarded),
        .stored_preg_i(stored_preg),
        .write_i(rf_write),
        .write_preg_i(writeReq_regs_pReg_i),
        .release_i(readData_req_valid_i[0] ? readData_req_regs_enable_i[NumOps-1:0] : '0),
        .release_slot_i(readData_req_slot_i)
    );
    assign room_valid_o = '0;
    assign room_collEntry_o = '0;
    logic unused_alloc;
    assign unused_alloc = ^{alloc_valid_i, alloc_group_i};
  end else begin : g_entries
    logic [IssuePorts-1:0] frees;
    always_comb begin
      for (int unsigned port = 0; port < IssuePorts; port++) begin
        frees[port] = readData_req_valid_i[port] &&
            (readData_req_regs_enable_i[port*NumOps+:NumOps] != '0);
      end
    end
    collector_x_entries #(
        .Groups (Groups),
        .Entries(Entries),
        .Ports  (IssuePorts)
    ) u_entries (
        .clk_i,
        .rst_i,
        .room_o(room_valid_o),
        .room_entry_o(room_collEntry_o),
        .take_i(alloc_valid_i),
        .take_group_i(alloc_group_i),
        .free_i(frees),
        .free_entry_i(readData_req_collEntry_i)
    );
    assign bind_ready_o = 1'b0;
    assign bind_regs_hit_o = '0;
    assign bind_regs_slot_o = '0;
    logic unused_bind;
    assign unused_bind = ^{
      bind_valid_i,
      bind_regs_enable_i,
      bind_regs_pReg_i,
      bind_regs_busy_i,
      forwarded,
      stored_preg
    };
  end

endmodule
