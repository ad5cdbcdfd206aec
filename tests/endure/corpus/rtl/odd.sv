package p;
  parameter int N = 4;
  typedef enum logic [1:0] { IDLE, BUSY = 2 } state_t;
  typedef struct packed { logic valid; logic [N-1:0][2:0] ids; state_t state; } row_t;
  typedef union packed { logic [3:0] a; logic [0:3] b; } both_t;
  function automatic int ones(logic [7:0] x);
    ones = 0;
    for (int i = 0; i < 8; i++) if (x[i]) ones += 1;
  endfunction
endpackage

interface bus #(parameter int W = 8) (input logic clk);
  logic valid, ready;
  logic [W-1:0] bits;
  modport from (input valid, bits, output ready);
  modport to (output valid, bits, input ready);
endinterface

module old (clk, a, , b, .c(d), q);
  parameter W = 4;
  input clk;
  input [W-1:0] a;
  input b;
  input d;
  output [W-1:0] q;
  reg [W-1:0] q;
  always @(posedge clk) q <= b ? a : {W{d}};
endmodule

module odd #(
  parameter int LANES = 2,
  parameter type T = logic [7:0],
  localparam int BITS = $clog2(LANES + 1)
) (
  input  logic clock, rst_n,
  input  p::row_t row [LANES],
  input  p::both_t both,
  input  T [LANES-1:0] data,
  bus.from req,
  input  logic \odd+name ,
  output logic [BITS-1:0] count,
  output T best, last [1:0],
  output wire [3:0] old_q,
  output p::state_t state
);
  import p::*;
  T memory [0:15];
  logic [3:0] head, tail;
  logic [LANES-1:0] hits;
  for (genvar g = 0; g < LANES; g++) begin : g_lane
    assign hits[g] = row[g].valid && row[g].ids[g][0] ^ \odd+name ;
  end
  if (LANES > 8) begin : g_wide
    assign req.ready = 1'b0;
  end else begin : g_small
    assign req.ready = hits != 0;
  end
  task automatic push(input T value);
    memory[head] <= value;
    head <= head + 1'b1;
  endtask
  always_comb begin
    count = '0;
    best = '{default: 1'b0};
    foreach (hits[i]) begin
      if (hits[i] && data[i] > best) best = data[i];
      count += BITS'(hits[i]);
    end
    unique casez ({both.b[0], head})
      5'b1???0: state = BUSY;
      5'b00000, 5'd9: state = IDLE;
      default: state = state_t'(both.a[1:0]);
    endcase
    last[0] = memory[tail -: 1];
    last[1] = ones(data[0]) inside {[1:3], 7} ? {<<{data[0]}} : memory[tail];
  end
  always_ff @(posedge clock or negedge rst_n) begin
    if (!rst_n) begin
      {head, tail} <= '0;
    end else if (req.valid) begin
      push(T'(req.bits));
    end else begin
      while (0) tail <= 4'd0;
      repeat (2) tail <= tail + 4'(ones(8'h3));
    end
  end
  old #(.W(4)) u_old [1:0] (.clk(clock), .a(head), .b(hits[0]), .c(1'b0), .q(old_q));
endmodule
