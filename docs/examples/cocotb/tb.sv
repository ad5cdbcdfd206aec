// SPDX-License-Identifier: Apache-2.0

// A collector of four lanes that a test in Python drives: docs/python.md.
module tb;
  logic clock, reset;
  logic io_readReq_ready, io_readReq_valid;
  logic io_readReq_bits_regs_0_enable, io_readReq_bits_regs_1_enable, io_readReq_bits_regs_2_enable;
  logic [7:0] io_readReq_bits_regs_0_pReg, io_readReq_bits_regs_1_pReg, io_readReq_bits_regs_2_pReg;
  logic [2:0] io_readReq_bits_rsEntryId;
  logic io_readResp_valid, io_readResp_bits_collEntry;
  logic io_readResp_bits_regs_0_enable, io_readResp_bits_regs_1_enable;
  logic io_readResp_bits_regs_2_enable;
  logic io_writeReq_ready, io_writeReq_valid, io_writeReq_bits_regs_0_enable;
  logic [7:0] io_writeReq_bits_regs_0_pReg;
  logic [3:0] io_writeReq_bits_regs_0_tmask;
  logic [31:0] io_writeReq_bits_regs_0_data_0, io_writeReq_bits_regs_0_data_1;
  logic [31:0] io_writeReq_bits_regs_0_data_2, io_writeReq_bits_regs_0_data_3;
  logic [2:0] io_writeReq_bits_rsEntryId;
  logic io_writeResp_valid, io_writeResp_bits_collEntry, io_writeResp_bits_regs_0_enable;
  logic io_readData_req_valid, io_readData_req_bits_collEntry;
  logic io_readData_req_bits_regs_0_enable, io_readData_req_bits_regs_1_enable;
  logic io_readData_req_bits_regs_2_enable;
  logic io_readData_resp_valid;
  logic io_readData_resp_bits_0_enable, io_readData_resp_bits_1_enable;
  logic io_readData_resp_bits_2_enable;
  logic [31:0] io_readData_resp_bits_0_data_0, io_readData_resp_bits_0_data_1;
  logic [31:0] io_readData_resp_bits_0_data_2, io_readData_resp_bits_0_data_3;
  logic [31:0] io_readData_resp_bits_1_data_0, io_readData_resp_bits_1_data_1;
  logic [31:0] io_readData_resp_bits_1_data_2, io_readData_resp_bits_1_data_3;
  logic [31:0] io_readData_resp_bits_2_data_0, io_readData_resp_bits_2_data_1;
  logic [31:0] io_readData_resp_bits_2_data_2, io_readData_resp_bits_2_data_3;

  DuplicatedCollector u_collector (.*);
endmodule
