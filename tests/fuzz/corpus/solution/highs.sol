Model status
Optimal

# Primal solution values
Feasible
Objective 4607.155926966736
# Columns 4
C_1_0 1
C_2_0 0
R_2_0 0.9999999999
baseline 1
# Rows 2
avail_1_0 1
ram_1_0 0

# Dual solution values
None

# Basis
HiGHS_basis_file v2
None
