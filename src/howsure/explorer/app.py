"""The application: the page at `/`, its questions to the store under `/api/`, perhaps a labelling room."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from howsure.errors import HowsureError, InputError
from howsure.events.store.reading import Store, is_for_reading
from howsure.explorer.access.guard import PAGE, ROOM, Guard
from howsure.explorer.access.headers import policy
from howsure.explorer.access.hosts import LOOPBACK
from howsure.explorer.access.tokens import Tokens
from howsure.explorer.addresses import QUESTIONS, Question
from howsure.explorer.answers import Answers
from howsure.explorer.assembly import LABELLING, assemble
from howsure.explorer.labelling.addresses import orders_of, questions_of
from howsure.explorer.labelling.room import Room
from howsure.explorer.parameters import read_parameters
from howsure.first_use import require

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

CSV = {"content-type": "text/csv; charset=utf-8", "content-disposition": 'attachment; filename="events.csv"'}


def create_app(
    store: Store,
    *,
    tokens: Tokens,
    names: Collection[str] = LOOPBACK,
    any_number: bool = False,
    answers: Answers | None = None,
    room: Room | None = None,
) -> Guard:
    """An ASGI application that shows a store, read only, to those who bring one of its `tokens`.

    It answers to `names`, and perhaps to any IP number. No path of a request reaches the disk: the page is put together
    once, and the other addresses are a fixed list. `answers` keeps what was answered while nothing can write to the
    store. With a `room`, which is of the same store, there is a labelling room too; only its orders write.

    Raises MissingExtraError without the extra `events`.
    """
    require("The page of events", "events", "starlette")
    from starlette.applications import Starlette
    from starlette.responses import HTMLResponse, JSONResponse
    from starlette.routing import Route

    pages, kept = {PAGE: assemble()}, answers or Answers()
    questions: dict[str, Question] = {**QUESTIONS}
    orders: Mapping[str, Callable[[Request], Awaitable[Response]]] = {}
    if room is not None:
        pages[ROOM] = assemble(design=LABELLING, title="Labelling", writing=room.token)
        questions, orders = {**questions, **questions_of(room)}, orders_of(room)
    listed = ", ".join([*pages, *(f"/api/{name}" for name in (*questions, *orders))])

    def show(html: str) -> Callable[[Request], Awaitable[Response]]:
        async def shown(request: Request) -> Response:
            return HTMLResponse(html)

        return shown

    async def not_found(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": f"there is nothing here; the addresses are {listed}."}, 404)

    async def not_allowed(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": "the page is read-only: it answers only GET."}, 405)

    async def failed(request: Request, error: Exception) -> Response:
        return JSONResponse(
            {"error": f"this should not have happened ({type(error).__name__}); please report it."}, 500
        )

    shown = [Route(path, show(page.html)) for path, page in pages.items()]
    asked = [Route(f"/api/{name}", _answer(store, name, one, kept)) for name, one in questions.items()]
    ordered = [Route(f"/api/{name}", one, methods=["POST"]) for name, one in orders.items()]
    application = Starlette(
        routes=[*shown, *asked, *ordered],
        exception_handlers={404: not_found, 405: not_allowed, Exception: failed},
    )
    held = pages.values()
    allowed = policy(scripts=[one.script for one in held], styles=[one.style for one in held], served=True)
    return Guard(application, tokens=tokens, names=names, any_number=any_number, policy=allowed)


def _answer(store: Store, name: str, question: Question, answers: Answers) -> Callable[[Request], Awaitable[Response]]:
    """What is done at an address: its parameters are read, the store is asked unless it was, the answer is sent."""
    from starlette.responses import JSONResponse, Response

    def rendered(found: Any) -> bytes:
        return found.encode() if question.is_table else bytes(JSONResponse(found).body)

    async def answer(request: Request) -> Response:
        try:
            asked = read_parameters(request.query_params.multi_items(), question.parameters, address=f"/api/{name}")
            known = (name, question.state(), *(tuple(one) if isinstance(one, list) else one for one in asked.values()))
            body = await answers.get(
                known, lambda: rendered(question.ask(store, **asked)), keep=lambda: is_for_reading(store)
            )
        except InputError as error:
            return JSONResponse({"error": str(error)}, 400)
        except HowsureError as error:
            return JSONResponse({"error": str(error)}, 503)
        except CancelledError:  # Ctrl-C, while questions wait
            return JSONResponse({"error": "the page is being closed."}, 503)
        return Response(body, headers=CSV) if question.is_table else Response(body, media_type="application/json")

    return answer
