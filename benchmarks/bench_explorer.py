"""How long do many simultaneous users wait for the page of a large store, and how long does a report take?

Data: the store of `bench_event_queries.py`, with 400 labelled documents, served by `howsure events explore` in its own
process. Each client opens the page and requests what a user who looks around would request, without a pause. All
clients start together on this machine, and each sends a fixed number of requests. First, all clients send the same
requests, like a class that follows a teacher. Then, with a restarted server, each client sends different requests,
which no cache can answer. The report is made from a store of `large_store.py` with texts and 400 labelled documents.
The table shows wall and CPU seconds, and their ratios to a yardstick of the same run: the CPU seconds of the query that
sums all probabilities by actor and month. The difference between the wall and CPU seconds of that query shows how busy
the machine was.

Limits: 99 of 100 responses arrive within 1 second if 50 clients send the same requests, within 2 seconds if they send
different ones; the page itself arrives within 1 second, also during 300 connections that never finish their request; a
report of 20,000 documents takes at most 30 seconds and 3 MB. Corrected counts have their own rows, because they are
computed once for each length of period and level: first by the server, then in this process, which shows their CPU
seconds.

    python benchmarks/bench_explorer.py [--documents 200000] [--clients 50] [--rounds 3] [--report 20000]

`--documents 0` leaves out the page, `--report 0` the report.
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
from large_store import read_some, write_store

from howsure.inputs.periods import PERIODS
from howsure_events.explorer import events_report
from howsure_events.series.corrected_series import corrected_series
from howsure_events.store.event_store import EventStore

SUMMED = (
    "SELECT actor, date_trunc('month', date), sum(probability) FROM events JOIN documents USING (document) GROUP BY ALL"
)
REPORT_LIMIT, MOST_MB, READ, APART_LIMIT = 30.0, 3.0, 400, 2.0
LIMIT, MOST_CLIENTS, MOST_ROUNDS, PATIENCE, HALF_OPEN = 1.0, 200, 20, 60.0, 300
LENGTHS = ("year", "quarter", "month")


@contextmanager
def served(store: Path) -> Iterator[str]:
    """Serve a store's page while the context is open, and yield its address."""
    command = [sys.executable, "-um", "howsure_cli", "events", "explore", str(store), "--port", "0", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield next(word for word in server.stdout.readline().split() if word.startswith("http://127.0.0.1:"))
        finally:
            server.terminate()


class Client:
    """A browser's connection, which sends one request after the other and keeps the server's cookie."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        assert parts.hostname == "127.0.0.1"
        self.first = f"{parts.path}?{parts.query}"
        self.line = http.client.HTTPConnection("127.0.0.1", parts.port or 80, timeout=PATIENCE)
        self.cookie: dict[str, str] = {}

    def ask(self, path: str) -> tuple[int, float]:
        """Return the status of a response, and the seconds until it was complete."""
        start = time.perf_counter()
        self.line.request("GET", path, headers=self.cookie)
        answer = self.line.getresponse()
        answer.read()
        cookie = answer.getheader("set-cookie")
        if cookie:
            self.cookie = {"cookie": cookie.partition(";")[0]}
        return answer.status, time.perf_counter() - start


def questions(rng: random.Random) -> list[str]:
    """Return the requests of one user, who asks about frequent actors more often than about others."""
    frequent = [f"A{actor:02}" for actor in range(ACTORS)]
    first, second = rng.choices(frequent, [1 / (rank + 1) for rank in range(ACTORS)], k=2)
    by = rng.choice(LENGTHS)
    other = second if second != first else frequent[(frequent.index(first) + 1) % ACTORS]
    requests: list[tuple[str, list[tuple[str, object]]]] = [
        ("overview", []),
        ("series", [("actors", "A00"), ("actors", "A01"), ("period", "quarter")]),
        ("series", [("actors", first), ("actors", other), ("period", by)]),
        ("point", [("actor", first), ("at", f"{rng.randint(1988, 2006)}-Q{rng.randint(1, 4)}")]),
        ("compare", [("first", first), ("second", other), ("period", by)]),
        ("series", [("actors", first), ("period", by), ("unit", "share")]),
    ]
    return [f"/api/{name}?{urlencode(parameters)}" for name, parameters in requests]


def crowd(address: str, clients: int, rounds: int, *, same: bool) -> dict[str, list[float]]:
    """Return the seconds of every response, by kind of request. All clients start together; `same`: with equal
    requests."""
    seconds_by_name: dict[str, list[float]] = {}
    lock, together = threading.Lock(), threading.Barrier(clients)

    def visit(number: int) -> None:
        rng, client = random.Random(0 if same else number), Client(address)
        together.wait()
        for path in [client.first, *(path for _ in range(rounds) for path in questions(rng))]:
            status, seconds = client.ask(path)
            assert status == 200, f"{path}: {status}"
            name = urlsplit(path).path
            with lock:
                seconds_by_name.setdefault(name, []).append(seconds)

    threads = [threading.Thread(target=visit, args=[number]) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return seconds_by_name


def beside_half_open(address: str) -> float:
    """Return the seconds for the page while other clients have begun requests that they never finish."""
    port = urlsplit(address).port
    with ExitStack() as connections:
        for _ in range(HALF_OPEN):
            line = connections.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
            line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        client = Client(address)
        return client.ask(client.first)[1]


def server_seconds() -> float:
    """Return the CPU seconds of the servers that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def table(seconds_by_name: dict[str, list[float]], title: str, cpu: float) -> float:
    """Print the median and the 99th percentile of the response times, by kind of request; return the latter over
    all."""
    everything = [seconds for times in seconds_by_name.values() for seconds in times]
    print(f"\n| {title} | answers | p50, s | p99, s |\n|---|---:|---:|---:|")
    for name, seconds in [*sorted(seconds_by_name.items()), ("all", everything)]:
        half, most = np.quantile(seconds, [0.5, 0.99])
        print(f"| {name} | {len(seconds):,} | {half:.3f} | {most:.3f} |")
    print(f"\n- CPU of the server: {cpu:.1f} s, {1000 * cpu / len(everything):.0f} ms an answer")
    return float(np.quantile(everything, 0.99))


def floor(path: Path) -> float:
    """Return the CPU seconds of the query that sums all probabilities by actor and month, in the fastest of five
    runs."""
    with EventStore.open(path) as store:
        used = []
        for _ in range(5):
            start = time.process_time(), time.perf_counter()
            store.ask(SUMMED)
            used.append((time.process_time() - start[0], time.perf_counter() - start[1]))
    cpu, wall = min(used)
    print(f"\n- the floor: {1000 * cpu:.0f} ms of CPU, {1000 * wall:.0f} ms of wall")
    return cpu


def verdict(what: str, value: float, limit: float, unit: str = "s") -> None:
    """Print whether a limit holds."""
    state = "holds" if value <= limit else "**broken**"
    print(f"- {what}: {value:.2f} {unit} (limit {limit:g} {unit}: {state})")


def page(folder: Path, documents: int, clients: int, rounds: int) -> None:
    """Time the page of a large store with many clients."""
    path, longest = folder / "large.duckdb", []
    write(path, documents)
    read_some(path, READ)
    least = floor(path)
    for same, what in ((True, "ask the same"), (False, "ask each something else")):
        before = server_seconds()
        with served(path) as address:
            seconds_by_name = crowd(address, clients, rounds, same=same)
            firsts = seconds_by_name.pop("/")
        used = server_seconds() - before
        longest.append(table(seconds_by_name, f"{clients} clients {what}, {documents:,} documents", used))
        n = sum(map(len, seconds_by_name.values()))
        print(f"- an answer takes {used / n / least:.1f} times the CPU of the floor, {1000 * least:.0f} ms")
        verdict("the page itself, the slowest of all clients", max(firsts), LIMIT)
    with served(path) as address:
        alone = beside_half_open(address)
        corrected = Client(address)
        corrected.ask(corrected.first)
        seconds_by_period = {period: corrected.ask(f"/api/corrected?period={period}")[1] for period in PERIODS}
        again = max(corrected.ask(f"/api/corrected?period={period}&unit=share")[1] for period in PERIODS)
    print()
    verdict("99 of 100 answers, all ask the same", longest[0], LIMIT)
    verdict("99 of 100 answers, each asks something else", longest[1], APART_LIMIT)
    verdict(f"the page beside {HALF_OPEN} half open", alone, LIMIT)
    for period, seconds in seconds_by_period.items():
        verdict(f"corrected counts by {period}, the first time", seconds, APART_LIMIT)
    verdict("corrected shares after that", again, APART_LIMIT)
    least = floor(path)
    with EventStore.open(path) as store:
        for period in PERIODS:
            start = time.process_time()
            corrected_series(store, period=period)
            cpu = time.process_time() - start
            print(f"- corrected counts by {period}: {cpu:.2f} s of CPU, {cpu / least:,.0f} times the floor")


def report(folder: Path, documents: int) -> None:
    """Time the report of a store with texts."""
    path = folder / "texts.duckdb"
    write_store(path, documents, labels=READ)
    least = floor(path)
    cpu, wall = time.process_time(), time.perf_counter()
    with EventStore.open(path) as store:
        html = events_report(store)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(f"\n- report of {documents:,} documents: {cpu:.1f} s of CPU, {cpu / least:,.0f} times the floor")
    verdict("its wall seconds", wall, REPORT_LIMIT)
    verdict("its size", len(html.encode()) / 1e6, MOST_MB, "MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--report", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.documents:
            clients, rounds = min(options.clients, MOST_CLIENTS), min(options.rounds, MOST_ROUNDS)
            page(Path(folder), options.documents, clients, rounds)
        if options.report:
            report(Path(folder), options.report)


if __name__ == "__main__":
    main()
