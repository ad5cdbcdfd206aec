// SPDX-License-Identifier: Apache-2.0

// Vortex's stream arbiter without a tree (vortex-issue §4.6): the input that is granted goes into a
// buffer, and it alone sees ready. One input: the buffer alone. Input 0 of the data in the low bits.
module vx_stream_arb_flat #(
    parameter logic [31:0] NumIn = 4,
    parameter logic [31:0] DataW = 8,
    parameter logic [31:0] Cyclic = 1,
    parameter logic [31:0] Sticky = 0,
    parameter logic [31:0] OutBuf = 3,
    localparam logic [31:0] IdW = (NumIn > 1) ? $clog2(NumIn) : 1
) (
    input logic clk_i,
    input logic rst_i,

    output logic [      NumIn-1:0] ready_o,
    input  logic [      NumIn-1:0] valid_i,
    input  logic [NumIn*DataW-1:0] data_i,

    input  logic             ready_i,
    output logic             valid_o,
    output logic [DataW-1:0] data_o,
    output logic [  IdW-1:0] choice_o  // the input that the data came from
);

  // The choice goes through the buffer with the data; of one input there is none.
  localparam logic [31:0] ItemW = (NumIn > 1) ? IdW + DataW : DataW;

  logic buffer_ready;
  logic [ItemW-1:0] chosen, shown;

  if (NumIn == 1) begin : g_one
    assign chosen  = data_i;
    assign ready_o = buffer_ready;
  end else begin : g_several
    logic [NumIn-1:0] grant;
    logic [  IdW-1:0] choice;
    logic [DataW-1:0] data;

    vx_arbiter #(
        .NumIn (NumIn),
        .Cyclic(Cyclic),
        .Sticky(Sticky)
    ) u_arbiter (
        .clk_i,
        .rst_i,
        .request_i(valid_i),
        .grant_o  (grant),
        .choice_o (choice),
        .ready_i  (buffer_ready)
    );

    always_comb begin
      data = '0;
      for (int unsigned i = 0; i < NumIn; i++) begin
        if (choice == IdW'(i)) begin
          data = data_i[i*DataW+:DataW];
        end
      end
    end
    assign chosen  = {choice, data};
    assign ready_o = buffer_ready ? grant : '0;
  end

  vx_elastic_buffer #(
      .DataW (ItemW),
      .OutBuf(OutBuf)
  ) u_buffer (
      .clk_i,
      .rst_i,
      .ready_o(buffer_ready),
      .valid_i(valid_i != '0),
      .data_i (chosen),
      .ready_i,
      .valid_o,
      .data_o (shown)
  );

  assign data_o = shown[DataW-1:0];
  if (NumIn > 1) begin : g_choice
    assign choice_o = shown[ItemW-1-:IdW];
  end else begin : g_no_choice
    assign choice_o = '0;
  end

endmodule
