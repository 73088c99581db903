"""python.py: Python with the package loaded once for many commands. `python.py SOCKET ALIVE` listens at SOCKET; for each
request of a copy of the program (serve.c), which would start Python with analysis/command.py, it forks, and the copy runs
the command as if it had been started so. It ends when nobody holds the other end of the pipe ALIVE any more.

A request is one message with the descriptors 0, 1, 2. Its text is strings behind one another, each with its 0: the
limits of CPU seconds, the folder, the numbers of words and of variables, these. The answer: two ints, 1 and the status of the
process; 0 and 0 where the words do not start this Python with this script.
"""
# SPDX-License-Identifier: BSD-2-Clause
import atexit
import os
import pathlib
import resource
import selectors
import signal
import socket
import struct
import sys

MOST = 1 << 17  # bytes of a request
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "analysis" / "command.py"
ANSWER = struct.Struct("ii")


def load():
    """analysis/command.py, and what its commands load later; not what a figure needs, which takes as long as all else."""
    sys.argv, sys.path[0] = [str(SCRIPT)], str(SCRIPT.parent)
    import command

    import constella.beside  # noqa: F401
    import constella.certifying.command  # noqa: F401
    import constella.certifying.verifying  # noqa: F401
    import constella.cheapest  # noqa: F401
    import constella.choosing.command  # noqa: F401
    import constella.explaining.command  # noqa: F401
    import constella.exporting  # noqa: F401
    import constella.markup  # noqa: F401
    import constella.system_page  # noqa: F401

    command.gc.freeze()
    return command


def load_for(command, words):
    """What a command draws with, once."""
    if not command.draws(words) or "matplotlib" in sys.modules:
        return
    command.LATER = [name for name in command.LATER if name not in sys.modules]
    command.import_matplotlib()
    import constella.animation  # noqa: F401
    import constella.lettering  # noqa: F401
    import constella.page  # noqa: F401
    import constella.plot  # noqa: F401

    command.gc.freeze()


def become(text, descriptors):
    """The process of a request: its streams, limits, folder and variables. Returns the command's words."""
    soft, hard, folder, words, variables, *strings = text.split(b"\0")[:-1]
    for k, descriptor in enumerate(descriptors):
        os.dup2(descriptor, k)
        os.close(descriptor)
    resource.setrlimit(resource.RLIMIT_CPU, (int(soft), int(hard)))
    os.chdir(folder)
    for name in list(os.environ):
        del os.environ[name]
    os.environ.update(os.fsdecode(x).split("=", 1) for x in strings[int(words) :] if b"=" in x)
    sys.argv = [os.fsdecode(x) for x in strings[1 : int(words)]]
    return sys.argv[1:]


def fits(text):
    """Whether the request is for this Python and this script."""
    words = text.split(b"\0")[5:7]
    return len(words) == 2 and words[0] == os.fsencode(sys.executable) and os.path.realpath(words[1]) == os.fsencode(SCRIPT)


class Served:
    """The processes that run, and who waits for them."""

    def __init__(self, command, path, alive):
        self.command, self.waiting, self.alive = command, {}, alive
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(path)
        self.listener.listen(100)
        self.ended, there = socket.socketpair()
        there.setblocking(False)
        signal.set_wakeup_fd(there.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.there = there

    def tell(self):
        """Answer for all that have ended."""
        while self.waiting:
            process, status = os.waitpid(-1, os.WNOHANG)
            if not process:
                return
            self.answer(self.waiting.pop(process), 1, status)

    @staticmethod
    def answer(connection, *what):
        with connection:
            try:
                connection.send(ANSWER.pack(*what))
            except OSError:  # killed meanwhile
                pass

    def accept(self):
        """The words of a request, in its process; None in the server."""
        connection, _ = self.listener.accept()
        text, descriptors, *_ = socket.recv_fds(connection, MOST, 3)
        if len(descriptors) != 3 or not fits(text):
            self.answer(connection, 0, 0)
        elif process := self.begin(text):
            self.waiting[process] = connection
        else:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for mine in (connection, self.listener, self.ended, self.there, *self.waiting.values()):
                mine.close()
            os.close(self.alive)
            return become(text, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        return None

    def begin(self, text):
        load_for(self.command, [os.fsdecode(x) for x in text.split(b"\0")[7:]])
        return os.fork()

    def serve(self):
        """The words of each request in its process; None at the end of the server."""
        with selectors.DefaultSelector() as select:
            for source in (self.listener, self.ended, self.alive):
                select.register(source, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in select.select()]
                if self.ended in ready:
                    self.ended.recv(4096)
                    self.tell()
                if self.listener in ready:
                    words = self.accept()
                    if words is not None:
                        return words
                elif self.alive in ready:
                    return None


path, alive = sys.argv[1], int(sys.argv[2])
command = load()
words = Served(command, path, alive).serve()
if words is not None:
    code = command.main(words)
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # clearing away all that is loaded would copy its memory
