// SPDX-License-Identifier: Apache-2.0

// The walk that grants reads (muon-designs §4.2), and what each lane reads. Index 0 of a row is the
// first of the walk.
module issue_x_grants #(
    parameter logic [31:0] NumPregs = 256,
    parameter logic [31:0] RsEntries = 8,
    parameter logic [31:0] Collector = 0,
    parameter logic [31:0] CollBanks = 3,
    parameter logic [31:0] CollDepth = 2,
    parameter logic [31:0] Entries = 2,
    parameter logic [31:0] PlaceW = 1,
    parameter logic [31:0] RegBanks = 1,
    parameter logic [31:0] BankMap = 0,
    parameter logic [31:0] ReadBroadcast = 0,
    parameter logic [31:0] AllocRows = 1,
    localparam logic [31:0] NumOps = 3,
    localparam logic [31:0] PregW = $clog2(NumPregs),
    localparam logic [31:0] RowW = (RsEntries > 1) ? $clog2(RsEntries) : 1
) (
    input logic [       RsEntries*NumOps-1:0] need_i,       // of rows that take part
    input logic [ RsEntries*NumOps*PregW-1:0] preg_i,
    input logic [RsEntries*NumOps*PlaceW-1:0] place_i,
    input logic [         RsEntries*RowW-1:0] row_i,        // their numbers
    input logic                               merging_i,
    input logic [                  PregW-1:0] merging_rd_i,

    output logic [RsEntries*NumOps-1:0] grant_o,
    output logic [RsEntries*NumOps-1:0] first_o,
    output logic [RsEntries*NumOps-1:0] bank_denied_o,
    output logic [RsEntries*NumOps-1:0] lane_denied_o,

    output logic [       CollBanks-1:0] read_o,       // by lane
    output logic [ CollBanks*PregW-1:0] read_preg_o,
    output logic [  CollBanks*RowW-1:0] read_row_o,
    output logic [     CollBanks*2-1:0] read_op_o,
    output logic [CollBanks*PlaceW-1:0] read_place_o
);

  localparam logic [31:0] Resources = (Collector == 0) ? NumOps * RegBanks : RegBanks;
  localparam logic [31:0] CountW = $clog2(AllocRows + 1);

  logic [RsEntries*NumOps*CollBanks-1:0] lanes;

  for (genvar n = 0; n < RsEntries; n++) begin : g_row
    logic [Resources-1:0] used, used_before;
    logic [Resources*PregW-1:0] used_preg, used_preg_before;
    logic [CollBanks-1:0] lane_used, lane_used_before;
    logic [CountW-1:0] rows, rows_before;

    if (n == 0) begin : g_first
      assign used_before = '0;
      assign used_preg_before = '0;
      assign lane_used_before = '0;
      assign rows_before = '0;
    end else begin : g_behind
      assign used_before = g_row[n-1].used;
      assign used_preg_before = g_row[n-1].used_preg;
      assign lane_used_before = g_row[n-1].lane_used;
      assign rows_before = g_row[n-1].rows;
    end

    issue_x_lanes #(
        .Collector(Collector),
        .CollBanks(CollBanks),
        .CollDepth(CollDepth),
        .Entries(Entries),
        .PlaceW(PlaceW)
    ) u_lanes (
        .place_i(place_i[n*NumOps*PlaceW+:NumOps*PlaceW]),
        .lanes_o(lanes[n*NumOps*CollBanks+:NumOps*CollBanks])
    );

    issue_x_grant #(
        .NumPregs(NumPregs),
        .Collector(Collector),
        .CollBanks(CollBanks),
        .RegBanks(RegBanks),
        .BankMap(BankMap),
        .ReadBroadcast(ReadBroadcast),
        .AllocRows(AllocRows)
    ) u_grant (
        .need_i(need_i[n*NumOps+:NumOps]),
        .preg_i(preg_i[n*NumOps*PregW+:NumOps*PregW]),
        .lanes_i(lanes[n*NumOps*CollBanks+:NumOps*CollBanks]),
        .merging_i,
        .merging_rd_i,
        .used_i(used_before),
        .used_preg_i(used_preg_before),
        .lane_used_i(lane_used_before),
        .rows_i(rows_before),
        .used_o(used),
        .used_preg_o(used_preg),
        .lane_used_o(lane_used),
        .rows_o(rows),
        .grant_o(grant_o[n*NumOps+:NumOps]),
        .first_o(first_o[n*NumOps+:NumOps]),
        .bank_denied_o(bank_denied_o[n*NumOps+:NumOps]),
        .lane_denied_o(lane_denied_o[n*NumOps+:NumOps])
    );

    if (n == RsEntries - 1) begin : g_last
      logic unused_behind;
      assign unused_behind = ^{used, used_preg, lane_used, rows};
    end
  end

  // Beside a lane that reads nothing all bits are 0.
  always_comb begin
    read_o = '0;
    read_preg_o = '0;
    read_row_o = '0;
    read_op_o = '0;
    read_place_o = '0;
    for (int unsigned lane = 0; lane < CollBanks; lane++) begin
      for (int unsigned n = 0; n < RsEntries * NumOps; n++) begin
        if (grant_o[n] && lanes[n*CollBanks+lane]) begin
          read_o[lane] = 1'b1;
          read_preg_o[lane*PregW+:PregW] = preg_i[n*PregW+:PregW];
          read_row_o[lane*RowW+:RowW] = row_i[(n/NumOps)*RowW+:RowW];
          read_op_o[lane*2+:2] = 2'(n % NumOps);
          read_place_o[lane*PlaceW+:PlaceW] = place_i[n*PlaceW+:PlaceW];
        end
      end
    end
  end

endmodule
