// SPDX-License-Identifier: Apache-2.0

// Who waits for the write in service and to which of them it is forwarded in this cycle (muon-designs
// §5.1): in the order of the walk, one a lane. Index 0 of a row is the first of the walk.
module issue_x_forward #(
    parameter logic [31:0] NumPregs = 256,
    parameter logic [31:0] RsEntries = 8,
    parameter logic [31:0] CollBanks = 3,
    parameter logic [31:0] PlaceW = 1,
    localparam logic [31:0] NumOps = 3,
    localparam logic [31:0] PregW = $clog2(NumPregs)
) (
    input logic                                  write_i,
    input logic [                     PregW-1:0] write_rd_i,
    input logic                                  can_forward_i,
    input logic [          RsEntries*NumOps-1:0] busy_i,         // 0 where no row is
    input logic [    RsEntries*NumOps*PregW-1:0] preg_i,
    input logic [          RsEntries*NumOps-1:0] epoch_i,
    input logic [                 RsEntries-1:0] placed_i,
    input logic [   RsEntries*NumOps*PlaceW-1:0] place_i,
    input logic [RsEntries*NumOps*CollBanks-1:0] lanes_i,

    output logic                        waiting_o,    // someone waits
    output logic                        left_o,       // someone waits and is not served
    output logic [RsEntries*NumOps-1:0] served_o,
    output logic [       CollBanks-1:0] fwd_o,        // by lane
    output logic [     CollBanks*2-1:0] fwd_op_o,
    output logic [CollBanks*PlaceW-1:0] fwd_place_o,
    output logic [       CollBanks-1:0] fwd_epoch_o
);

  logic [RsEntries*NumOps-1:0] waits;

  always_comb begin
    waits = '0;
    served_o = '0;
    fwd_o = '0;
    for (int unsigned n = 0; n < RsEntries * NumOps; n++) begin
      waits[n] = write_i && (write_rd_i != '0) && busy_i[n] &&
          (preg_i[n*PregW+:PregW] == write_rd_i);
      if (waits[n] && can_forward_i && placed_i[n/NumOps] &&
          ((fwd_o & lanes_i[n*CollBanks+:CollBanks]) == '0)) begin
        served_o[n] = 1'b1;
        fwd_o |= lanes_i[n*CollBanks+:CollBanks];
      end
    end
  end

  always_comb begin
    fwd_op_o = '0;
    fwd_place_o = '0;
    fwd_epoch_o = '0;
    for (int unsigned lane = 0; lane < CollBanks; lane++) begin
      for (int unsigned n = 0; n < RsEntries * NumOps; n++) begin
        if (served_o[n] && lanes_i[n*CollBanks+lane]) begin
          fwd_op_o[lane*2+:2] = 2'(n % NumOps);
          fwd_place_o[lane*PlaceW+:PlaceW] = place_i[n*PlaceW+:PlaceW];
          fwd_epoch_o[lane] = epoch_i[n];
        end
      end
    end
  end

  assign waiting_o = (waits != '0);
  assign left_o = ((waits & ~served_o) != '0);

endmodule
