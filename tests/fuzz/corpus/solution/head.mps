* poet: energy of one training step in units of 1e-3 J, baseline included
* model: fz, sha256 12948cd48a449589dc91a1939c1343348467165dec703b70e8acaed4c7cd68f1
* platform: none
* batch size: 1
* memory power scale: 1
* RAM budget: 40 bytes
* runtime budget: 8 s
* techniques: paging and recomputation
* columns: 17, sha256 ce5e0597936cb93a1c80317bdff804c22618a92114af28f3793b93b7f280503e
* graph: sha256 b5e11cacb864d150a7a24b9687605d969a22b334520ac8fa3b33fff085a9d29c
* nodes, whose numbers end the names of columns:
*   0 a
