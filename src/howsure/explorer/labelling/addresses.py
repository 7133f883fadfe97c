"""The addresses of the labelling room: questions, and orders that write."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from howsure.errors import HowsureError, InputError
from howsure.events.labels.answers import Conflict
from howsure.explorer.access.forgery import forged
from howsure.explorer.addresses import LARGEST, Question
from howsure.explorer.labelling.bodies import read_fields
from howsure.explorer.labelling.intervals import intervals
from howsure.explorer.labelling.orders import ORDERS, Order
from howsure.explorer.labelling.questions import agreement, disagreements, document, room
from howsure.explorer.labelling.room import Room
from howsure.explorer.parameters import Parameter, number_or, whole, words

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

LONGEST_BODY = 2**16  # bytes
SECONDS = 10.0  # for the whole of a body
NOT_JSON, TOO_LARGE, TOO_SLOW, CONFLICT, FORBIDDEN = 415, 413, 408, 409, 403
CODER = Parameter("coder", words)
NUMBER, SAMPLE = Parameter("number", whole(0, LARGEST)), Parameter("sample", number_or("best", high=LARGEST), "best")


def questions_of(room_: Room) -> Mapping[str, Question]:
    """What the room may ask, by the end of its address."""
    shown = partial(document, assisted=room_.assisted)
    asked = {
        "room": Question(room, (CODER,)),
        "document": Question(shown, (NUMBER, CODER, SAMPLE)),
        "disagreements": Question(disagreements),
        "agreement": Question(agreement),
        "intervals": Question(intervals),
    }
    return {f"label/{name}": replace(one, state=lambda: room_.n_orders) for name, one in asked.items()}


def orders_of(room_: Room) -> Mapping[str, Callable[[Request], Awaitable[Response]]]:
    """What the room may have written, by the end of its address."""
    return {f"label/{name}": _carry_out(room_, f"/api/label/{name}", one) for name, one in ORDERS.items()}


def _carry_out(room_: Room, address: str, order: Order) -> Callable[[Request], Awaitable[Response]]:
    """What is done at an address that writes: whose order it is is checked before any of its body is read."""
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse

    def refused(status: int, told: str, **more: Any) -> Response:
        return JSONResponse({"error": told, **more}, status)

    async def carry_out(request: Request) -> Response:
        why = forged(request.headers, token=room_.token)
        if why is not None:
            return refused(FORBIDDEN, why)
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return refused(NOT_JSON, "the body must be JSON, with the content type application/json.")
        try:
            body = await asyncio.wait_for(_body(request), SECONDS)
        except TimeoutError:
            return refused(TOO_SLOW, f"the body must arrive within {SECONDS:g} seconds.")
        if body is None:
            return refused(TOO_LARGE, f"the body must have at most {LONGEST_BODY:,} bytes.")
        try:
            ordered = read_fields(body, order.fields, address=address)
            return JSONResponse(await run_in_threadpool(room_.write, order.act, **ordered))
        except Conflict as error:
            return refused(CONFLICT, str(error), **await run_in_threadpool(order.present, room_.store, ordered))
        except InputError as error:
            return refused(400, str(error))
        except HowsureError as error:
            return refused(503, str(error))

    return carry_out


async def _body(request: Request) -> bytes | None:
    """The body of a request; None if it is too long, of which no more is read than that."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_BODY:
            return None
    return body
