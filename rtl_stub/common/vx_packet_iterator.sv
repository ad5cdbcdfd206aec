// SPDX-License-Identifier: Apache-2.0

// Vortex's iterator over the packets of a mask that are not empty, without output register
// (vortex-issue §4.9). A mask without any packet never comes to its end.
module vx_packet_iterator #(
    parameter logic [31:0] Packets = 4,
    parameter logic [31:0] Lanes = 4,
    localparam logic [31:0] PidW = (Packets > 1) ? $clog2(Packets) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic                     valid_i,
    input logic [Packets*Lanes-1:0] mask_i,
    input logic                     next_i,

    output logic [Lanes-1:0] mask_o,
    output logic [ PidW-1:0] pid_o,
    output logic             sop_o,
    output logic             eop_o
);

  if (Packets == 1) begin : g_one
    logic unused_state;
    assign unused_state = ^{clk_i, rst_i, valid_i, next_i};
    assign mask_o = mask_i;
    assign pid_o = '0;
    assign sop_o = 1'b1;
    assign eop_o = 1'b1;
  end else begin : g_several
    localparam bit PowerOfTwo = (Packets & (Packets - 1)) == 0;

    logic [Packets-1:0] full, sent_q;
    logic first_q;
    logic [PidW-1:0] last;

    always_comb begin
      pid_o = PidW'(PowerOfTwo ? Packets - 1 : 0);
      last  = '0;
      for (int unsigned p = 0; p < Packets; p++) begin
        full[p] = (mask_i[p*Lanes+:Lanes] != '0);
        if (full[p]) begin
          last = PidW'(p);
        end
      end
      for (int unsigned p = Packets; p > 0; p--) begin
        if (full[p-1] && !sent_q[p-1]) begin
          pid_o = PidW'(p - 1);
        end
      end
      mask_o = '0;
      for (int unsigned p = 0; p < Packets; p++) begin
        if (pid_o == PidW'(p)) begin
          mask_o = mask_i[p*Lanes+:Lanes];
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_i || (valid_i && next_i && eop_o)) begin
        sent_q  <= '0;
        first_q <= 1'b1;
      end else if (valid_i && next_i) begin
        sent_q[pid_o] <= 1'b1;
        first_q <= 1'b0;
      end
    end

    assign sop_o = first_q;
    assign eop_o = (pid_o == last);
  end

endmodule
