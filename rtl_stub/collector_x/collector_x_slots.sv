// SPDX-License-Identifier: Apache-2.0

// Slots of a caching collector, a bank for each operand: which register each holds and how many rows
// use it (muon-designs §3.4). A row binds a slot for each of its operands in one cycle, or none.
module collector_x_slots #(
    parameter logic [31:0] NumPregs = 256,
    parameter logic [31:0] RsEntries = 8,
    parameter logic [31:0] CollDepth = 8,
    localparam logic [31:0] NumOps = 3,
    localparam logic [31:0] PregW = $clog2(NumPregs),
    localparam logic [31:0] SlotW = (CollDepth > 1) ? $clog2(CollDepth) : 1,
    localparam logic [31:0] RefW = $clog2(RsEntries + 2)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                    bind_valid_i,
    input  logic [      NumOps-1:0] bind_enable_i,
    input  logic [NumOps*PregW-1:0] bind_preg_i,
    input  logic [      NumOps-1:0] bind_busy_i,
    output logic                    bind_ready_o,
    output logic [      NumOps-1:0] bind_hit_o,
    output logic [NumOps*SlotW-1:0] bind_slot_o,

    // What is stored in a slot at the edge: whether, by a forward, of which register
    input logic [NumOps*CollDepth-1:0] stored_i,
    input logic [NumOps*CollDepth-1:0] forwarded_i,
    input logic [NumOps*CollDepth*PregW-1:0] stored_preg_i,
    input logic write_i,
    input logic [PregW-1:0] write_preg_i,

    input logic [      NumOps-1:0] release_i,
    input logic [NumOps*SlotW-1:0] release_slot_i
);

  logic [NumOps-1:0] wanted, found;

  assign wanted = bind_valid_i ? bind_enable_i : '0;
  assign bind_ready_o = bind_valid_i && (found == wanted);

  for (genvar op = 0; op < NumOps; op++) begin : g_op
    logic [CollDepth-1:0] valid_d, valid_q;
    logic [PregW-1:0] tag_d[CollDepth], tag_q[CollDepth];
    logic [RefW-1:0] refs_d[CollDepth], refs_q[CollDepth], users[CollDepth];
    logic [SlotW-1:0] victim_d, victim_q;
    logic [PregW-1:0] preg;
    logic [SlotW-1:0] slot;
    logic hit, empty, old;

    always_comb begin
      preg = bind_preg_i[op*PregW+:PregW];
      for (int unsigned s = 0; s < CollDepth; s++) begin
        users[s] = refs_q[s];
        if (release_i[op] && (release_slot_i[op*SlotW+:SlotW] == SlotW'(s))) begin
          users[s] = refs_q[s] - 1'b1;
        end
      end

      // The victim: the first unused one from victim_q on, then those before it; better one
      // without a register, and best one with this register.
      hit   = 1'b0;
      empty = 1'b0;
      old   = 1'b0;
      slot  = '0;
      for (int unsigned s = CollDepth; s > 0; s--) begin
        if ((users[s-1] == '0) && (SlotW'(s - 1) < victim_q)) begin
          old  = 1'b1;
          slot = SlotW'(s - 1);
        end
      end
      for (int unsigned s = CollDepth; s > 0; s--) begin
        if ((users[s-1] == '0) && (SlotW'(s - 1) >= victim_q)) begin
          old  = 1'b1;
          slot = SlotW'(s - 1);
        end
      end
      for (int unsigned s = CollDepth; s > 0; s--) begin
        if ((users[s-1] == '0) && !valid_q[s-1]) begin
          empty = 1'b1;
          slot  = SlotW'(s - 1);
        end
      end
      for (int unsigned s = CollDepth; s > 0; s--) begin
        if (!bind_busy_i[op] && valid_q[s-1] && (tag_q[s-1] == preg)) begin
          hit  = 1'b1;
          slot = SlotW'(s - 1);
        end
      end
    end

    always_comb begin
      // Tags of what is stored, then those of the register written go.
      valid_d = valid_q | stored_i[op*CollDepth+:CollDepth];
      for (int unsigned s = 0; s < CollDepth; s++) begin
        tag_d[s] = stored_i[op*CollDepth+s] ?
            stored_preg_i[(op*CollDepth+s)*PregW+:PregW] : tag_q[s];
        if (write_i && (tag_d[s] == write_preg_i) && !forwarded_i[op*CollDepth+s]) begin
          valid_d[s] = 1'b0;
        end
      end
      victim_d = victim_q;
      for (int unsigned s = 0; s < CollDepth; s++) begin
        refs_d[s] = users[s];
        if (bind_ready_o && wanted[op] && (slot == SlotW'(s))) begin
          refs_d[s] = users[s] + 1'b1;
          if (!hit) begin
            valid_d[s] = 1'b0;
          end
        end
      end
      if (bind_ready_o && wanted[op] && !hit && !empty) begin
        victim_d = (slot == SlotW'(CollDepth - 1)) ? '0 : slot + 1'b1;
      end
    end

    assign found[op] = wanted[op] && (hit || empty || old);
    assign bind_hit_o[op] = wanted[op] && hit;
    assign bind_slot_o[op*SlotW+:SlotW] = found[op] ? slot : '0;

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        valid_q  <= '0;
        victim_q <= '0;
        for (int unsigned s = 0; s < CollDepth; s++) begin
          refs_q[s] <= '0;
        end
      end else begin
        valid_q  <= valid_d;
        victim_q <= victim_d;
        for (int unsigned s = 0; s < CollDepth; s++) begin
          refs_q[s] <= refs_d[s];
        end
      end
      for (int unsigned s = 0; s < CollDepth; s++) begin
        tag_q[s] <= tag_d[s];
      end
    end
  end

endmodule
