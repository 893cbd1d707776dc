Columns
    Index Status        Lower        Upper       Primal         Dual  Type        Name
        0                   0            1            1               Integer     C_1_0
        1                   0            1            0               Integer     C_2_0
        2                   0          inf            1               Integer     R_2_0
        3     FX            1            1            1            0  Continuous  baseline
Rows
    Index Status        Lower        Upper       Primal         Dual  Name
        0                   1            1            1               avail_1_0
        1                -inf            0            0               ram_1_0

Model status: Optimal

Objective value: 4607.155926966736
