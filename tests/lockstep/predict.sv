// SPDX-License-Identifier: Apache-2.0

// The predictor's functions one by one, without a design: what is wrong is printed, and FAILED.
// Snapshots give the same again in the predictor and in another; a predictor from zeros knows more
// before the first reset; a rule is named. +USE=N: a wrong use, which ends the simulation or is one
// line.
module predict_tb;
  import wlk_predict_collector_pkg::*;

  int use_number = 0;
  bit failed = 1'b0;

  function automatic void check(bit ok, string what);
    if (!ok) $display("wrong: %s", what);
    failed |= !ok;
  endfunction

  // Requests and writes at random; an entry is never read.
  function automatic in_t random_inputs(bit reset);
    in_t in;
    in = '0;
    in.reset = reset;
    in.io_readReq_valid = 1'($urandom);
    in.io_readReq_bits_regs_0_enable = 1'($urandom);
    in.io_readReq_bits_regs_0_pReg = 4'($urandom);
    in.io_writeReq_valid = 1'($urandom);
    in.io_writeReq_bits_regs_0_enable = 1'($urandom);
    in.io_writeReq_bits_regs_0_pReg = 4'($urandom);
    in.io_writeReq_bits_regs_0_tmask = '1;
    in.io_writeReq_bits_regs_0_data_0 = $urandom;
    return in;
  endfunction

  function automatic void cycles();
    chandle one, other, zero, taken;
    in_t in, ins[50];
    out_t out, care, outs[50], cares[50];
    one   = open("one");
    other = open("other");
    zero  = open("zero", 1'b0);
    eval(one, '0, out, care);
    check(care == '0, "nothing is known before the first reset");
    eval(zero, '0, out, care);
    check(care == '1, "all is known of one that starts at zero");
    for (int n = 0; n < 100; n++) begin
      in = random_inputs(n < 2);
      check(tick(one, in) == 0, "no rule is broken");
    end
    taken = snapshot(one);
    for (int n = 0; n < 50; n++) begin
      ins[n] = random_inputs(1'b0);
      eval(one, ins[n], outs[n], cares[n]);
      check($countones(cares[n]) > 20, "much is known");
      void'(tick(one, ins[n]));
    end
    for (int again = 0; again < 2; again++) begin
      check(restore(again == 0 ? one : other, taken), "a snapshot is taken back");
      for (int n = 0; n < 50; n++) begin
        eval(again == 0 ? one : other, ins[n], out, care);
        check(out == outs[n] && care == cares[n], "a snapshot gives the same again");
        check(settle(again == 0 ? one : other, ins[n], out), "what is predicted is possible");
        void'(tick(again == 0 ? one : other, ins[n]));
      end
    end
    in = '0;
    in.io_readData_req_valid = 1'b1;
    in.io_readData_req_bits_regs_0_enable = 1'b1;
    in.reset = 1'b1;
    void'(tick(one, in));
    in.reset = 1'b0;
    check(rules(tick(one, in)) == " rules: readData_unallocated", "a broken rule is named");
    eval(one, in, out, care);
    check(!settle(one, in, ~out, care), "what contradicts all states is said");
    release_snapshot(taken);
    close(one);
    close(other);
    close(zero);
  endfunction

  function automatic void wrong_use();
    chandle one;
    out_t out, care;
    one = open("one");
    if (use_number == 1) eval(null, '0, out, care);
    if (use_number == 2) check(!restore(one, one), "a predictor is no snapshot");
    if (use_number == 3) check(!restore(one, null), "nothing is no snapshot");
    if (use_number == 4) check(snapshot(null) == null, "nothing has no snapshot");
    if (use_number == 5) void'(tick(null, '0));
    close(one);
  endfunction

  initial begin
    if ($value$plusargs("USE=%d", use_number)) wrong_use();
    else cycles();
    if (failed) $display("FAILED");
    else $display("done");
    $finish;
  end

endmodule
