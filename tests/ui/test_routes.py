"""The address that draws frames: what it answers and what it refuses. ASGI is spoken by hand, without a server."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from msviz.ui.frames import frame
from msviz.ui.routes import MAX_BODY, ROUTES

ROOT = Path(__file__).parents[2]
DRAG = json.dumps({"query": "", "events": [{"kind": "move", "gesture": "b1.1", "target": 0, "x": 0, "y": 1}]}).encode()


def _ask(method: str, *chunks: bytes) -> tuple[int, dict[str, str], bytes, int]:
    """Status, headers, body, and how many chunks of the request were left unread."""
    waiting, sent = list(chunks or [b""]), []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": "/msviz/frame",
        "raw_path": b"/msviz/frame",
        "root_path": "",
        "query_string": b"",
        "headers": [],
    }
    asyncio.run(Starlette(routes=list(ROUTES))(scope, receive, send))
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(part.get("body", b"") for part in sent[1:]), len(waiting)


def test_a_request_is_answered_with_the_bytes_of_its_frame() -> None:
    status, headers, body, _ = _ask("POST", DRAG)
    assert status == 200
    assert headers["content-type"] == "application/octet-stream"
    assert body == frame(DRAG)


def test_a_body_that_comes_in_pieces_is_put_together() -> None:
    status, _, body, _ = _ask("POST", DRAG[:10], DRAG[10:11], b"", DRAG[11:])
    assert (status, body) == (200, frame(DRAG))


def test_what_an_event_cannot_have_is_refused_in_the_picture() -> None:
    status, _, body, _ = _ask("POST", b'{"query": "", "events": [{"kind": "remove", "target": 99}]}')
    assert status == 200
    assert b'"error":true' in body


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"", 'expected JSON {"query": a text, "events": a list of objects}'),
        (b"\xff", 'expected JSON {"query": a text, "events": a list of objects}'),
        (b'{"query": ""}', 'expected JSON {"query": a text, "events": a list of objects}'),
        (b'{"query": "", "events": [' + b"{}," * 200 + b"{}]}", "expected at most 200 events, got 201"),
    ],
)
def test_a_malformed_body_is_answered_with_one_sentence(body: bytes, sentence: str) -> None:
    status, headers, said, _ = _ask("POST", body)
    assert status == 400
    assert headers["content-type"].startswith("text/plain")
    assert said.decode() == sentence


def _padded(size: int) -> bytes:
    return DRAG + b" " * (size - len(DRAG))


def _pieces(body: bytes, size: int) -> Iterable[bytes]:
    return (body[at : at + size] for at in range(0, len(body), size))


def test_a_body_may_be_as_large_as_the_limit_and_no_larger() -> None:
    assert _ask("POST", _padded(MAX_BODY))[0] == 200
    status, _, said, _ = _ask("POST", _padded(MAX_BODY + 1))
    assert status == 413
    assert said.decode() == f"expected at most {MAX_BODY} bytes, got more"


def test_what_follows_after_too_much_is_not_even_read() -> None:
    status, _, _, unread = _ask("POST", *_pieces(_padded(10 * MAX_BODY), MAX_BODY // 2))
    assert status == 413
    assert unread == 17  # of 20: the third one was too much


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_nothing_but_post_is_answered(method: str) -> None:
    status, headers, _, _ = _ask(method, DRAG)
    assert status == 405
    assert headers["allow"] == "POST"


def test_starting_the_app_loads_no_torch_and_knows_the_address() -> None:
    script = (
        "import sys, app; print(sorted({'torch', 'sklearn', 'msviz.ui.frames'} & set(sys.modules)), app.ROUTES[0].path)"
    )
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.split("\n")[-2] == "[] /msviz/frame"
