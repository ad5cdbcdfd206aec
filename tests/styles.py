# SPDX-License-Identifier: Apache-2.0
"""Modules in as many styles as there are people who write some, each by its file's name. For tests
of what `warplock new` makes of a module."""

from pathlib import Path

HEADER = "checked_fifo.svh"
FILES = {
    "Queue4_UInt8.sv": """\
// As Chisel emits: io_, clock and reset, numbered ports, an output register for each.
module Queue4_UInt8 (
    input clock,
    input reset,
    output io_enq_ready,
    input io_enq_valid,
    input [7:0] io_enq_bits_regs_0_data,
    input [7:0] io_enq_bits_regs_1_data,
    input io_enq_bits_last,
    input io_deq_ready,
    output io_deq_valid,
    output [7:0] io_deq_bits_regs_0_data,
    output [7:0] io_deq_bits_regs_1_data,
    output io_deq_bits_last,
    output [2:0] io_count
);
  reg [16:0] ram[0:3];
  reg [2:0] count;
  reg [1:0] head, tail;
  wire do_enq = io_enq_ready & io_enq_valid;
  wire do_deq = io_deq_ready & io_deq_valid;
  always @(posedge clock) begin
    if (do_enq) begin
      ram[tail] <= {io_enq_bits_last, io_enq_bits_regs_1_data, io_enq_bits_regs_0_data};
    end
    if (reset) begin
      count <= 3'h0;
      head <= 2'h0;
      tail <= 2'h0;
    end else begin
      count <= count + {2'h0, do_enq} - {2'h0, do_deq};
      head <= head + {1'h0, do_deq};
      tail <= tail + {1'h0, do_enq};
    end
  end
  assign io_enq_ready = ~count[2];
  assign io_deq_valid = |count;
  assign io_count = count;
  assign {io_deq_bits_last, io_deq_bits_regs_1_data, io_deq_bits_regs_0_data} = ram[head];
endmodule
""",
    "alu_comb.sv": r"""
// No clock: combinational, with names that are words of C.
module alu_comb #(
    parameter int WIDTH = 8
) (
    input logic [WIDTH-1:0] a,
    input logic [WIDTH-1:0] b,
    input logic [2:0] short,
    output logic [WIDTH-1:0] double,
    output logic [WIDTH:0] sum,
    output logic \int
);
  assign sum = (WIDTH + 1)'(a) + (WIDTH + 1)'(b);
  assign double = short[0] ? a << 1 : b << 1;
  assign \int = a == b;
endmodule
""",
    "axis_register.v": """\
// Verilog 2001, AXI-stream, a reset low and synchronous.
module axis_register #(
    parameter DATA_WIDTH = 32,
    parameter KEEP_WIDTH = (DATA_WIDTH / 8)
) (
    input wire aclk,
    input wire aresetn,
    input wire [DATA_WIDTH-1:0] s_axis_tdata,
    input wire [KEEP_WIDTH-1:0] s_axis_tkeep,
    input wire s_axis_tvalid,
    output wire s_axis_tready,
    input wire s_axis_tlast,
    output reg [DATA_WIDTH-1:0] m_axis_tdata,
    output reg [KEEP_WIDTH-1:0] m_axis_tkeep,
    output reg m_axis_tvalid,
    input wire m_axis_tready,
    output reg m_axis_tlast
);
  assign s_axis_tready = m_axis_tready || !m_axis_tvalid;
  always @(posedge aclk) begin
    if (!aresetn) m_axis_tvalid <= 1'b0;
    else if (s_axis_tready) m_axis_tvalid <= s_axis_tvalid;
    if (s_axis_tready) begin
      m_axis_tdata <= s_axis_tdata;
      m_axis_tkeep <= s_axis_tkeep;
      m_axis_tlast <= s_axis_tlast;
    end
  end
endmodule
""",
    "checked_fifo.sv": """\
// Elaborates with powers of two alone; req and gnt; a type as a parameter; include and macro.
`include "checked_fifo.svh"
module checked_fifo #(
    parameter int unsigned Depth = 8,
    parameter type word_t = logic [`CHECKED_FIFO_BITS-1:0],
    localparam int unsigned PtrW = $clog2(Depth)
) (
    input logic clk_i,
    input logic rst_i,
    input logic push_req_i,
    output logic push_gnt_o,
    input word_t push_data_i,
    output logic pop_vld_o,
    input logic pop_rdy_i,
    output word_t pop_data_o,
    output logic [PtrW:0] usage_o,
    output logic [PtrW-1:0] ptr_o
);
  if (Depth & (Depth - 1)) $fatal(1, "Depth must be a power of two");
  word_t mem[Depth];
  logic [PtrW:0] wp, rp;
  assign usage_o = wp - rp;
  assign push_gnt_o = usage_o != (PtrW + 1)'(Depth);
  assign pop_vld_o = usage_o != 0;
  assign pop_data_o = mem[rp[PtrW-1:0]];
  assign ptr_o = rp[PtrW-1:0];
  always_ff @(posedge clk_i) begin
    if (push_req_i && push_gnt_o) begin
      mem[wp[PtrW-1:0]] <= push_data_i;
      wp <= wp + 1;
    end
    if (pop_vld_o && pop_rdy_i) rp <= rp + 1;
    if (rst_i) begin
      wp <= '0;
      rp <= '0;
    end
  end
endmodule
""",
    "checked_fifo.svh": """\
`define CHECKED_FIFO_BITS 12
""",
    "gated_counter.sv": """\
// Its registers are in modules inside, behind a gate and inverters; the clock has other names.
module gated_counter_bit (
    input logic ck,
    input logic clr_b,
    input logic t,
    output logic q
);
  always_ff @(posedge ck, negedge clr_b)
    if (clr_b == 1'b0) q <= 1'b0;
    else q <= q ^ t;
endmodule

module gated_counter #(
    parameter int BITS = 5
) (
    input logic sys_clk,
    input logic enable,
    input logic clear,
    output logic [BITS-1:0] value
);
  wire go;
  logic on = 1'b1;
  assign go = sys_clk & on;
  for (genvar i = 0; i < BITS; i++) begin : g_bit
    if (i == 0) begin : g_first
      gated_counter_bit u (.ck(go), .clr_b(~clear), .t(enable), .q(value[0]));
    end else begin : g_rest
      gated_counter_bit u (.ck(go), .clr_b(~clear), .t(enable & (&value[i-1:0])), .q(value[i]));
    end
  end
endmodule
""",
    "lanes_merge.sv": """\
// One flat vector of all lanes, widths of products, of sums and of quotients of parameters.
module lanes_merge #(
    parameter int unsigned LANES = 4,
    parameter int unsigned W = 8,
    parameter int unsigned DEPTH = 6,
    parameter bit Swap = 1'b0
) (
    input logic clock,
    input logic reset,
    input logic [LANES*W-1:0] data,
    input logic [(W + 7) / 8-1:0] strobe,
    input logic [LANES-1:0] mask,
    input logic [$clog2(DEPTH)-1:0] slot,
    output logic [LANES*W-1:0] merged,
    output logic [$clog2(DEPTH+1)-1:0] filled,
    output logic [$clog2(LANES) + W-1:0] sum
);
  always_ff @(posedge clock) begin
    if (reset) begin
      merged <= '0;
      filled <= '0;
    end else begin
      for (int i = 0; i < LANES; i++) begin
        if (mask[Swap ? LANES - 1 - i : i]) merged[i*W+:W] <= data[i*W+:W] ^ W'(strobe);
      end
      filled <= $clog2(DEPTH + 1)'(32'(slot) + 1);
    end
  end
  always_comb begin
    sum = '0;
    for (int i = 0; i < LANES; i++) sum += ($clog2(LANES) + W)'(data[i*W+:W]);
  end
endmodule
""",
    "lfsr_noreset.v": """\
// Verilog 1995: ports declared apart, no reset.
module lfsr_noreset (CK, LOAD, SEED, Q, BITOUT);
  parameter N = 16;
  input CK, LOAD;
  input [N-1:0] SEED;
  output [N-1:0] Q;
  output BITOUT;
  reg [N-1:0] Q;
  assign BITOUT = Q[N-1];
  always @(posedge CK) Q <= LOAD ? SEED : {Q[N-2:0], Q[N-1] ^ Q[N-3]};
endmodule
""",
    "lowrisc_arbiter.sv": """\
// lowRISC style: _i, _o, _ni, a packed array, an index of clog2 bits.
module lowrisc_arbiter #(
    parameter int unsigned N = 4,
    parameter int unsigned DW = 16
) (
    input logic clk_i,
    input logic rst_ni,
    input logic [N-1:0] req_i,
    input logic [N-1:0][DW-1:0] data_i,
    output logic [N-1:0] gnt_o,
    output logic [$clog2(N)-1:0] idx_o,
    output logic valid_o,
    output logic [DW-1:0] data_o,
    input logic ready_i
);
  logic [$clog2(N)-1:0] next_q;
  always_comb begin
    idx_o = next_q;
    for (int unsigned i = 0; i < N; i++) begin
      if (req_i[(32'(next_q)+i)%N]) begin
        idx_o = $clog2(N)'((32'(next_q) + i) % N);
        break;
      end
    end
    valid_o = |req_i;
    gnt_o = valid_o && ready_i ? N'(1) << idx_o : '0;
    data_o = data_i[idx_o];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) next_q <= '0;
    else if (valid_o && ready_i) next_q <= $clog2(N)'((32'(idx_o) + 1) % N);
  end
endmodule
""",
    "struct_pipe.sv": """\
// Types of a package: structs with structs, arrays and an enum in them.
package struct_pipe_pkg;
  typedef enum logic [1:0] {
    ADD,
    SUB,
    AND
  } op_e;
  typedef struct packed {
    logic [4:0] rd;
    logic [1:0][4:0] rs;
  } regs_t;
  typedef struct packed {
    op_e op;
    regs_t regs;
    logic [31:0] imm;
  } instr_t;
endpackage

module struct_pipe
  import struct_pipe_pkg::*;
#(
    parameter int unsigned Lanes = 2
) (
    input logic clk,
    input logic rst_n,
    input logic in_valid,
    output logic in_ready,
    input instr_t in_instr,
    output logic out_valid,
    input logic out_ready,
    output instr_t out_instr,
    output instr_t [Lanes-1:0] seen
);
  assign in_ready = !out_valid || out_ready;
  always_ff @(posedge clk or negedge rst_n) begin
    if (~rst_n) begin
      out_valid <= 1'b0;
      seen <= '0;
    end else if (in_ready) begin
      out_valid <= in_valid;
      if (in_valid) begin
        out_instr <= in_instr;
        seen <= (Lanes * $bits(instr_t))'({seen, in_instr});
      end
    end
  end
endmodule
""",
    "union_deep.sv": """\
// Three dimensions, a union, an array in a struct in an array, an unpacked struct, odd names.
package union_deep_pkg;
  typedef union packed {
    logic [7:0] raw;
    struct packed {
      logic [3:0] hi;
      logic [3:0] lo;
    } parts;
  } u_t;
  typedef struct {
    logic [2:0] kind;
    u_t u;
  } open_t;
  typedef struct packed {
    logic [1:0][3:0] nib;
    u_t u;
  } shut_t;
endpackage
module union_deep (
    input logic clk,
    input logic rst,
    input logic [1:0][2:0][3:0] cube,
    input logic [1:0][2:0][39:0] big,
    input union_deep_pkg::open_t open,
    input union_deep_pkg::shut_t [2:1] shut,
    output union_deep_pkg::shut_t folded,
    output logic [3:0] x,
    output logic x_0,
    output logic in$valid,
    output logic [39:0] pick
);
  always_ff @(posedge clk) begin
    if (rst) folded <= '0;
    else folded <= shut[1] ^ shut[2];
    x <= cube[0][1] ^ open.u.raw[3:0];
    x_0 <= ^big;
    in$valid <= ^open.kind;
    pick <= big[1][open.kind % 3];
  end
endmodule
""",
    "unpacked_sum.sv": """\
// Unpacked arrays, of one and of two dimensions, some counted from 1; an active-high asynchronous
// reset; signed.
module unpacked_sum #(
    parameter int ROWS = 3,
    parameter int W = 6
) (
    input logic clk,
    input logic arst,
    input logic signed [W-1:0] in [1:ROWS],
    input logic [W-1:0] mat[0:ROWS-1] [2],
    output logic signed [W+$clog2(ROWS+1)-1:0] sum,
    output logic [W-1:0] top[1:ROWS]
);
  always_ff @(posedge clk, posedge arst) begin
    if (arst) sum <= '0;
    else begin
      automatic logic signed [W+$clog2(ROWS+1)-1:0] s = '0;
      for (int i = 1; i <= ROWS; i++) s += (W + $clog2(ROWS + 1))'(in[i]);
      sum <= s;
    end
  end
  always_comb begin
    for (int i = 1; i <= ROWS; i++) top[i] = mat[i-1][0] > mat[i-1][1] ? mat[i-1][0] : mat[i-1][1];
  end
endmodule
""",
    "wide_word.sv": """\
// Vectors wider than 64 bits, ascending ranges, indices that do not begin at 0.
module wide_word (
    input wire clk,
    input wire resetn,
    input wire we,
    input wire [127:0] wdata,
    input wire [0:99] code,
    input wire [11:4] addr,
    output reg [127:0] rdata,
    output reg [0:99] last,
    output wire [0: 7] low
);
  assign low = wdata[7:0] ^ addr;
  always @(posedge clk)
    if (!resetn) begin
      rdata <= 0;
      last <= 0;
    end else if (we) begin
      rdata <= wdata;
      last <= code;
    end
endmodule
""",
}
MODULES = [name.partition(".")[0] for name in FILES if name != HEADER]


def write(folder: Path) -> Path:
    """All files, in a folder."""
    for name, text in FILES.items():
        (folder / name).write_text(text.lstrip())
    return folder


def file_of(module: str) -> str:
    """The file of a module."""
    return next(name for name in FILES if name.partition(".")[0] == module and name != HEADER)
