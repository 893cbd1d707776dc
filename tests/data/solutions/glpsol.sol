c Problem:    poet
c Rows:       3
c Columns:    4
c Non-zeros:  9
c Status:     INTEGER OPTIMAL
c Objective:  energy = 4607.155927 (MINimum)
c
s mip 3 4 o 4607.15592696674
i 1 4607.15592696674
i 2 1
i 3 0
j 1 1
j 2 0
j 3 1
j 4 1
e o f
