"""The constraints of POET's MILP as published (ICML 2022, section 4, and its release), to hold matrices to them.

This shares no code with the package: Free and U follow here from the constraints that define them.
"""
import numpy as np

# Sums of doubles depend on their order.
SLACK = 1e-9


def users_of(nodes):
    users = [[] for _ in nodes]
    for k, node in enumerate(nodes):
        for i in sorted(set(node.inputs)):
            users[i].append(k)
    return users


def broken_constraints(nodes, matrices, ram_budget, runtime_budget_seconds, paging=True, remat=True):
    """The constraints that the matrices break, by name; an empty list if they are a solution."""
    R, SRam, SSd, MIn, MOut = (np.asarray(getattr(matrices, name)) for name in ("R", "SRam", "SSd", "MIn", "MOut"))
    count = len(nodes)
    found = []

    def expect(holds, name):
        if not np.all(holds):
            found.append(name)

    for name, matrix in (("R", R), ("SRam", SRam), ("SSd", SSd), ("MIn", MIn), ("MOut", MOut)):
        expect(matrix.shape == (count, count), f"shape of {name}")
        expect(np.isin(matrix, (0, 1)), f"{name} is binary")
    # Nothing is computed or moved before its stage, nothing is kept before it exists.
    for name, matrix, first in (("R", R, 1), ("SRam", SRam, 0), ("SSd", SSd, 0), ("MIn", MIn, 1), ("MOut", MOut, 1)):
        expect(np.triu(matrix, first).sum() == 0, f"{name} above the diagonal")
    expect(np.trace(R) == count, "diagonal of R")
    for v, node in enumerate(nodes):
        for u in node.inputs:
            expect(R[:, v] <= R[:, u] + SRam[:, u], f"input {u} of {v}")
    expect(SRam[1:] <= SRam[:-1] + R[:-1] + MIn[:-1], "residency")
    expect(SSd[1:] <= SSd[:-1] + MOut[:-1], "storage")
    expect(MIn <= SSd, "page-in")
    expect(MOut <= SRam, "page-out")
    ram = ram_after(nodes, R, SRam)
    expect((ram >= 0) & (ram <= ram_budget), "RAM")
    runtime = float(np.sum(R @ np.array([node.runtime_seconds for node in nodes])))
    expect(runtime <= runtime_budget_seconds * (1 + SLACK), "runtime")
    if not paging:
        expect(MIn.sum() + MOut.sum() + SSd.sum() == 0, "no paging")
    if not remat:
        expect(np.array_equal(R, np.eye(count)), "no rematerialisation")
    return found


def freed(nodes, R, SRam):
    """{(t, i, k): whether input i goes after k in stage t}.

    1 - Free <= hazards <= H (1 - Free) with H > 0: Free is 1 exactly where there are no hazards.
    """
    users = users_of(nodes)
    answer = {}
    for t in range(len(nodes)):
        for k, node in enumerate(nodes):
            for i in sorted(set(node.inputs)):
                hazards = 1 - R[t, k] + sum(R[t, j] for j in users[i] if j > k)
                if t + 1 < len(nodes):
                    hazards += SRam[t + 1, i]
                answer[t, i, k] = hazards == 0
    return answer


def ram_after(nodes, R, SRam):
    """U[t, k] in bytes: what is in RAM in stage t when node k has just been computed or passed over."""
    count = len(nodes)
    free = freed(nodes, R, SRam)
    ram = np.zeros((count, count))
    for t in range(count):
        held = sum(nodes[i].bytes for i in range(count) if SRam[t, i])
        for k, node in enumerate(nodes):
            held += R[t, k] * node.bytes
            ram[t, k] = held
            held -= sum(nodes[i].bytes for i in sorted(set(node.inputs)) if free[t, i, k])
    return ram


def energy_joules(nodes, matrices):
    """The objective."""
    costs = [np.array([getattr(node, key) for node in nodes])
             for key in ("energy_joules", "page_in_energy_joules", "page_out_energy_joules")]
    return float(np.sum(matrices.R @ costs[0] + matrices.MIn @ costs[1] + matrices.MOut @ costs[2]))
