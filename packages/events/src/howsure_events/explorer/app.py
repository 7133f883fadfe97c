"""The web application: the explorer at `/`, queries to the store at `/api/`, and optionally a labelling page."""

from __future__ import annotations

import asyncio
from asyncio import CancelledError
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Hashable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from howsure.errors import HowsureError, InputError
from howsure.lazy_imports import require
from howsure.regression.results import PredictedRegression
from howsure_events.explorer.access import FORBIDDEN, LOOPBACK, PAGE, ROOM, VISITOR, Guard, Tokens, policy
from howsure_events.explorer.assembly import LABELLING, assemble
from howsure_events.explorer.labelling import CODER_PATHS, NotTheirsError, Room, questions_of, room_orders
from howsure_events.explorer.queries import (
    QUESTIONS,
    Question,
    corrected,
    overview_with_regression,
    read_parameters,
    with_translated_checks,
)
from howsure_events.languages import ENGLISH, translated
from howsure_events.store.store_queries import Store, is_for_reading

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


MAX_BYTES = 64 * 2**20
THREADS = 4  # more would slow each other down, since each query keeps DuckDB and numpy busy


class Answers:
    """A cache of answers by query, which evicts the least recently used one. Errors are not cached.

    A query that arrives again while its answer is being computed waits for this answer.
    """

    def __init__(self, *, most_bytes: int = MAX_BYTES, threads: int = THREADS) -> None:
        self.most_bytes, self.n_bytes = most_bytes, 0
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._underway: dict[Hashable, Future[bytes]] = {}
        self._lock = Lock()
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="answer")

    async def get(self, question: Hashable, compute: Callable[[], bytes], *, keep: Callable[[], bool]) -> bytes:
        """Return the answer, from the cache or computed in a thread; it is cached if `keep()` is true."""
        with self._lock:
            if question in self._kept:
                self._kept.move_to_end(question)
                return self._kept[question]
            future = self._underway.get(question)
            if future is None:
                future = self._underway[question] = self._threads.submit(self._computed, question, compute, keep)
        return await asyncio.shield(asyncio.wrap_future(future))  # a disconnected client does not block other clients

    @property
    def n_underway(self) -> int:
        """The number of answers that are being computed or queued."""
        return len(self._underway)

    def close(self) -> None:
        """Cancel computations that have not started."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _computed(self, question: Hashable, compute: Callable[[], bytes], keep: Callable[[], bool]) -> bytes:
        try:
            answer = compute()
            if keep():
                self._keep(question, answer)
            return answer
        finally:
            with self._lock:
                del self._underway[question]

    def _keep(self, question: Hashable, answer: bytes) -> None:
        if len(answer) > self.most_bytes:
            return
        with self._lock:
            self._kept[question] = answer
            self.n_bytes += len(answer)
            while self.n_bytes > self.most_bytes:
                _, oldest = self._kept.popitem(last=False)
                self.n_bytes -= len(oldest)


CSV = {"content-type": "text/csv; charset=utf-8", "content-disposition": 'attachment; filename="events.csv"'}


def create_app(
    store: Store,
    *,
    tokens: Tokens,
    names: Collection[str] = LOOPBACK,
    any_number: bool = False,
    answers: Answers | None = None,
    room: Room | None = None,
    regression: PredictedRegression | None = None,
    language: str = ENGLISH,
) -> Guard:
    """Create an ASGI application that shows a store, read only, to requests with one of the `tokens`.

    A coordinator's token opens all addresses, a coder's token only those that coders need for labelling. names,
    any_number: the host names under which it answers, and whether it answers to any IP address. Addresses are a fixed
    list, and no path of a request is used to access files. answers: a cache, used if the store is open for reading
    only. room: if given, the labelling page of the same store is served too; only its requests can write. regression: a
    regression on the store to show. language: the language of the pages.

    Raises MissingExtraError without the extra `events`.
    """
    require("The page of events", "events", "starlette")
    from starlette.applications import Starlette
    from starlette.responses import HTMLResponse, JSONResponse
    from starlette.routing import Route

    pages, kept = {PAGE: assemble(language=language)}, answers or Answers()
    say = partial(translated, language=language)

    def ask_corrected(store: Store, **arguments: Any) -> dict[str, Any]:
        return with_translated_checks(corrected(store, **arguments), language)

    questions: Mapping[str, Question] = {
        **QUESTIONS,
        "overview": Question(overview_with_regression(regression, language)),
        "corrected": replace(QUESTIONS["corrected"], ask=ask_corrected),
    }
    orders: Mapping[str, Callable[[Request], Awaitable[Response]]] = {}
    if room is not None:
        pages[ROOM] = assemble(design=LABELLING, language=language, writing=room.token)
        questions, orders = questions_of(room, questions), room_orders(room, say)
    listed = ", ".join([*pages, *(f"/api/{name}" for name in (*questions, *orders))])

    def show(html: str) -> Callable[[Request], Awaitable[Response]]:
        async def shown(request: Request) -> Response:
            return HTMLResponse(html)

        return shown

    async def not_found(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": say(f"there is nothing here; the addresses are {listed}.")}, 404)

    async def not_allowed(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": say("the page is read-only: it answers only GET.")}, 405)

    async def failed(request: Request, error: Exception) -> Response:
        message = say(f"this should not have happened ({type(error).__name__}); please report it.")
        return JSONResponse({"error": message}, 500)

    shown = [Route(path, show(page.html)) for path, page in pages.items()]
    question_routes = [
        Route(f"/api/{name}", _answer(store, name, question, kept, say)) for name, question in questions.items()
    ]
    ordered = [Route(f"/api/{name}", order, methods=["POST"]) for name, order in orders.items()]
    application = Starlette(
        routes=[*shown, *question_routes, *ordered],
        exception_handlers={404: not_found, 405: not_allowed, Exception: failed},
    )
    scripts, styles = [page.script for page in pages.values()], [page.style for page in pages.values()]
    allowed = policy(scripts=scripts, styles=styles, served=True)
    return Guard(
        application, tokens=tokens, names=names, any_number=any_number, policy=allowed, coder_paths=CODER_PATHS, say=say
    )


def _answer(
    store: Store, name: str, question: Question, answers: Answers, say: Callable[[str], str]
) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler of an address, which reads parameters, queries the store or its cache, and answers."""
    from starlette.responses import JSONResponse, Response

    def found(arguments: dict[str, Any]) -> bytes:
        if store.facts is None and is_for_reading(store):
            store.facts = {}  # for all questions
        answer = question.ask(store, **arguments)
        return str(answer).encode() if question.is_table else bytes(JSONResponse(answer).body)

    async def once(arguments: dict[str, Any]) -> bytes:
        cache_key = (
            name,
            question.state(),
            *(tuple(value) if isinstance(value, list) else value for value in arguments.values()),
        )
        return await answers.get(cache_key, lambda: found(arguments), keep=lambda: is_for_reading(store))

    async def answer(request: Request) -> Response:
        try:
            arguments = read_parameters(request.query_params.multi_items(), question.parameters, address=f"/api/{name}")
            if question.for_visitor:
                arguments["visitor"] = request.scope[VISITOR]
            if question.each is None:
                body = await once(arguments)
            else:  # an actor's series may be cached from a request for other actors
                apart = [{**arguments, question.each: [value]} for value in dict.fromkeys(arguments[question.each])]
                bodies = await asyncio.gather(*map(once, apart))
                body = b"{" + b",".join(body[1:-1] for body in dict.fromkeys(bodies)) + b"}"
        except NotTheirsError as error:
            return JSONResponse({"error": say(str(error))}, FORBIDDEN)
        except InputError as error:
            return JSONResponse({"error": say(str(error))}, 400)
        except HowsureError as error:
            return JSONResponse({"error": say(str(error))}, 503)
        except CancelledError:  # by Ctrl-C, while queries wait
            return JSONResponse({"error": say("the page is being closed.")}, 503)
        return Response(body, headers=CSV) if question.is_table else Response(body, media_type="application/json")

    return answer
