"""test_nodes.py: a run on two nodes: two network namespaces with a host name, mounts of the shared folder and a
/dev/shm of their own, which MPI joins by TCP. One rank, or one node, is killed; the run comes down, a second run
is refused on the other node while the first one lives, and the resumed one gives the same bytes. Needs root and
`ip netns`; runs with CONSTELLA_TEST_ALL.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import shutil
import signal
import subprocess

from survive import checkpoints, finish, same

from cli import ENVIRONMENT, PROGRAM, digests, done, ok, path, run, skip, write
from held import until

STUDY = """
study: conservation
system: double-pendulum
initial: {members: 64, seed: 7, around: default, spread: {q: 0.1, v: 0.1}}
end: 6000.0
steps: [0.01]
methods: [rattle, "compose(rattle, yoshida4)"]
"""
NET = "10.213.7"
NODES = [f"cst{os.getpid()}a", f"cst{os.getpid()}b"]
# in a namespace: its name, the folder to mount, and where; then the command
INSIDE = 'hostname "$1"; mount --bind "$2" "$3"; mount -t tmpfs none /dev/shm; shift 3; exec "$@"'


def quiet(*words):
    return subprocess.run(words, capture_output=True, encoding="utf-8")


def make():
    """Both namespaces, joined by a cable; the reason where this is not allowed."""
    if os.geteuid() or not shutil.which("ip") or not shutil.which("unshare"):
        return "it needs root, ip and unshare"
    for node in NODES:
        made = quiet("ip", "netns", "add", node)
        if made.returncode:
            return made.stderr.strip()
    cable = quiet("ip", "-n", NODES[0], "link", "add", "v0", "type", "veth", "peer", "name", "v0", "netns", NODES[1])
    for i, node in enumerate(NODES):
        quiet("ip", "-n", node, "link", "set", "lo", "up")
        quiet("ip", "-n", node, "addr", "add", f"{NET}.{i + 1}/24", "dev", "v0")
        quiet("ip", "-n", node, "link", "set", "v0", "up")
    return cable.stderr.strip()


def on(i, *words):
    """The command on node i."""
    names = ["sh", f"node-{i}", path("shared"), path("mounted")]
    return ["ip", "netns", "exec", NODES[i], "unshare", "-m", "-u", "sh", "-c", INSIDE, *names, *words]


def begin(study, result, *nodes):
    """A run with a rank on each of the nodes; the first one starts it."""
    words = [PROGRAM, "run", study, "-o", result, "--resume", "--progress", "none", "--checkpoint-seconds", "0.2"]
    words += ["--batch", "16"]
    if len(nodes) > 1:
        mpi = ["mpirun", "--host", ",".join(f"{NET}.{i + 1}:1" for i in nodes), "-n", str(len(nodes))]
        for name, value in (
            ("plm", "rsh"),
            ("plm_rsh_agent", path("agent")),
            ("btl", "self,tcp"),
            ("osc", "^rdma,ucx"),
            ("btl_tcp_if_include", f"{NET}.0/24"),
            ("oob_tcp_if_include", f"{NET}.0/24"),
        ):
            mpi += ["--mca", name, value]
        words = [*mpi, *words]
    return subprocess.Popen(
        on(nodes[0], *words),
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )


def processes(i, program=None):
    found = [int(x) for x in quiet("ip", "netns", "pids", NODES[i]).stdout.split()]
    if not program:
        return found
    return [x for x in found if os.path.exists(f"/proc/{x}/exe") and os.readlink(f"/proc/{x}/exe") == program]


def finished(result):
    return [x for x in checkpoints(result) if not x.endswith(".new")]


def struck(name, first, nodes_after, victims):
    """Kills what `victims` finds, and resumes on other nodes."""
    there = os.path.join(path("shared"), name + ".h5")
    result = os.path.join(path("mounted"), name + ".h5")
    process = begin(path("study.yaml"), result, 0, 1)
    ok(until(lambda: finished(there), "a checkpoint", process), f"{name}: a checkpoint is written")
    real = os.path.realpath(PROGRAM)
    ok(len(processes(0, real)) == 1 and len(processes(1, real)) == 1, f"{name}: one rank on each node")
    status, out, err = finish(begin(path("study.yaml"), result, 1))
    ok(status == 2 and "on host node-0" in err, f"{name}: a second run on the other node is refused", status, err)
    for one in victims():
        os.kill(one, signal.SIGKILL)
    status, out, err = finish(process)
    ok(status not in (None, 0), f"{name}: the run comes down", status, out, err)
    status, out, err = finish(begin(path("study.yaml"), result, *nodes_after))
    ok(status == 0 and "from the beginning" not in err, f"{name}: resumed, it is complete", status, out, err)
    same(name, first, there)


def main():
    for folder in ("shared", "mounted"):
        os.mkdir(path(folder))
    write("study.yaml", STUDY)
    agent = write("agent", '#!/bin/sh\nshift\nexec ' + " ".join(f"'{x}'" for x in on(1, "sh", "-c")) + ' "$*"\n')
    os.chmod(agent, 0o755)
    process, undisturbed = run("undisturbed", STUDY)
    ok(process.returncode == 0, "undisturbed, it ends with 0", process.stderr)
    first = digests(undisturbed)
    real = os.path.realpath(PROGRAM)
    struck("a-rank", first, (1, 0), lambda: processes(1, real))
    struck("a-node", first, (0,), lambda: processes(1))


if __name__ == "__main__":
    why = None if "CONSTELLA_TEST_ALL" in os.environ else "it runs with CONSTELLA_TEST_ALL"
    try:
        why = why or make()
        if why:
            skip("two nodes", why)
        else:
            main()
    finally:
        for node in NODES if shutil.which("ip") else []:
            for one in processes(NODES.index(node)):
                os.kill(one, signal.SIGKILL)
            quiet("ip", "netns", "del", node)
    done()
