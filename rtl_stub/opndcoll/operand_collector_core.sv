// SPDX-License-Identifier: Apache-2.0

// GPGPU-Sim's operand collector, generic set (gpgpusim-opndcoll §1, §3 to §7, §12). A clock is one
// step: write-backs and takes before it, issues after it. Ports carry the names of the table's
// fields; index 0 of a field (the outer array first) is in the low bits.
module operand_collector_core #(
    parameter logic [31:0] NumRegBanks = 16,
    parameter logic [31:0] NumSchedPerCore = 4,
    parameter logic [31:0] SubCoreModel = 1,
    parameter logic [31:0] NumUnits = 8,
    parameter logic [31:0] InPorts = 8,
    parameter logic [31:0] OutPorts = 8,
    parameter logic [31:0] NumKinds = 6,
    parameter logic [31:0] IdWidth = 4,
    parameter logic [31:0] ExWidth = 4,
    parameter logic [31:0] SrcSlots = 4,
    parameter logic [31:0] DstSlots = 2,
    parameter logic [31:0] NumWb = 2,
    parameter logic [31:0] NumWarps = 64,
    parameter logic [31:0] NumRegs = 256,
    parameter logic [31:0] Revision = 0,  // 0: V40, 1: V32, 2: V42
    parameter logic [31:0] Data = 0,
    parameter logic [31:0] DataBits = 32,
    parameter logic [31:0] PassFullSubCore = 0,
    parameter logic [31:0] RotateKinds = 0,
    parameter logic [31:0] ReadDuplicatesOnce = 0,
    localparam logic [31:0] UidW = 32,
    // V42 shows what is allocated by unit, the others by port.
    localparam logic [31:0] NumAllocs = (Revision == 2) ? NumUnits : InPorts,
    localparam logic [31:0] PortW = (InPorts > 1) ? $clog2(InPorts) : 1,
    localparam logic [31:0] RegW = $clog2(NumRegs),
    localparam logic [31:0] WarpW = (NumWarps > 1) ? $clog2(NumWarps) : 1,
    localparam logic [31:0] SchedW = (NumSchedPerCore > 1) ? $clog2(NumSchedPerCore) : 1,
    localparam logic [31:0] KindW = (NumKinds > 1) ? $clog2(NumKinds) : 1,
    localparam logic [31:0] UnitW = (NumUnits > 1) ? $clog2(NumUnits) : 1,
    localparam logic [31:0] SrcW = (SrcSlots > 1) ? $clog2(SrcSlots) : 1,
    localparam logic [31:0] ExW = (ExWidth > 1) ? $clog2(ExWidth) : 1
) (
    input logic clk_i,
    input logic rst_i,

    output logic [              NumSchedPerCore-1:0] issue_ready_o,
    input  logic [              NumSchedPerCore-1:0] issue_valid_i,
    input  logic [        NumSchedPerCore*KindW-1:0] issue_bits_kind_i,
    input  logic [        NumSchedPerCore*WarpW-1:0] issue_bits_wid_i,
    input  logic [       NumSchedPerCore*SchedW-1:0] issue_bits_sched_i,
    input  logic [     NumSchedPerCore*SrcSlots-1:0] issue_bits_enable_i,
    input  logic [NumSchedPerCore*SrcSlots*RegW-1:0] issue_bits_reg_i,

    input  logic [                  NumKinds-1:0] take_ready_i,
    input  logic [                  NumKinds-1:0] take_by_slot_i,
    input  logic [              NumKinds*ExW-1:0] take_slot_i,
    output logic [                  NumKinds-1:0] take_valid_o,
    output logic [             NumKinds*UidW-1:0] take_bits_uid_o,
    output logic [            NumKinds*WarpW-1:0] take_bits_wid_o,
    output logic [           NumKinds*SchedW-1:0] take_bits_sched_o,
    output logic [NumKinds*SrcSlots*DataBits-1:0] take_bits_data_o,

    input  logic [                  NumWb-1:0] wb_valid_i,
    input  logic [            NumWb*WarpW-1:0] wb_bits_wid_i,
    input  logic [           NumWb*SchedW-1:0] wb_bits_sched_i,
    input  logic [         NumWb*DstSlots-1:0] wb_bits_enable_i,
    input  logic [    NumWb*DstSlots*RegW-1:0] wb_bits_reg_i,
    input  logic [NumWb*DstSlots*DataBits-1:0] wb_bits_data_i,
    output logic [                  NumWb-1:0] wb_success_o,
    output logic [         NumWb*DstSlots-1:0] wb_accepted_o,

    output logic [      NumRegBanks-1:0] grant_valid_o,
    output logic [NumRegBanks*UnitW-1:0] grant_unit_o,
    output logic [ NumRegBanks*SrcW-1:0] grant_slot_o,

    output logic [      NumAllocs-1:0] alloc_valid_o,
    output logic [NumAllocs*KindW-1:0] alloc_kind_o,
    output logic [  InPorts*UnitW-1:0] alloc_unit_o,   // 0 in V42
    output logic [ NumUnits*PortW-1:0] alloc_port_o,   // 0 but in V42

    output logic [      OutPorts-1:0] dispatch_valid_o,
    output logic [OutPorts*UnitW-1:0] dispatch_unit_o,
    output logic [OutPorts*KindW-1:0] dispatch_kind_o,
    output logic [  OutPorts*ExW-1:0] dispatch_slot_o,

    output logic [NumUnits-1:0] busy_o,
    output logic [   UnitW-1:0] pri_o
);

  // V42, sub-core: each scheduler has units and slots of OC_EX of its own (§12.2).
  localparam logic [31:0] OwnUnits = ((Revision == 2) && (SubCoreModel != 0)) ? 1 : 0;
  // V42: a port takes one instruction of each kind in a clock, and a register is always read once.
  localparam logic [31:0] Turns = (Revision == 2) ? NumKinds : 1;
  localparam logic [31:0] NumLanes = InPorts * Turns;
  localparam logic [31:0] ReadOnce = ((Revision == 2) || (ReadDuplicatesOnce != 0)) ? 1 : 0;

  localparam logic [31:0] BankW = (NumRegBanks > 1) ? $clog2(NumRegBanks) : 1;
  localparam logic [31:0] NumId = NumKinds * IdWidth;
  localparam logic [31:0] NumEx = NumKinds * ExWidth;
  localparam logic [31:0] IdW = (NumId > 1) ? $clog2(NumId) : 1;

  // An instruction in ID_OC, after its uid: {wid, sched, enable, reg}
  localparam logic [31:0] SourceW = SrcSlots + SrcSlots * RegW;
  localparam logic [31:0] InstW = WarpW + SchedW + SourceW;
  // In a unit: {uid, wid, sched}; what leaves it: the same before its operands
  localparam logic [31:0] TagW = UidW + WarpW + SchedW;
  localparam logic [31:0] OperandsW = (Data != 0) ? SrcSlots * DataBits : 0;
  localparam logic [31:0] OpW = TagW + OperandsW;
  // A read request: {reg, slot, unit}; the register is of use with data only
  localparam logic [31:0] RequestW = UnitW + SrcW + ((Data != 0) ? RegW : 0);

  // ---- write-backs ------------------------------------------------------------------------------

  logic [NumRegBanks-1:0] written;

  opndcoll_writeback #(
      .NumRegBanks(NumRegBanks),
      .NumSchedPerCore(NumSchedPerCore),
      .SubCoreModel(SubCoreModel),
      .DstSlots(DstSlots),
      .NumWb(NumWb),
      .RegW(RegW),
      .WarpW(WarpW)
  ) u_writeback (
      .valid_i(wb_valid_i),
      .wid_i(wb_bits_wid_i),
      .sched_i(wb_bits_sched_i),
      .enable_i(wb_bits_enable_i),
      .reg_i(wb_bits_reg_i),
      .success_o(wb_success_o),
      .accepted_o(wb_accepted_o),
      .written_o(written)
  );

  // ---- dispatch, each unit after the ones before it ----------------------------------------------

  logic [NumUnits-1:0] complete, complete_left;
  logic [NumUnits*KindW-1:0] unit_kind;
  logic [NumUnits*TagW-1:0] unit_tag;
  logic [NumUnits*SrcSlots*DataBits-1:0] unit_data;
  logic [NumEx-1:0] ex_left, ex_next;

  for (genvar du = 0; du < OutPorts; du++) begin : g_dispatch
    logic [NumUnits-1:0] complete_before, complete_behind;
    logic [NumEx-1:0] ex_before, ex_behind;

    if (du == 0) begin : g_first
      assign complete_before = complete;
      assign ex_before = ex_left;
    end else begin : g_next
      assign complete_before = g_dispatch[du-1].complete_behind;
      assign ex_before = g_dispatch[du-1].ex_behind;
    end

    opndcoll_dispatch #(
        .NumSchedPerCore(NumSchedPerCore),
        .OwnUnits(OwnUnits),
        .NumUnits(NumUnits),
        .NumKinds(NumKinds),
        .ExWidth(ExWidth)
    ) u_dispatch (
        .clk_i,
        .rst_i,
        .complete_i(complete_before),
        .complete_o(complete_behind),
        .unit_kind_i(unit_kind),
        .ex_i(ex_before),
        .ex_o(ex_behind),
        .valid_o(dispatch_valid_o[du]),
        .unit_o(dispatch_unit_o[du*UnitW+:UnitW]),
        .kind_o(dispatch_kind_o[du*KindW+:KindW]),
        .slot_o(dispatch_slot_o[du*ExW+:ExW])
    );
  end

  assign complete_left = g_dispatch[OutPorts-1].complete_behind;
  assign ex_next = g_dispatch[OutPorts-1].ex_behind;

  logic [NumKinds*OpW-1:0] take_op;
  logic [NumUnits*OpW-1:0] unit_op;

  opndcoll_ex #(
      .NumUnits(NumUnits),
      .OutPorts(OutPorts),
      .NumKinds(NumKinds),
      .ExWidth(ExWidth),
      .OpW(OpW),
      .UidW(UidW)
  ) u_ex (
      .clk_i,
      .rst_i,
      .take_ready_i,
      .take_by_slot_i,
      .take_slot_i,
      .take_valid_o,
      .take_op_o(take_op),
      .left_o(ex_left),
      .next_i(ex_next),
      .dispatch_valid_i(dispatch_valid_o),
      .dispatch_unit_i(dispatch_unit_o),
      .dispatch_kind_i(dispatch_kind_o),
      .dispatch_slot_i(dispatch_slot_o),
      .unit_op_i(unit_op)
  );

  for (genvar kind = 0; kind < NumKinds; kind++) begin : g_take
    logic [TagW-1:0] tag;
    assign tag = take_op[(kind+1)*OpW-1-:TagW];
    assign {take_bits_uid_o[kind*UidW+:UidW], take_bits_wid_o[kind*WarpW+:WarpW],
            take_bits_sched_o[kind*SchedW+:SchedW]} = tag;
  end

  // ---- read ---------------------------------------------------------------------------------------

  logic [NumRegBanks-1:0] waiting;
  logic [NumRegBanks*UnitW-1:0] front_unit;
  logic [NumRegBanks*SrcW-1:0] front_slot;
  logic [NumRegBanks*RequestW-1:0] front;
  logic [NumRegBanks*DataBits-1:0] read_data;

  opndcoll_arbiter #(
      .NumRegBanks(NumRegBanks),
      .NumUnits(NumUnits),
      .Revision(Revision)
  ) u_arbiter (
      .clk_i,
      .rst_i,
      .request_i(waiting & ~written),
      .unit_i(front_unit),
      .grant_o(grant_valid_o),
      .pri_o
  );

  // ---- allocate, each port after the ones before it -----------------------------------------------

  logic [NumId-1:0] id_valid, id_left;
  logic [NumId*UidW-1:0] id_uid;
  logic [NumId*InstW-1:0] id_inst;
  // A lane is a turn of a port.
  logic [NumLanes-1:0] lane_valid;
  logic [NumLanes*KindW-1:0] lane_kind;
  logic [NumLanes*UnitW-1:0] lane_unit;
  logic [NumLanes*IdW-1:0] lane_index;
  logic [NumLanes*TagW-1:0] lane_tag;
  logic [NumLanes*SrcSlots-1:0] lane_read;
  logic [NumLanes*SrcSlots*SrcW-1:0] lane_from;
  logic [NumLanes*SrcSlots-1:0] push;
  logic [NumLanes*SrcSlots*BankW-1:0] push_bank;
  logic [NumLanes*SrcSlots*RequestW-1:0] push_request;

  for (genvar port = 0; port < InPorts; port++) begin : g_port
    logic [NumId-1:0] id_before, id_behind;
    logic [NumUnits-1:0] idle_before, idle_behind;

    if (port == 0) begin : g_first
      assign id_before   = id_valid;
      // A unit that is emptied in this clock is idle already.
      assign idle_before = ~busy_o | (complete & ~complete_left);
    end else begin : g_next
      assign id_before   = g_port[port-1].id_behind;
      assign idle_before = g_port[port-1].idle_behind;
    end

    opndcoll_port #(
        .NumSchedPerCore(NumSchedPerCore),
        .OwnUnits(OwnUnits),
        .NumUnits(NumUnits),
        .NumKinds(NumKinds),
        .IdWidth(IdWidth),
        .Turns(Turns),
        .PassFullSubCore(PassFullSubCore),
        .RotateKinds(RotateKinds),
        .UidW(UidW)
    ) u_port (
        .clk_i,
        .rst_i,
        .id_i(id_before),
        .id_o(id_behind),
        .id_uid_i(id_uid),
        .idle_i(idle_before),
        .idle_o(idle_behind),
        .valid_o(lane_valid[port*Turns+:Turns]),
        .kind_o(lane_kind[port*Turns*KindW+:Turns*KindW]),
        .unit_o(lane_unit[port*Turns*UnitW+:Turns*UnitW]),
        .index_o(lane_index[port*Turns*IdW+:Turns*IdW])
    );
  end

  for (genvar lane = 0; lane < NumLanes; lane++) begin : g_lane
    logic [IdW-1:0] index;
    logic [UidW-1:0] uid;
    logic [WarpW-1:0] wid;
    logic [SchedW-1:0] sched;
    logic [SrcSlots-1:0] enable;
    logic [SrcSlots*RegW-1:0] regs;

    assign index = lane_index[lane*IdW+:IdW];
    assign uid = id_uid[index*UidW+:UidW];
    assign {wid, sched, enable, regs} = id_inst[index*InstW+:InstW];
    assign lane_tag[lane*TagW+:TagW] = {uid, wid, sched};

    opndcoll_sources #(
        .SrcSlots(SrcSlots),
        .ReadOnce(ReadOnce),
        .RegW(RegW)
    ) u_sources (
        .enable_i(enable),
        .reg_i(regs),
        .read_o(lane_read[lane*SrcSlots+:SrcSlots]),
        .from_o(lane_from[lane*SrcSlots*SrcW+:SrcSlots*SrcW])
    );

    for (genvar slot = 0; slot < SrcSlots; slot++) begin : g_slot
      localparam logic [31:0] Nth = lane * SrcSlots + slot;

      opndcoll_bank #(
          .NumRegBanks(NumRegBanks),
          .NumSchedPerCore(NumSchedPerCore),
          .SubCoreModel(SubCoreModel),
          .RegW(RegW),
          .WarpW(WarpW)
      ) u_bank (
          .reg_i  (regs[slot*RegW+:RegW]),
          .wid_i  (wid),
          .sched_i(sched),
          .bank_o (push_bank[Nth*BankW+:BankW])
      );

      assign push[Nth] = lane_valid[lane] && lane_read[Nth];
      assign push_request[Nth*RequestW+:RequestW] = RequestW'({
        regs[slot*RegW+:RegW], SrcW'(slot), lane_unit[lane*UnitW+:UnitW]
      });
    end
  end

  if (Revision == 2) begin : g_by_unit
    opndcoll_by_unit #(
        .NumUnits(NumUnits),
        .InPorts(InPorts),
        .Turns(Turns),
        .UnitW(UnitW),
        .KindW(KindW)
    ) u_by_unit (
        .lane_valid_i(lane_valid),
        .lane_unit_i(lane_unit),
        .lane_kind_i(lane_kind),
        .valid_o(alloc_valid_o),
        .port_o(alloc_port_o),
        .kind_o(alloc_kind_o)
    );
    assign alloc_unit_o = '0;
  end else begin : g_by_port
    assign alloc_valid_o = lane_valid;
    assign alloc_kind_o  = lane_kind;
    assign alloc_unit_o  = lane_unit;
    assign alloc_port_o  = '0;
  end

  logic unused_idle;
  assign unused_idle = ^g_port[InPorts-1].idle_behind;
  assign id_left = g_port[InPorts-1].id_behind;

  for (genvar bank = 0; bank < NumRegBanks; bank++) begin : g_queue
    opndcoll_queue #(
        .Bank(bank),
        .BankW(BankW),
        .NumPushes(NumLanes * SrcSlots),
        .MaxLength(NumUnits * SrcSlots),
        .RequestW(RequestW)
    ) u_queue (
        .clk_i,
        .rst_i,
        .push_i(push),
        .push_bank_i(push_bank),
        .push_request_i(push_request),
        .valid_o(waiting[bank]),
        .front_o(front[bank*RequestW+:RequestW]),
        .pop_i(grant_valid_o[bank])
    );

    assign front_unit[bank*UnitW+:UnitW] = front[bank*RequestW+:UnitW];
    assign front_slot[bank*SrcW+:SrcW] = front[bank*RequestW+UnitW+:SrcW];
    assign grant_unit_o[bank*UnitW+:UnitW] =
        grant_valid_o[bank] ? front_unit[bank*UnitW+:UnitW] : '0;
    assign grant_slot_o[bank*SrcW+:SrcW] = grant_valid_o[bank] ? front_slot[bank*SrcW+:SrcW] : '0;
  end

  // ---- units --------------------------------------------------------------------------------------

  for (genvar unit = 0; unit < NumUnits; unit++) begin : g_unit
    opndcoll_unit #(
        .Unit(unit),
        .NumRegBanks(NumRegBanks),
        .NumLanes(NumLanes),
        .SrcSlots(SrcSlots),
        .Data(Data),
        .DataBits(DataBits),
        .UnitW(UnitW),
        .KindW(KindW),
        .TagW(TagW)
    ) u_unit (
        .clk_i,
        .rst_i,
        .alloc_valid_i(lane_valid),
        .alloc_unit_i(lane_unit),
        .alloc_kind_i(lane_kind),
        .alloc_tag_i(lane_tag),
        .alloc_sources_i(lane_read),
        .alloc_from_i(lane_from),
        .grant_valid_i(grant_valid_o),
        .grant_unit_i(grant_unit_o),
        .grant_slot_i(grant_slot_o),
        .grant_data_i(read_data),
        .dispatch_i(complete[unit] && !complete_left[unit]),
        .busy_o(busy_o[unit]),
        .complete_o(complete[unit]),
        .kind_o(unit_kind[unit*KindW+:KindW]),
        .tag_o(unit_tag[unit*TagW+:TagW]),
        .data_o(unit_data[unit*SrcSlots*DataBits+:SrcSlots*DataBits])
    );
  end

  // ---- operands -----------------------------------------------------------------------------------

  if (Data != 0) begin : g_data
    localparam logic [31:0] AddressW = WarpW + RegW;
    logic [NumRegBanks*AddressW-1:0] read_address;
    logic [NumWb*DstSlots-1:0] write;
    logic [NumWb*DstSlots*AddressW-1:0] write_address;

    for (genvar bank = 0; bank < NumRegBanks; bank++) begin : g_read
      logic [UnitW-1:0] unit;
      logic [WarpW-1:0] wid;
      assign unit = front_unit[bank*UnitW+:UnitW];
      assign wid = unit_tag[unit*TagW+SchedW+:WarpW];
      assign read_address[bank*AddressW+:AddressW] = {wid, front[bank*RequestW+UnitW+SrcW+:RegW]};
    end

    for (genvar call = 0; call < NumWb; call++) begin : g_call
      for (genvar slot = 0; slot < DstSlots; slot++) begin : g_slot
        localparam logic [31:0] Nth = call * DstSlots + slot;
        // V32 retries a refused call from its first register.
        assign write[Nth] = wb_accepted_o[Nth] && ((Revision != 1) || wb_success_o[call]);
        assign write_address[Nth*AddressW+:AddressW] = {
          wb_bits_wid_i[call*WarpW+:WarpW], wb_bits_reg_i[Nth*RegW+:RegW]
        };
      end
    end

    opndcoll_regfile #(
        .NumReads (NumRegBanks),
        .NumWrites(NumWb * DstSlots),
        .AddressW (AddressW),
        .DataBits (DataBits)
    ) u_regfile (
        .clk_i,
        .read_address_i(read_address),
        .read_data_o(read_data),
        .write_i(write),
        .write_address_i(write_address),
        .write_data_i(wb_bits_data_i)
    );

    for (genvar unit = 0; unit < NumUnits; unit++) begin : g_unit_op
      assign unit_op[unit*OpW+:OpW] = {
        unit_tag[unit*TagW+:TagW], unit_data[unit*OperandsW+:OperandsW]
      };
    end
    for (genvar kind = 0; kind < NumKinds; kind++) begin : g_take_data
      assign take_bits_data_o[kind*OperandsW+:OperandsW] = take_op[kind*OpW+:OperandsW];
    end
  end else begin : g_no_data
    logic unused_data;
    assign unused_data = ^{wb_bits_data_i, unit_data};
    assign read_data = '0;
    assign unit_op = unit_tag;
    assign take_bits_data_o = '0;
  end

  // ---- issue, after the step ----------------------------------------------------------------------

  logic [NumSchedPerCore*InstW-1:0] issue_inst;

  for (genvar port = 0; port < NumSchedPerCore; port++) begin : g_issue
    assign issue_inst[port*InstW+:InstW] = {
      issue_bits_wid_i[port*WarpW+:WarpW],
      issue_bits_sched_i[port*SchedW+:SchedW],
      issue_bits_enable_i[port*SrcSlots+:SrcSlots],
      issue_bits_reg_i[port*SrcSlots*RegW+:SrcSlots*RegW]
    };
  end

  opndcoll_id #(
      .NumSchedPerCore(NumSchedPerCore),
      .SubCoreModel(SubCoreModel),
      .NumKinds(NumKinds),
      .IdWidth(IdWidth),
      .InstW(InstW),
      .UidW(UidW)
  ) u_id (
      .clk_i,
      .rst_i,
      .issue_valid_i,
      .issue_kind_i(issue_bits_kind_i),
      .issue_sched_i(issue_bits_sched_i),
      .issue_inst_i(issue_inst),
      .issue_ready_o,
      .valid_o(id_valid),
      .uid_o(id_uid),
      .inst_o(id_inst),
      .left_i(id_left)
  );

endmodule
