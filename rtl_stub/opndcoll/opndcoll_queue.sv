// SPDX-License-Identifier: Apache-2.0

// Read requests of one bank in allocation order, a ring buffer (gpgpusim-opndcoll §6.3). All input
// ports append in one clock, in ascending order. It is never full: every source slot of every unit
// has a place.
module opndcoll_queue #(
    parameter logic [31:0] Bank = 0,
    parameter logic [31:0] BankW = 4,
    parameter logic [31:0] NumPushes = 32,
    parameter logic [31:0] MaxLength = 32,
    parameter logic [31:0] RequestW = 5
) (
    input logic clk_i,
    input logic rst_i,

    input logic [         NumPushes-1:0] push_i,
    input logic [   NumPushes*BankW-1:0] push_bank_i,    // for which bank
    input logic [NumPushes*RequestW-1:0] push_request_i,

    output logic                valid_o,
    output logic [RequestW-1:0] front_o,
    input  logic                pop_i
);

  localparam logic [31:0] IndexW = (MaxLength > 1) ? $clog2(MaxLength) : 1;

  // One bit wider than an index, to distinguish full from empty.
  logic [IndexW:0] head_q, tail_q, tail_d;
  // Packed: Verilator 5.006 takes no delayed assignment to an array in a long loop.
  logic [(2**IndexW)*RequestW-1:0] requests_q;

  logic [NumPushes-1:0] mine;
  logic [NumPushes*IndexW-1:0] places;

  always_comb begin
    tail_d = tail_q;
    for (int unsigned push = 0; push < NumPushes; push++) begin
      mine[push] = push_i[push] && (push_bank_i[push*BankW+:BankW] == BankW'(Bank));
      places[push*IndexW+:IndexW] = tail_d[IndexW-1:0];
      if (mine[push]) begin
        tail_d = tail_d + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      head_q <= '0;
      tail_q <= '0;
    end else begin
      head_q <= head_q + (IndexW + 1)'(pop_i);
      tail_q <= tail_d;
    end
    for (int unsigned push = 0; push < NumPushes; push++) begin
      if (mine[push]) begin
        requests_q[places[push*IndexW+:IndexW]*RequestW+:RequestW] <=
            push_request_i[push*RequestW+:RequestW];
      end
    end
  end

  assign valid_o = (head_q != tail_q);
  assign front_o = requests_q[head_q[IndexW-1:0]*RequestW+:RequestW];

endmodule
