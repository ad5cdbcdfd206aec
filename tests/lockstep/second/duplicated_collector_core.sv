// SPDX-License-Identifier: Apache-2.0

// Operand collector (muon-issue §2) of modules: one an entry, and one memory a lane, which all
// operands read and where banks do not show. Entry ids are one hot inside.
module duplicated_collector_core #(
    parameter int unsigned NumLanes = 16,
    parameter int unsigned LaneBits = 32,
    parameter int unsigned NumPregs = 256,
    parameter int unsigned CollEntries = 2,
    parameter int unsigned RegBanks = 1,
    localparam int unsigned NumOps = 3,
    localparam int unsigned PregW = $clog2(NumPregs),
    localparam int unsigned CollIdW = (CollEntries > 1) ? $clog2(CollEntries) : 1
) (
    input logic clk_i,
    input logic rst_i,

    output logic                         readReq_ready_o,
    input  logic                         readReq_valid_i,
    input  logic [NumOps-1:0]            readReq_bits_regs_enable_i,
    input  logic [NumOps-1:0][PregW-1:0] readReq_bits_regs_pReg_i,

    output logic               readResp_valid_o,
    output logic [CollIdW-1:0] readResp_bits_collEntry_o,
    output logic [ NumOps-1:0] readResp_bits_regs_enable_o,

    output logic                              writeReq_ready_o,
    input  logic                              writeReq_valid_i,
    input  logic                              writeReq_bits_regs_enable_i,
    input  logic [PregW-1:0]                  writeReq_bits_regs_pReg_i,
    input  logic [NumLanes-1:0]               writeReq_bits_regs_tmask_i,
    input  logic [NumLanes-1:0][LaneBits-1:0] writeReq_bits_regs_data_i,

    output logic               writeResp_valid_o,
    output logic [CollIdW-1:0] writeResp_bits_collEntry_o,
    output logic               writeResp_bits_regs_enable_o,

    input  logic                                          readData_req_valid_i,
    input  logic [CollIdW-1:0]                            readData_req_bits_collEntry_i,
    input  logic [NumOps-1:0]                             readData_req_bits_regs_enable_i,
    output logic                                          readData_resp_valid_o,
    output logic [NumOps-1:0]                             readData_resp_bits_enable_o,
    output logic [NumOps-1:0][NumLanes-1:0][LaneBits-1:0] readData_resp_bits_data_o
);

  localparam int unsigned NumIds = 1 << CollIdW;  // those past the table among them
  localparam int unsigned RowBits = NumOps * NumLanes * LaneBits;

  logic frees, fires;
  logic [NumIds-1:0] named;  // by readData
  logic [NumIds-1:0] free;  // ids past the table never are
  logic [NumIds-1:0] takes, owner_q;
  logic some_free_q;
  logic idle_q;
  logic [NumOps-1:0] lands_q;
  logic written_q;

  assign frees = readData_req_valid_i && (|readData_req_bits_regs_enable_i);
  assign fires = readReq_valid_i && readReq_ready_o;
  assign named = NumIds'(1) << readData_req_bits_collEntry_i;
  assign takes = frees ? named : (free & ~(free - 1'b1));

  always_ff @(posedge clk_i) begin
    written_q <= writeReq_valid_i && writeReq_bits_regs_enable_i;
    if (rst_i) begin
      owner_q <= NumIds'(1);
      idle_q  <= 1'b1;
      lands_q <= '0;
    end else begin
      if (fires) owner_q <= takes;
      idle_q  <= !fires;
      lands_q <= readReq_bits_regs_enable_i & {NumOps{fires}};
    end
  end

  // ---- registers ----------------------------------------------------------------------------------

  logic [NumOps-1:0][NumLanes-1:0][LaneBits-1:0] landing;
  logic [NumOps-1:0][PregW-1:0] preg_q;

  always_ff @(posedge clk_i) preg_q <= readReq_bits_regs_pReg_i;

  for (genvar lane = 0; lane < NumLanes; lane++) begin : g_lane
    logic [LaneBits-1:0] words[NumPregs];

    always_ff @(posedge clk_i) begin
      if (writeReq_valid_i && writeReq_bits_regs_enable_i && writeReq_bits_regs_tmask_i[lane] &&
          (writeReq_bits_regs_pReg_i != '0)) begin
        words[writeReq_bits_regs_pReg_i] <= writeReq_bits_regs_data_i[lane];
      end
    end

    for (genvar op = 0; op < NumOps; op++) begin : g_op
      assign landing[op][lane] = (preg_q[op] != '0) ? words[preg_q[op]] : '0;
    end
  end

  // ---- entries ------------------------------------------------------------------------------------

  logic [NumIds-1:0][RowBits-1:0] rows;
  logic [NumIds-1:0] reads_it;  // an id past the table reads entry 0

  for (genvar id = 0; id < NumIds; id++) begin : g_id
    if (id < CollEntries) begin : g_entry
      collector_entry #(
          .NumOps(NumOps),
          .OpBits(RowBits / NumOps)
      ) u_entry (
          .clk_i,
          .rst_i,
          .take_i(fires && !frees && takes[id]),
          .free_i(frees && !fires && named[id]),
          .free_o(free[id]),
          .land_i(lands_q & {NumOps{owner_q[id]}}),
          .data_i(landing),
          .data_o(rows[id])
      );
      assign reads_it[id] = named[id] || ((id == 0) && (NumIds'(named >> CollEntries) != '0));
    end else begin : g_past
      assign {free[id], reads_it[id], rows[id]} = '0;
    end
  end

  // Kept beside the entries, so that ready needs none of them.
  always_ff @(posedge clk_i) begin
    if (rst_i) some_free_q <= 1'b1;
    else if (frees != fires) begin
      some_free_q <= frees ? (some_free_q || (named[CollEntries-1:0] != '0)) :
                             ((free & (free - 1'b1)) != '0);
    end
  end

  always_comb begin
    readResp_bits_collEntry_o = '0;
    readData_resp_bits_data_o = '0;
    for (int unsigned id = 0; id < NumIds; id++) begin
      if (owner_q[id]) readResp_bits_collEntry_o |= CollIdW'(id);
      if (reads_it[id]) readData_resp_bits_data_o |= rows[id];
    end
  end

  assign readReq_ready_o = some_free_q || frees;
  assign readResp_valid_o = !idle_q;
  assign readResp_bits_regs_enable_o = lands_q;
  assign writeReq_ready_o = 1'b1;
  assign writeResp_valid_o = written_q;
  assign writeResp_bits_collEntry_o = '0;
  assign writeResp_bits_regs_enable_o = 1'b1;
  assign readData_resp_valid_o = ((reads_it & free) == '0);
  assign readData_resp_bits_enable_o =
      readData_req_bits_regs_enable_i & {NumOps{readData_req_valid_i}};

endmodule

// One entry: is it free, and its operands.
module collector_entry #(
    parameter int unsigned NumOps = 3,
    parameter int unsigned OpBits = 32
) (
    input logic clk_i,
    input logic rst_i,

    input  logic take_i,
    input  logic free_i,
    output logic free_o,

    input  logic [NumOps-1:0]             land_i,
    input  logic [NumOps-1:0][OpBits-1:0] data_i,
    output logic [NumOps-1:0][OpBits-1:0] data_o
);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      free_o <= 1'b1;
      data_o <= '0;
    end else begin
      free_o <= (free_o && !take_i) || free_i;
      for (int unsigned op = 0; op < NumOps; op++) begin
        if (land_i[op]) data_o[op] <= data_i[op];
      end
    end
  end

endmodule
