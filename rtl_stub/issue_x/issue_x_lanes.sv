// SPDX-License-Identifier: Apache-2.0

// The one lane, write port of the collector's storage, that each operand of a row needs (muon-designs
// §3): of the operand in `duplicated` (0) and `caching` (3); of neighbours in neighbouring banks in
// `src_banked` (1); of the entry's bank in `inst_banked` (2).
module issue_x_lanes #(
    parameter logic [31:0] Collector = 0,
    parameter logic [31:0] CollBanks = 3,
    parameter logic [31:0] CollDepth = 2,
    parameter logic [31:0] Entries = 2,
    parameter logic [31:0] PlaceW = 1,
    localparam logic [31:0] NumOps = 3
) (
    input  logic [   NumOps*PlaceW-1:0] place_i,
    output logic [NumOps*CollBanks-1:0] lanes_o   // one bit set an operand
);

  always_comb begin
    lanes_o = '0;
    for (int unsigned op = 0; op < NumOps; op++) begin
      if (Collector == 1 || Collector == 2) begin
        for (int unsigned entry = 0; entry < Entries; entry++) begin
          if (place_i[op*PlaceW+:PlaceW] == PlaceW'(entry)) begin
            lanes_o[op*CollBanks+((Collector==1)?(3*entry+op)%CollBanks : entry/CollDepth)] = 1'b1;
          end
        end
      end else begin
        lanes_o[op*CollBanks+op] = 1'b1;
      end
    end
  end

endmodule
