module any_size (
    input logic a,
    output logic place[*][2]
);
endmodule
