Optimal - objective value 4607.15592697
      0 C_1_0                         1                       0
      2 R_2_0                0.99999999                   -0.25
      3 baseline                      1                       0
