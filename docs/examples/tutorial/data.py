import gzip

import numpy

path = "/usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz"
table = numpy.loadtxt(gzip.open(path), delimiter=",", dtype="f4")
images = (table[:, :64] / 8 - 1).reshape(-1, 1, 8, 8)
labels = table[:, 64].astype("i4")
numpy.save("x.npy", images[:1536])
numpy.save("y.npy", labels[:1536])
numpy.save("x_test.npy", images[1536:1792])
numpy.save("y_test.npy", labels[1536:1792])
# For main.c: all of them, as a device would have them in flash.
images[:1792].astype("<f4").tofile("x.bin")
labels[:1792].astype("<i4").tofile("y.bin")
