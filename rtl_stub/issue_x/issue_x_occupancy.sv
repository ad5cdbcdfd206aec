// SPDX-License-Identifier: Apache-2.0

// How many entries are allocated, or in a caching collector how many slots are used (muon-designs §11,
// accEntryOccupancy). Each is held by a row or by what is in an output stage; slots may be shared.
module issue_x_occupancy #(
    parameter logic [31:0] Holders = 9,
    parameter logic [31:0] Collector = 0,
    parameter logic [31:0] CollDepth = 2,
    parameter logic [31:0] PlaceW = 1,
    parameter logic [31:0] CountW = 10,
    localparam logic [31:0] NumOps = 3
) (
    input  logic [              Holders-1:0] holds_i,
    input  logic [       Holders*NumOps-1:0] has_rs_i,
    input  logic [Holders*NumOps*PlaceW-1:0] place_i,
    output logic [               CountW-1:0] count_o
);

  if (Collector == 3) begin : g_slots
    logic [NumOps*CollDepth-1:0] used;
    always_comb begin
      used = '0;
      for (int unsigned n = 0; n < Holders * NumOps; n++) begin
        for (int unsigned slot = 0; slot < CollDepth; slot++) begin
          if (holds_i[n/NumOps] && has_rs_i[n] &&
              (place_i[n*PlaceW+:PlaceW] == PlaceW'(slot))) begin
            used[(n%NumOps)*CollDepth+slot] = 1'b1;
          end
        end
      end
      count_o = '0;
      for (int unsigned n = 0; n < NumOps * CollDepth; n++) begin
        count_o += CountW'(used[n]);
      end
    end
  end else begin : g_entries
    always_comb begin
      count_o = '0;
      for (int unsigned n = 0; n < Holders; n++) begin
        count_o += CountW'(holds_i[n]);
      end
    end
    logic unused_places;
    assign unused_places = ^{has_rs_i, place_i};
  end

endmodule
