"""test_trajectories.py: what is stored along trajectories: chosen by number, at random or by what they did,
at any number of ranks, through kills, verified, extended; and what it costs."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import (
    PROGRAM,
    constella,
    differences,
    digests,
    done,
    h5py,
    made,
    numpy,
    ok,
    path,
    run,
    together,
    write,
)
from held import killed_at_checkpoint

STUDY = """study: ensemble
system: spherical-pendulum
initial: {members: 40, seed: 1, around: default, spread: {q: 0.05, v: 0.3}}
end: 40
steps: [0.04, 0.02]
methods: [rattle]
observables: [energy, momentum, "height: z", "pull: lambda_rod"]
trajectories: {members: MEMBERS, every: 10, store: [q, p, v, lambda, energy, momentum, pull]}
"""
SHORT = STUDY.replace("steps: [0.04, 0.02]", "steps: [0.04]").replace("end: 40", "end: 4")
LONG = STUDY.replace("members: 40", "members: 200").replace("end: 40", "end: 1200").replace("0.04, ", "")
WORST = "{worst: 4, by: energy}"
NAMES = {"t", "member", "q", "p", "v", "lambda", "energy", "rotation-z", "pull"}


def with_members(members, text=STUDY):
    return text.replace("MEMBERS", members)


def contents():
    every, worst, random = (
        made(name, with_members(x))
        for name, x in (("all", "all"), ("worst", WORST), ("random", "{random: 5, seed: 3}"))
    )
    if not (every and worst and random):
        return
    ok(
        set(every["trajectories/0"]) == NAMES,
        "what is asked for is stored, and nothing else",
        sorted(every["trajectories/0"]),
    )
    q, p, v, l = (every[f"trajectories/1/{k}"][:] for k in ("q", "p", "v", "lambda"))
    ok((p == v).all(), "v is M^-1 p, which is p where the mass is 1")
    ok(
        numpy.abs(q[..., 0] * v[..., 1] - q[..., 1] * v[..., 0] - every["trajectories/1/rotation-z"][:]).max()
        < 1e-14,
        "the momentum is that of q and v",
    )
    ok((every["trajectories/1/pull"][:] == l[..., 0]).all(), "an observable is its expression")
    ok(
        (every["trajectories/1/energy"][:, -1] == every["observables/energy"][1, :, 1]).all(),
        "the energy of the last state is that of the end",
    )
    ok(list(every["trajectories/1/member"]) == list(range(40)), "the file says which members these are")
    for case in "01":
        drift = worst["observables/energy"][int(case), :, 2]
        members = worst[f"trajectories/{case}/member"][:]
        ok(
            list(members) == list(numpy.argsort(-drift, kind="stable")[:4]),
            f"case {case}: the worst four by energy",
            members,
            drift,
        )
        for name, file in (("the worst", worst), ("a random choice", random)):
            chosen = file[f"trajectories/{case}/member"][:]
            ok(
                all(
                    (
                        file[f"trajectories/{case}/{k}"][:] == every[f"trajectories/{case}/{k}"][:][chosen]
                    ).all()
                    for k in NAMES - {"t", "member"}
                ),
                f"case {case}: states of {name} are those that all members have",
            )
    ok(
        len(set(random["trajectories/0/member"][:])) == 5,
        "five different ones at random",
        random["trajectories/0/member"][:],
    )
    for name in ("all", "worst", "random"):
        verify = constella("verify", path(name + ".h5"), "--member", "0", "--member", "5", "--member", "17")
        ok(
            verify.returncode == 0 and "6 trajectories, all with the same bits" in verify.stdout,
            f"{name}: verified",
            verify.stdout,
            verify.stderr,
        )


def ranks():
    text = with_members(WORST)
    first = digests(run("one", text)[1])
    for n in (2, 3):
        other = digests(run(f"ranks{n}", text, "--batch", 8 * n, ranks=n)[1])
        ok(not differences(first, other), f"{n} ranks: the same file", differences(first, other))


def killed(name, members):
    """By SIGKILL after a checkpoint, again and again."""

    def test():
        text = with_members(members, LONG)
        whole = digests(run(name + "-whole", text, "--batch", 64)[1])
        study, result = write(name + ".yaml", text), path(name + ".h5")
        command = [PROGRAM, "run", study, "-o", result, "--progress", "none", "--resume", "--batch"]
        kills = 0
        for turn in range(2):
            words = [*command, str(16 * (turn % 3 + 1)), "--checkpoint-seconds", "0.05"]
            kills += killed_at_checkpoint(words, 3).returncode == -9
        last = constella(*command[1:], "64")
        ok(kills == 2, f"{name}: it was killed", kills)
        ok(last.returncode == 0, f"{name}: it is resumed, and completes", last.returncode, last.stderr)
        ok(
            not differences(whole, digests(result)),
            f"{name}: killed and resumed, the same file",
            differences(whole, digests(result)),
        )

    return test


def extended():
    for name, members in (
        ("more-random", "{random: 5, seed: 3}"),
        ("more-worst", WORST),
        ("more-list", '[3, "7..9"]'),
    ):
        run(name, with_members(members, SHORT))
        study = write(name + "-60.yaml", with_members(members, SHORT).replace("members: 40", "members: 60"))
        extension = constella(
            "extend", path(name + ".h5"), study, "-o", path(name + "-60.h5"), "--progress", "none"
        )
        fresh = digests(
            run(name + "-fresh", with_members(members, SHORT).replace("members: 40", "members: 60"))[1]
        )
        ok(extension.returncode == 0, f"{name}: it is extended", extension.stderr)
        ok(
            extension.returncode == 0 and not differences(fresh, digests(path(name + "-60.h5"))),
            f"{name}: as if it had had so many members at once",
            differences(fresh, digests(path(name + "-60.h5"))),
        )


UNSTORED = """study: ensemble
system: double-pendulum
initial: {members: 11, seed: 3, spread: {q: 0.03, v: 0.05}}
end: 2
steps: [0.02]
methods: [rattle, "hbvm(k=6, s=2)", "langevin(rattle, friction=1, inverse-temperature=10)", convert(rk4),
  "penalty(zhang-skeel(beta=0.4), omega=20)", "penalty(zhang-skeel(beta=0.4), omega=20, average=0.2)"]
observables: [energy, constraint]
"""
# coarser than the mean of multipliers, as fine, finer, and out of step with it
SPACINGS = (20, 10, 3, 1)


def neighbours():
    """No number but those of the trajectories depends on which members are stored, how often, and in which batch; nor
    do those of a stored one on its neighbours."""
    results = [run("none", UNSTORED)]
    for every in SPACINGS:
        text = UNSTORED + "trajectories: {members: [1, 9], every: %d, store: [q, lambda]}\n" % every
        results += [run(f"two{every}", text), run(f"batch{every}", text, "--batch", "8")]
        alone = run(f"one{every}", text.replace("[1, 9]", "[9]"))[1]
        with h5py.File(results[-1][1], "r") as two, h5py.File(alone, "r") as one:
            same = [
                name
                for case in one["trajectories"]
                for name in ("q", "lambda")
                if not (two[f"trajectories/{case}/{name}"][1] == one[f"trajectories/{case}/{name}"][0]).all()
            ]
            ok(not same, f"every {every}: a stored trajectory alone and beside another", same)
    found = [
        {k: x for k, x in digests(result).items() if k.startswith(("final/", "observables/"))} for _, result in results
    ]
    ok(len(found[0]) > 10, "numbers of members are compared", sorted(found[0]))
    for x, (_, result) in zip(found[1:], results[1:]):
        ok(x == found[0], f"{result.rsplit('/', 1)[-1]}: as where none is stored", differences(found[0], x))


def failing():
    """Members that fail are not among the worst; of a listed one the states up to its failure are there."""
    text = """study: ensemble
system: planar-pendulum
initial: {members: 6, seed: 1, around: default, spread: {v: 8.0}}
end: 50
steps: [0.25]
methods: [rattle]
trajectories: {members: MEMBERS, every: 1, store: [q, energy]}
"""
    listed, chosen = (
        run("fail-all", with_members("all", text))[1],
        run("fail-worst", with_members("{worst: 6, by: energy}", text))[1],
    )
    with h5py.File(listed) as a, h5py.File(chosen) as b:
        status, steps, q = a["final/status"][0], a["final/steps"][0], a["trajectories/0/q"][:]
        good = int((status == 0).sum())
        ok(0 < good < 6, "some fail", status)
        ok(
            all(
                numpy.isfinite(q[m, : steps[m] + 1]).all() and numpy.isnan(q[m, steps[m] + 1 :]).all()
                for m in range(6)
                if status[m] != 2
            ),
            "states up to the failure are stored",
            status,
            steps,
        )
        members = b["trajectories/0/member"][:]
        ok(
            (members[:good] >= 0).all()
            and (members[good:] == -1).all()
            and (status[members[:good]] == 0).all(),
            "failed members are not among the worst",
            members,
            status,
        )
        ok(numpy.isnan(b["trajectories/0/q"][good:]).all(), "whose places stay empty")


def mistakes():
    def refused(name, members, words, text=SHORT, store=None, at=None):
        text = with_members(members, text)
        if store:
            text = text[: text.index(", store")] + f", store: {store}}}\n"
        process = constella("check", write("mistake.yaml", text))
        before = text[: text.index(at)] if at else None
        where = (
            f":{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}: error: "
            if at
            else ": error: "
        )
        ok(
            process.returncode == 2 and where in process.stderr and words in process.stderr,
            f"{name}: refused in its place",
            process.stderr,
        )

    refused("a word", "none", "'members' is 'none'; it must be a list of numbers and ranges", at="none")
    refused(
        "a range that ends outside",
        '["0..40"]',
        "'members' has the range 0..40; it must be FROM..TO with numbers from 0 to 39",
        at='"0..40"',
    )
    refused("a range backwards", '"9..2"', "the smaller one first", at='"9..2"')
    refused("a number twice", '[3, "2..4"]', "the member 3 appears twice", at='"2..4"')
    refused(
        "neither", "{by: energy}", "'members' as a map has one of 'random' and 'worst'", at="{by: energy}"
    )
    refused(
        "both",
        "{random: 1, worst: 2, by: energy}",
        "'members' as a map has one of 'random' and 'worst'",
        at="{random",
    )
    refused(
        "a seed of the worst",
        "{worst: 2, by: energy, seed: 1}",
        "'seed' cannot be combined with 'worst'",
        at="1}, every",
    )
    refused(
        "by without worst",
        "{random: 2, by: energy}",
        "'by' cannot be combined with 'random'",
        at="energy}, every",
    )
    refused("the worst of nothing", "{worst: 2}", "missing key 'by' in 'members'", at="{worst: 2}")
    refused(
        "more than there are", "{random: 41}", "'random' is 41; it must be an integer from 1 to 40", at="41}"
    )
    refused("an unknown key", "{worst: 1, by: energy, of: 2}", "unknown key 'of'", at="of: 2")
    refused(
        "by what nobody observes",
        "{worst: 2, by: hight}",
        "'by' has 'hight', which this study does not observe; allowed: energy, rotation-z",
        at="hight",
    )
    refused("its nearest name", "{worst: 2, by: hight}", "did you mean 'height'?", at="hight")
    refused(
        "by an error without a reference",
        "{worst: 2, by: error}",
        "which this study does not observe",
        at="error",
    )
    refused("a store of nothing", "[0]", "'store' is an empty list", store="[]", at="[]")
    refused(
        "a store of what nobody observes",
        "[0]",
        "'store' has 'temperature', which this study does not observe; allowed: q, p, v, lambda, energy",
        store="[q, temperature]",
        at="temperature",
    )
    refused("a store of one thing twice", "[0]", "'q' appears twice", store="[q, q]")
    refused(
        "a store of one thing under two names",
        "[0]",
        "'rotation-z' is stored twice",
        store="[momentum, rotation-z]",
    )
    refused(
        "an observable with a name that is taken",
        "[0]",
        "the observable 'member' cannot be called that: it is the name of a dataset in stored trajectories",
        SHORT.replace("height: z", "member: z"),
        store="[member]",
    )


together(
    [
        contents,
        ranks,
        killed("kill-listed", '["0..99"]'),
        killed("kill-worst", "{worst: 60, by: rotation-z}"),
        extended,
        failing,
        neighbours,
        mistakes,
    ]
)
done()
