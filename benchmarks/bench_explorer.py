"""How long do many people at once wait for the page of a large store, and while others hold connections half open?

Data: the store of `bench_event_queries.py`, served by `howsure events explore` in a process of its own. Each client
opens the page and asks what a person asks who looks around, without a pause; all begin together, on this machine alone,
and each asks a fixed number of questions, so that the script ends by itself. First all ask the same, as a class does
that is shown something; then, of a server that was started anew, each asks something else, which no cache answers.
Wall seconds, so: on a machine that does nothing else; beside them the CPU seconds of the server.

Limits: 99 of 100 answers within 1 second with 50 clients that ask the same; the page itself within 1 second beside 300
connections that never finish their request.

    python benchmarks/bench_explorer.py [--documents 200000] [--clients 50] [--rounds 3]
"""

from __future__ import annotations

import argparse
import http.client
import random
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import numpy as np
from bench_event_queries import ACTORS, write

LIMIT, MOST_CLIENTS, MOST_ROUNDS, PATIENCE, HALF_OPEN = 1.0, 200, 20, 60.0, 300
LENGTHS = ("year", "quarter", "month")


@contextmanager
def served(store: Path) -> Iterator[str]:
    """The address of a store's page while the command runs."""
    command = [sys.executable, "-um", "howsure.cli", "events", "explore", str(store), "--port", "0", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield next(word for word in server.stdout.readline().split() if word.startswith("http://127.0.0.1:"))
        finally:
            server.terminate()


class Client:
    """A browser's connection: it asks one question after the other, and keeps the cookie that it is given."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        assert parts.hostname == "127.0.0.1"
        self.first = f"{parts.path}?{parts.query}"
        self.line = http.client.HTTPConnection("127.0.0.1", parts.port or 80, timeout=PATIENCE)
        self.cookie: dict[str, str] = {}

    def ask(self, path: str) -> tuple[int, float]:
        """The status of an answer, and the seconds until all of it was there."""
        start = time.perf_counter()
        self.line.request("GET", path, headers=self.cookie)
        answer = self.line.getresponse()
        answer.read()
        given = answer.getheader("set-cookie")
        if given:
            self.cookie = {"cookie": given.partition(";")[0]}
        return answer.status, time.perf_counter() - start


def questions(rng: random.Random) -> list[str]:
    """What one person asks: the frequent actors more often than the others, as people do."""
    frequent = [f"A{actor:02}" for actor in range(ACTORS)]
    first, second = rng.choices(frequent, [1 / (rank + 1) for rank in range(ACTORS)], k=2)
    by = rng.choice(LENGTHS)
    other = second if second != first else frequent[(frequent.index(first) + 1) % ACTORS]
    asked: list[tuple[str, list[tuple[str, object]]]] = [
        ("overview", []),
        ("series", [("actors", "A00"), ("actors", "A01"), ("period", "quarter")]),
        ("series", [("actors", first), ("actors", other), ("period", by)]),
        ("point", [("actor", first), ("at", f"{rng.randint(1988, 2006)}-Q{rng.randint(1, 4)}")]),
        ("compare", [("first", first), ("second", other), ("period", by)]),
        ("series", [("actors", first), ("period", by), ("unit", "share")]),
    ]
    return [f"/api/{name}?{urlencode(parameters)}" for name, parameters in asked]


def crowd(address: str, clients: int, rounds: int, *, same: bool) -> dict[str, list[float]]:
    """The seconds of every answer, by question, of clients that begin together and ask the same, or each its own."""
    found: dict[str, list[float]] = {}
    lock, together = threading.Lock(), threading.Barrier(clients)

    def visit(number: int) -> None:
        rng, client = random.Random(0 if same else number), Client(address)
        together.wait()
        for path in [client.first, *(path for _ in range(rounds) for path in questions(rng))]:
            status, seconds = client.ask(path)
            assert status == 200, f"{path}: {status}"
            name = urlsplit(path).path
            with lock:
                found.setdefault(name, []).append(seconds)

    threads = [threading.Thread(target=visit, args=[number]) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def beside_half_open(address: str) -> float:
    """The seconds for the page while others have begun requests that they never finish."""
    port = urlsplit(address).port
    with ExitStack() as held:
        for _ in range(HALF_OPEN):
            line = held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
            line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        client = Client(address)
        return client.ask(client.first)[1]


def server_seconds() -> float:
    """CPU seconds of the servers that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def table(found: dict[str, list[float]], title: str, cpu: float) -> float:
    """Print how long the answers took; the longest but for one in a hundred."""
    everything = [seconds for one in found.values() for seconds in one]
    print(f"\n| {title} | answers | p50, s | p99, s |\n|---|---:|---:|---:|")
    for name, seconds in [*sorted(found.items()), ("all", everything)]:
        half, most = np.quantile(seconds, [0.5, 0.99])
        print(f"| {name} | {len(seconds):,} | {half:.3f} | {most:.3f} |")
    print(f"\n- CPU of the server: {cpu:.1f} s, {1000 * cpu / len(everything):.0f} ms an answer")
    return float(np.quantile(everything, 0.99))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    clients, rounds = min(asked.clients, MOST_CLIENTS), min(asked.rounds, MOST_ROUNDS)
    longest = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.duckdb"
        write(path, asked.documents)
        for same, what in ((True, "ask the same"), (False, "ask each something else")):
            before = server_seconds()
            with served(path) as address:
                found = crowd(address, clients, rounds, same=same)
            title = f"{clients} clients {what}, {asked.documents:,} documents"
            longest.append(table(found, title, server_seconds() - before))
        with served(path) as address:
            alone = beside_half_open(address)
    limits = ("99 of 100 answers, all ask the same", longest[0]), (f"the page beside {HALF_OPEN} half open", alone)
    for what, seconds in limits:
        verdict = "holds" if seconds <= LIMIT else "**broken**"
        print(f"\n- {what}: {seconds:.2f} s (limit {LIMIT:g} s: {verdict})")


if __name__ == "__main__":
    main()
