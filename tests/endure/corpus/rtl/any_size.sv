// A BasicDispatcher of two uops and three queues whose ports are structs and unpacked arrays. The
// payload of a uop is one vector.
package mapped_types;
  typedef struct packed {
    logic valid;
    logic [2:0] kind;
  } head_t;
  typedef struct packed {
    head_t head;
    logic [99:0] uop;
  } place_t;
endpackage

module two_wide
  import mapped_types::*;
(
    input head_t [1:0] ren,
    input logic [99:0] uop[2],
    output logic [0:1] ren_ready,
    input logic mode,
    input logic [2:0][1:0] queue_ready,
    output place_t place[*][2]
);
  localparam logic [2:0][2:0] Kinds = {3'd4, 3'd1, 3'd2};
  logic unused_mode;
  assign unused_mode = mode;

  for (genvar w = 0; w < 2; w++) begin : g_uop
    assign ren_ready[w] = queue_ready[0][w] && queue_ready[1][w] && queue_ready[2][w];
    for (genvar q = 0; q < 3; q++) begin : g_queue
      assign place[q][w].head.valid = ren[w].valid && (ren[w].kind & Kinds[q]) != 0;
      assign place[q][w].head.kind = ren[w].kind;
      assign place[q][w].uop = uop[w];
    end
  end
endmodule
