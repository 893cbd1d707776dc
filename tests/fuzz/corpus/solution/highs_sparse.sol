Model status
Time limit reached

# Primal solution values
Feasible
Objective 4610.5
# Columns -3
C_1_0 1
R_2_0 1
baseline 1
# Rows -1
avail_1_0 1

# Dual solution values
None

# Basis
HiGHS v1
None
