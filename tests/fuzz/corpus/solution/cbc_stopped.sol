Stopped on time - objective value 4610.50000000
      0 C_1_0                         1                       0
**      2 R_2_0               1.0000002                   -0.25
      3 baseline                      1                       0
