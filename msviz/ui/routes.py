"""The addresses beside Streamlit's own: POST msviz/frame, see `msviz.ui.frames`, and POST msviz/run, see
`msviz.ui.train_frames`. Torch comes with their first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

# Otherwise Streamlit's server would compress every frame at its strongest level: it takes as long as computing it.
AS_IT_IS: Final = {"content-encoding": "identity"}
MAX_BODY: Final = 200_000  # bytes; the link of 512 points has 4,000


async def _frame(request: Request) -> Response:
    return await _answer(request, _draw)


async def _run(request: Request) -> Response:
    return await _answer(request, _train)


async def _answer(request: Request, work: Callable[[bytes], bytes]) -> Response:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:  # what follows is not even read
            return PlainTextResponse(f"expected at most {MAX_BODY} bytes, got more", 413)
    try:
        picture = await run_in_threadpool(work, bytes(body))
    except ValueError as error:
        return PlainTextResponse(str(error), 400)
    return Response(picture, media_type="application/octet-stream", headers=AS_IT_IS)


def _draw(body: bytes) -> bytes:
    from msviz.ui.frames import frame

    return frame(body)


def _train(body: bytes) -> bytes:
    from msviz.ui.train_frames import answer

    return answer(body)


ROUTES: Final = (
    Route("/msviz/frame", _frame, methods=["POST"]),
    Route("/msviz/run", _run, methods=["POST"]),
)
