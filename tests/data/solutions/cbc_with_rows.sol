Optimal - objective value 4607.15592697
      0 avail_1_0                     1                       0
      1 ram_1_0                       0                       0
      0 C_1_0                         1                       0
      1 C_2_0                         0                       0
      2 R_2_0                         1                   -0.25
      3 baseline                      1                       0
