"""test_hostile_results.py: malicious results: damaged ones, ones that lead to other files, ones with strange names
and texts; and limits under which they cannot be read."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import ENVIRONMENT, GOOD, PROGRAM, SLOWER, done, h5py, limited, ok, path, run, together, write


def damaged():
    """Results with damaged bytes: a message, in time."""
    _, result = run("whole", GOOD)
    with open(result, "rb") as f:
        whole = f.read()
    places = [
        0,
        8,
        9,
        13,
        20,
        28,
        36,
        44,
        52,
        60,
        96,
        100,
        136,
        288,
        289,
        290,
        291,
        296,
        300,
        400,
        500,
        len(whole) // 2,
    ]
    for at in places:
        file = path(f"damaged-{at}.h5")
        with open(file, "wb") as f:
            f.write(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        for command in ("status", "table"):
            process = limited(command, file)
            ok(
                process.returncode in (0, 2) and (process.returncode == 0 or "error: " in process.stderr),
                f"{command} with byte {at} damaged",
                process.returncode,
                process.stderr[:200],
            )
    shutil.copy(result, path("emptied.h5"))
    with h5py.File(path("emptied.h5"), "r+") as f:
        del f["/statistics/step"]
        f["/statistics/step"] = [1.0]
    for name, dataset, put in (
        ("loop", "statistics/energy_max", h5py.SoftLink("/statistics/energy_max")),
        ("scalar", "cases/tolerance", 1e-14),
    ):
        shutil.copy(result, path(f"{name}.h5"))
        with h5py.File(path(f"{name}.h5"), "r+") as f:
            del f[dataset]
            f[dataset] = put
    for name in ("damaged-9.h5", "damaged-13.h5", "emptied.h5", "loop.h5", "scalar.h5"):
        process = limited("report", path(name), "-o", path("page.html"), seconds=30)
        ok(
            process.returncode == 2 and "error: " in process.stderr and "Traceback" not in process.stderr,
            f"report of {name}",
            process.returncode,
            process.stderr[:300],
        )
    with open(path("short.h5"), "wb") as f:
        f.write(whole[: len(whole) // 3])
    ok(limited("table", path("short.h5")).returncode == 2, "a result that is cut short")


def elsewhere():
    """Results that lead to other files: refused before anything of those is read."""
    _, result = run("inside", GOOD)
    secret = write("secret", "the contents of another file")
    os.mkfifo(path("fifo"))  # which nobody writes

    def lead(name, dataset, put):
        file = path(name + ".h5")
        shutil.copy(result, file)
        with h5py.File(file, "r+") as f:
            shape, dtype = f[dataset].shape, f[dataset].dtype
            del f[dataset]
            put(f, dataset, shape, dtype)
        return file

    def link(f, name, shape, dtype):
        f[name] = h5py.ExternalLink(path("fifo"), "/x")

    def virtual(f, name, shape, dtype):
        layout = h5py.VirtualLayout(shape, dtype)
        layout[...] = h5py.VirtualSource(path("fifo"), "x", shape)
        f.create_virtual_dataset(name, layout)

    def storage(f, name, shape, dtype):
        f.create_dataset(name, shape, dtype, external=[(secret, 0, h5py.h5f.UNLIMITED)])

    commands = [
        ("status", "FILE"),
        ("table", "FILE"),
        ("verify", "FILE"),
        ("cite", "FILE"),
        ("export", "FILE", "-o", "x.csv"),
        ("run", path("inside.yaml"), "-o", "FILE", "--resume"),
    ]
    for dataset, put in (
        ("final/status", link),
        ("statistics/energy_max", virtual),
        ("final/status", storage),
    ):
        file = lead(put.__name__, dataset, put)
        told = f"is not a Constella result: /{dataset} lies in another file"
        for words in commands:
            process = limited(*(file if word == "FILE" else word for word in words))
            ok(
                process.returncode == 2 and told in process.stderr,
                f"{words[0]} of a result with a {put.__name__} elsewhere: refused",
                process.returncode,
                process.stdout + process.stderr,
            )
        ended = subprocess.run(
            [sys.executable, "-c", f"import constella; constella.Result({file!r})"],
            env={**ENVIRONMENT, "PYTHONPATH": os.path.join(os.path.dirname(__file__), "../../analysis")},
            capture_output=True,
            text=True,
            timeout=60 * SLOWER,
        )
        ok(told in ended.stderr, "and by the Python package", ended.stderr)
    file = path("soft.h5")
    shutil.copy(result, file)
    with h5py.File(file, "r+") as f:
        f.move("statistics/step", "inner")
        f["statistics/step"] = h5py.SoftLink("/inner")
    ok(limited("table", file).returncode == 0, "links inside a result are followed")


def strange():
    """Names and texts that are no UTF-8 or would steer a terminal; limits that are too small."""
    name = os.fsdecode(b"bad\xff\xfe.h5")
    run("strange", GOOD)
    made = limited("run", path("strange.yaml"), "-o", name, "--overwrite")
    process = limited("report", name, "-o", "bad.html", seconds=30)
    ok(
        made.returncode == 0 and process.returncode == 0,
        "report of a result with a name of any bytes",
        process.stderr,
    )
    steering = path("steering.h5")
    shutil.copy(path("strange.h5"), steering)
    with h5py.File(steering, "r+") as f:
        f.attrs["system"] = f.attrs["title"] = "\x1b]0;x\x07"
    ok("\x1b" not in limited("cite", steering).stdout, "cite disarms the texts of a result")
    process = limited("plot", steering, "work", "-o", "x.png", seconds=30)
    ok("Warning" not in process.stderr, "a figure warns of no character", process.stderr)
    text = (
        GOOD.replace("study: order", "study: ensemble")
        .replace("reference: exact\n", "")
        .replace("end:", "observables: ['bad: log(y - 5)']\nend:")
    )
    _, result = run("numberless", text)
    process = limited("plot", result, "ensemble", "--y", "bad", "-o", "x.png", seconds=30)
    ok("no member has a number at the end" in process.stderr, "an ensemble without numbers", process.stderr)
    report = f"report {path('strange.h5')} -o {path('strange.html')}"
    for limit, words, told in (
        ("-s 64", f"check {path('strange.yaml')}", "the limit on the stack, in KiB, is 64"),
        ("-v 200000", report, "the limit on memory, in KiB, is 200000"),
    ):
        if limit.startswith("-v") and SLOWER > 1:
            continue  # the sanitizers reserve terabytes
        process = subprocess.run(
            ["bash", "-c", f"ulimit {limit}; exec {PROGRAM} {words}"],
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=100,
        )
        ok(
            process.returncode == 2 and told in process.stderr,
            f"ulimit {limit}: the limit is named",
            process.returncode,
            process.stderr,
        )


together([damaged, elsewhere, strange], 2)
done()
