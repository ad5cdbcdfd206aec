// files
+incdir+sub
+define+WIDTH=4
-y sub
a.sv
# more
-f more.f
"sub/b.sv" -v a.sv
