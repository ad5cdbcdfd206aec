// SPDX-License-Identifier: Apache-2.0

// Operand collector with one copy of the register file per operand position, so that reads never
// conflict (muon-issue §2). Ports carry the names of the emitted module's fields; index 0 of a
// field, and lane 0 of a payload, is in the low bits.
module duplicated_collector_core #(
    parameter int unsigned NumLanes = 16,
    parameter int unsigned LaneBits = 32,
    parameter int unsigned NumPregs = 256,
    parameter int unsigned CollEntries = 2,
    parameter int unsigned RegBanks = 1,
    localparam int unsigned NumOps = 3,
    localparam int unsigned PregW = $clog2(NumPregs),
    localparam int unsigned CollIdW = (CollEntries > 1) ? $clog2(CollEntries) : 1,
    localparam int unsigned RegBits = NumLanes * LaneBits
) (
    input logic clk_i,
    input logic rst_i,

    output logic                    readReq_ready_o,
    input  logic                    readReq_valid_i,
    input  logic [      NumOps-1:0] readReq_bits_regs_enable_i,
    input  logic [NumOps*PregW-1:0] readReq_bits_regs_pReg_i,

    output logic               readResp_valid_o,
    output logic [CollIdW-1:0] readResp_bits_collEntry_o,
    output logic [ NumOps-1:0] readResp_bits_regs_enable_o,

    output logic                writeReq_ready_o,
    input  logic                writeReq_valid_i,
    input  logic                writeReq_bits_regs_enable_i,
    input  logic [   PregW-1:0] writeReq_bits_regs_pReg_i,
    input  logic [NumLanes-1:0] writeReq_bits_regs_tmask_i,
    input  logic [ RegBits-1:0] writeReq_bits_regs_data_i,

    output logic               writeResp_valid_o,
    output logic [CollIdW-1:0] writeResp_bits_collEntry_o,
    output logic               writeResp_bits_regs_enable_o,

    input  logic                      readData_req_valid_i,
    input  logic [       CollIdW-1:0] readData_req_bits_collEntry_i,
    input  logic [        NumOps-1:0] readData_req_bits_regs_enable_i,
    output logic                      readData_resp_valid_o,
    output logic [        NumOps-1:0] readData_resp_bits_enable_o,
    output logic [NumOps*RegBits-1:0] readData_resp_bits_data_o
);

  localparam int unsigned BankRows = NumPregs / RegBanks;
  localparam int unsigned RowShift = $clog2(BankRows);
  localparam int unsigned RowW = (BankRows > 1) ? RowShift : 1;
  localparam int unsigned BankW = (RegBanks > 1) ? $clog2(RegBanks) : 1;

  // Entry table
  logic [CollEntries-1:0] alloc_valid_d, alloc_valid_q;
  logic [CollIdW-1:0] next_alloc_id_d, next_alloc_id_q;
  logic [CollIdW-1:0] lowest_free;
  logic [CollIdW-1:0] data_entry;
  logic free_now;
  logic read_ready, read_fire;

  // Read in flight, and the responses
  logic read_valid_q;
  logic [NumOps-1:0] read_en_d, read_en_q;
  logic write_valid_d, write_valid_q;

  // Register file write
  logic rf_write;
  logic [RowW-1:0] write_row;
  logic [BankW-1:0] write_bank;

  always_comb begin
    free_now = readData_req_valid_i && (readData_req_bits_regs_enable_i != '0);
    read_ready = (alloc_valid_q != '1) || free_now;
    read_fire = readReq_valid_i && read_ready;
    read_en_d = read_fire ? readReq_bits_regs_enable_i : '0;

    lowest_free = CollIdW'(CollEntries - 1);
    for (int unsigned entry = CollEntries; entry > 0; entry--) begin
      if (!alloc_valid_q[entry-1]) begin
        lowest_free = CollIdW'(entry - 1);
      end
    end

    // The id being freed is taken before any free one, and then the table stays as it is.
    next_alloc_id_d = next_alloc_id_q;
    if (read_fire) begin
      next_alloc_id_d = free_now ? readData_req_bits_collEntry_i : lowest_free;
    end

    // Compared entry by entry: an id past the table frees nothing.
    alloc_valid_d = alloc_valid_q;
    for (int unsigned entry = 0; entry < CollEntries; entry++) begin
      if (read_fire && !free_now && (lowest_free == CollIdW'(entry))) begin
        alloc_valid_d[entry] = 1'b1;
      end
      if (free_now && !read_fire && (readData_req_bits_collEntry_i == CollIdW'(entry))) begin
        alloc_valid_d[entry] = 1'b0;
      end
    end

    // An id past the table reads entry 0.
    data_entry = '0;
    if ({1'b0, readData_req_bits_collEntry_i} < (CollIdW + 1)'(CollEntries)) begin
      data_entry = readData_req_bits_collEntry_i;
    end

    // Register 0 is hardwired zero: never written, and never read from the array.
    write_valid_d = writeReq_valid_i && writeReq_bits_regs_enable_i;
    rf_write = write_valid_d && (writeReq_bits_regs_pReg_i != '0);
    write_row = RowW'(writeReq_bits_regs_pReg_i & PregW'(BankRows - 1));
    write_bank = BankW'({1'b0, writeReq_bits_regs_pReg_i} >> RowShift);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      alloc_valid_q   <= '0;
      next_alloc_id_q <= '0;
      read_valid_q    <= 1'b0;
      read_en_q       <= '0;
    end else begin
      alloc_valid_q   <= alloc_valid_d;
      next_alloc_id_q <= next_alloc_id_d;
      read_valid_q    <= read_fire;
      read_en_q       <= read_en_d;
    end
    // No reset reaches this one: a write in a reset cycle is done and answered.
    write_valid_q <= write_valid_d;
  end

  for (genvar op = 0; op < NumOps; op++) begin : g_op
    logic [PregW-1:0] preg, preg_q;
    logic [RowW-1:0] read_row;
    logic [BankW-1:0] read_bank, read_bank_q;
    logic rf_read;
    logic [RegBits-1:0] bank_data[RegBanks];
    logic [RegBits-1:0] landing;

    always_comb begin
      preg = readReq_bits_regs_pReg_i[op*PregW+:PregW];
      read_row = RowW'(preg & PregW'(BankRows - 1));
      read_bank = BankW'({1'b0, preg} >> RowShift);
      rf_read = read_en_d[op] && (preg != '0);
      landing = (preg_q != '0) ? bank_data[read_bank_q] : '0;
    end

    for (genvar bank = 0; bank < RegBanks; bank++) begin : g_bank
      prf_bank #(
          .Rows(BankRows),
          .NumLanes(NumLanes),
          .LaneBits(LaneBits)
      ) u_prf_bank (
          .clk_i,
          .read_en_i(rf_read && (read_bank == BankW'(bank))),
          .read_addr_i(read_row),
          .read_data_o(bank_data[bank]),
          .write_en_i(rf_write && (write_bank == BankW'(bank))),
          .write_addr_i(write_row),
          .write_mask_i(writeReq_bits_regs_tmask_i),
          .write_data_i(writeReq_bits_regs_data_i)
      );
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        preg_q <= '0;
        read_bank_q <= '0;
      end else begin
        preg_q <= preg;
        read_bank_q <= read_bank;
      end
    end

    // An operand that is not enabled keeps what the entry's previous occupant left, and an id past
    // the table lands nowhere.
    for (genvar entry = 0; entry < CollEntries; entry++) begin : g_entry
      logic [RegBits-1:0] entry_q;
      logic [RegBits-1:0] picked;  // of the entries up to this one

      always_ff @(posedge clk_i) begin
        if (rst_i) begin
          entry_q <= '0;
        end else if (read_en_q[op] && (next_alloc_id_q == CollIdW'(entry))) begin
          entry_q <= landing;
        end
      end

      if (entry == 0) begin : g_pick_first
        assign picked = entry_q;
      end else begin : g_pick
        assign picked = (data_entry == CollIdW'(entry)) ? entry_q : g_entry[entry-1].picked;
      end
    end

    assign readData_resp_bits_data_o[op*RegBits+:RegBits] = g_entry[CollEntries-1].picked;
  end

  assign readReq_ready_o = read_ready;

  assign readResp_valid_o = read_valid_q;
  assign readResp_bits_collEntry_o = next_alloc_id_q;
  assign readResp_bits_regs_enable_o = read_en_q;

  assign writeReq_ready_o = 1'b1;
  assign writeResp_valid_o = write_valid_q;
  assign writeResp_bits_collEntry_o = '0;
  assign writeResp_bits_regs_enable_o = 1'b1;

  // Valid and data answer for the entry whether or not the request is valid.
  assign readData_resp_valid_o = alloc_valid_q[data_entry];
  assign readData_resp_bits_enable_o = readData_req_valid_i ? readData_req_bits_regs_enable_i : '0;

endmodule
