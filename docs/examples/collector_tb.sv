// SPDX-License-Identifier: Apache-2.0

// A testbench with a scoreboard that predicts a collector, in plain SystemVerilog. RTL and predictor
// are for one lane, 16 registers and two entries; the commands are in docs/model-module.md.
module collector_tb;
  import wlk_predict_collector_pkg::*;

  localparam int Cycles = 2000;

  bit         clock = 1'b0;
  int         cycle = 0;
  in_t        in = '0;  // what the design is given, and
  out_t       got;  // what it shows
  bit   [1:0] held = '0;  // entries that have answered and may be read

  always #5 clock = ~clock;

  DuplicatedCollector dut (
      .clock(clock),
      .reset(in.reset),
      .io_readReq_ready(got.io_readReq_ready),
      .io_readReq_valid(in.io_readReq_valid),
      .io_readReq_bits_regs_0_enable(in.io_readReq_bits_regs_0_enable),
      .io_readReq_bits_regs_0_pReg(in.io_readReq_bits_regs_0_pReg),
      .io_readReq_bits_regs_1_enable(in.io_readReq_bits_regs_1_enable),
      .io_readReq_bits_regs_1_pReg(in.io_readReq_bits_regs_1_pReg),
      .io_readReq_bits_regs_2_enable(in.io_readReq_bits_regs_2_enable),
      .io_readReq_bits_regs_2_pReg(in.io_readReq_bits_regs_2_pReg),
      .io_readReq_bits_rsEntryId(in.io_readReq_bits_rsEntryId),
      .io_readResp_valid(got.io_readResp_valid),
      .io_readResp_bits_collEntry(got.io_readResp_bits_collEntry),
      .io_readResp_bits_regs_0_enable(got.io_readResp_bits_regs_0_enable),
      .io_readResp_bits_regs_1_enable(got.io_readResp_bits_regs_1_enable),
      .io_readResp_bits_regs_2_enable(got.io_readResp_bits_regs_2_enable),
      .io_writeReq_ready(got.io_writeReq_ready),
      .io_writeReq_valid(in.io_writeReq_valid),
      .io_writeReq_bits_regs_0_enable(in.io_writeReq_bits_regs_0_enable),
      .io_writeReq_bits_regs_0_pReg(in.io_writeReq_bits_regs_0_pReg),
      .io_writeReq_bits_regs_0_tmask(in.io_writeReq_bits_regs_0_tmask),
      .io_writeReq_bits_regs_0_data_0(in.io_writeReq_bits_regs_0_data_0),
      .io_writeReq_bits_rsEntryId(in.io_writeReq_bits_rsEntryId),
      .io_writeResp_valid(got.io_writeResp_valid),
      .io_writeResp_bits_collEntry(got.io_writeResp_bits_collEntry),
      .io_writeResp_bits_regs_0_enable(got.io_writeResp_bits_regs_0_enable),
      .io_readData_req_valid(in.io_readData_req_valid),
      .io_readData_req_bits_collEntry(in.io_readData_req_bits_collEntry),
      .io_readData_req_bits_regs_0_enable(in.io_readData_req_bits_regs_0_enable),
      .io_readData_req_bits_regs_1_enable(in.io_readData_req_bits_regs_1_enable),
      .io_readData_req_bits_regs_2_enable(in.io_readData_req_bits_regs_2_enable),
      .io_readData_resp_valid(got.io_readData_resp_valid),
      .io_readData_resp_bits_0_enable(got.io_readData_resp_bits_0_enable),
      .io_readData_resp_bits_0_data_0(got.io_readData_resp_bits_0_data_0),
      .io_readData_resp_bits_1_enable(got.io_readData_resp_bits_1_enable),
      .io_readData_resp_bits_1_data_0(got.io_readData_resp_bits_1_data_0),
      .io_readData_resp_bits_2_enable(got.io_readData_resp_bits_2_enable),
      .io_readData_resp_bits_2_data_0(got.io_readData_resp_bits_2_data_0)
  );

  // The driver: away from the edge, any request; an entry is read once, behind its answer.
  always @(negedge clock) begin
    in.reset = (cycle < 2);
    in.io_readReq_valid = 1'($urandom);
    in.io_readReq_bits_regs_0_enable = 1'($urandom);
    in.io_readReq_bits_regs_0_pReg = 4'($urandom);
    in.io_readReq_bits_regs_1_enable = 1'($urandom);
    in.io_readReq_bits_regs_1_pReg = 4'($urandom);
    in.io_readReq_bits_regs_2_enable = 1'($urandom);
    in.io_readReq_bits_regs_2_pReg = 4'($urandom);
    in.io_writeReq_valid = 1'($urandom);
    in.io_writeReq_bits_regs_0_enable = 1'($urandom);
    in.io_writeReq_bits_regs_0_pReg = 4'($urandom);
    in.io_writeReq_bits_regs_0_tmask = 1'($urandom);
    in.io_writeReq_bits_regs_0_data_0 = $urandom;
    in.io_readData_req_bits_collEntry = 1'($urandom);
    in.io_readData_req_bits_regs_0_enable = 1'b1;
    in.io_readData_req_bits_regs_1_enable = 1'($urandom);
    in.io_readData_req_bits_regs_2_enable = 1'($urandom);
    in.io_readData_req_valid = held[in.io_readData_req_bits_collEntry] && 1'($urandom);
  end

  always @(posedge clock) begin
    if (in.io_readData_req_valid) held[in.io_readData_req_bits_collEntry] <= 1'b0;
    if (got.io_readResp_valid) held[got.io_readResp_bits_collEntry] <= 1'b1;
    if (in.reset) held <= '0;
    cycle <= cycle + 1;
  end

  // The scoreboard: what the design shows before each edge, against the prediction. Its variables
  // are set by blocking assignments, so that a difference at the last edge counts too.
  chandle predictor;
  int checked = 0, compared = 0, differ = 0, illegal = 0;

  initial begin
    predictor = open("collector_tb.scoreboard");
    if (predictor == null) $fatal(1, "no predictor");
  end

  always @(posedge clock) begin
    out_t want, care;
    int unsigned broken;
    eval(predictor, in, want, care);
    checked++;
    compared += $countones(care);
    if (((got ^ want) & care) != '0) begin
      differ++;
      $display("cycle %0d: shown %h, predicted %h, care %h", cycle, got, want, care);
    end
    broken = tick(predictor, in);
    if (broken != 0) begin
      illegal++;
      $display("cycle %0d: the driver breaks%s", cycle, rules(broken));
    end
    if (checked == Cycles) $finish;
  end

  // The verdict, whoever ends the simulation. $fatal makes the simulator exit non-zero; $finish
  // alone, and in some simulators $error, do not.
  final begin
    $display("%0d of %0d cycles checked, %0d bits compared, %0d cycles differ, %0d break rules",
             checked, Cycles, compared, differ, illegal);
    if (checked != Cycles || compared == 0 || differ != 0 || illegal != 0) $fatal(1, "FAIL");
    $display("PASS");
    close(predictor);
  end

endmodule
