"""The application: the page at `/`, its questions to the store under `/api/`, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from howsure.errors import HowsureError, InputError, MissingExtraError
from howsure.events.store_reading import Store
from howsure.explorer.addresses import QUESTIONS, Question
from howsure.explorer.assembly import assemble
from howsure.explorer.parameters import read_parameters
from howsure.explorer.security import LOOPBACK, Guard

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


def create_app(store: Store, *, names: Collection[str] = LOOPBACK, any_number: bool = False) -> Guard:
    """An ASGI application that shows a store, read only; it answers to `names`, and perhaps to any IP number.

    No path of a request reaches the disk: the page is put together once, and the other addresses are a fixed list.

    Raises MissingExtraError without the extra `explorer`.
    """
    try:
        from starlette.applications import Starlette
        from starlette.responses import HTMLResponse, JSONResponse
        from starlette.routing import Route
    except ImportError as error:
        raise MissingExtraError("the page of events", "explorer") from error

    page = assemble()

    def show(request: Request) -> Response:
        return HTMLResponse(page.html)

    def not_found(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": f"there is nothing here; there are /, {_listed()}."}, 404)

    def not_allowed(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": "the page is for reading: GET is all that it answers."}, 405)

    def failed(request: Request, error: Exception) -> Response:
        return JSONResponse(
            {"error": f"this should not have happened ({type(error).__name__}); please report it."}, 500
        )

    routes = [Route("/", show), *(Route(f"/api/{name}", _answer(store, name, one)) for name, one in QUESTIONS.items())]
    handlers = {404: not_found, 405: not_allowed, Exception: failed}
    return Guard(
        Starlette(routes=routes, exception_handlers=handlers), names=names, any_number=any_number, policy=page.policy
    )


def _listed() -> str:
    return ", ".join(f"/api/{name}" for name in QUESTIONS)


def _answer(store: Store, name: str, question: Question) -> Callable[[Request], Response]:
    """What is done at an address: its parameters are read, the store is asked, the answer is sent."""
    from starlette.responses import JSONResponse, PlainTextResponse

    def answer(request: Request) -> Response:
        try:
            asked = read_parameters(request.query_params.multi_items(), question.parameters, address=f"/api/{name}")
            found = question.ask(store, **asked)
        except InputError as error:
            return JSONResponse({"error": str(error)}, 400)
        except HowsureError as error:
            return JSONResponse({"error": str(error)}, 503)
        if question.is_table:
            saved = {"content-disposition": 'attachment; filename="events.csv"'}
            return PlainTextResponse(found, media_type="text/csv", headers=saved)
        return JSONResponse(found)

    return answer
