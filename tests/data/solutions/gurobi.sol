# Solution for model poet
# Objective value = 4607.155926966736
C_1_0 1
C_2_0 -0.0000000000000000e+00
R_2_0 9.9999999999999989e-01
baseline 1
