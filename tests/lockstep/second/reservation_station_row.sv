// SPDX-License-Identifier: Apache-2.0

// One row of the reservation station (muon-issue §5): each operand is in one of five states. Whether
// it was asked for matters also when it is here, whether it is busy only until it is asked for.
module reservation_station_row #(
    parameter int unsigned NumPregs = 256,
    parameter int unsigned ForwardCollIssue = 1,
    parameter int unsigned AllowPartialCollect = 0,
    parameter int unsigned CollIdW = 1,
    parameter int unsigned EntryW = 173,
    parameter int unsigned RsLsb = 87,
    parameter int unsigned HasRsLsb = 127,
    localparam int unsigned NumOps = 3,
    localparam int unsigned PregW = $clog2(NumPregs)
) (
    input logic clk_i,
    input logic rst_i,

    input logic              admit_i,
    input logic [EntryW-1:0] admit_entry_i,
    input logic [NumOps-1:0] admit_op_ready_i,
    input logic [NumOps-1:0] admit_busy_i,

    input logic               request_i,
    input logic [ NumOps-1:0] response_enable_i,
    input logic [CollIdW-1:0] response_entry_i,
    input logic               writeback_i,
    input logic [  PregW-1:0] writeback_rd_i,
    input logic               dispatch_i,

    output logic                    valid_o,
    output logic [      EntryW-1:0] entry_o,
    output logic [NumOps*PregW-1:0] rs_o,
    output logic [      NumOps-1:0] coll_fired_o,

    output logic [ NumOps-1:0] need_o,
    output logic               can_request_o,
    output logic               uncollected_o,
    output logic [ NumOps-1:0] taken_o,
    output logic               complete_o,
    output logic [CollIdW-1:0] coll_entry_o
);

  typedef enum logic [2:0] {
    Free,
    Busy,
    Asked,
    Here,
    Brought
  } operand_e;

  typedef struct packed {
    logic empty;
    logic [EntryW-1:0] instruction;
    logic [CollIdW-1:0] place;
  } row_t;

  row_t row_q;
  operand_e [NumOps-1:0] operand_q;
  logic [NumOps-1:0] here, waits;

  assign valid_o = !row_q.empty;
  assign entry_o = row_q.instruction;
  assign rs_o = row_q.instruction[RsLsb+:NumOps*PregW];

  for (genvar op = 0; op < NumOps; op++) begin : g_operand
    logic [PregW-1:0] preg;
    logic woken;

    assign preg = rs_o[op*PregW+:PregW];
    assign woken = writeback_i && row_q.instruction[HasRsLsb+op] && (|preg) &&
                   (preg == writeback_rd_i);
    assign need_o[op] = (operand_q[op] == Free);
    assign waits[op] = (operand_q[op] == Busy);
    assign here[op] = operand_q[op] inside {Here, Brought};
    assign coll_fired_o[op] = operand_q[op] inside {Asked, Brought};
    assign taken_o[op] = valid_o && response_enable_i[op] && (operand_q[op] == Asked);

    always_ff @(posedge clk_i) begin
      if (rst_i) operand_q[op] <= Free;
      else if (admit_i) begin
        operand_q[op] <= admit_op_ready_i[op] ? Here : admit_busy_i[op] ? Busy : Free;
      end else begin
        unique case (operand_q[op])
          Free: if (request_i) operand_q[op] <= Asked;
          Busy: if (valid_o && woken) operand_q[op] <= Free;
          Asked: if (taken_o[op]) operand_q[op] <= Brought;
          default: ;
        endcase
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      row_q <= '{empty: 1'b1, default: '0};
    end else if (admit_i) begin
      row_q <= '{empty: 1'b0, instruction: admit_entry_i, place: '0};
    end else begin
      row_q.empty <= row_q.empty || dispatch_i;
      if (|taken_o) row_q.place <= response_entry_i;
    end
  end

  assign can_request_o = valid_o && (|need_o) &&
                         ((AllowPartialCollect != 0) || (&(need_o | here)));
  assign uncollected_o = |(need_o | waits);
  assign complete_o = valid_o && (&(here | (ForwardCollIssue != 0 ? taken_o : '0)));
  assign coll_entry_o =
      ((ForwardCollIssue != 0) && (|taken_o)) ? response_entry_i : row_q.place;

endmodule
