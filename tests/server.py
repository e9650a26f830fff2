"""A fresh server of the app for a test or a picture."""

import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def running_app(*extra: str, script: str = "app.py", seconds: float = 60) -> Iterator[str]:
    """Start `streamlit run` on a free port of this machine, yield its address once it is healthy, and stop it.

    Args:
        extra: further options of `streamlit run`, such as "--browser.serverAddress=name".
        script: what to run instead of the app, from the project's folder.
        seconds: how long to wait for health before giving up.

    Raises:
        RuntimeError: the server ended or stayed silent; the message carries what it printed.
    """
    port = _free_port()
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", script]
    options = [f"--server.port={port}", "--server.address=127.0.0.1", "--server.headless=true", *extra]
    with tempfile.TemporaryFile("w+") as log:
        server = subprocess.Popen([*command, *options], cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        try:
            if not _healthy(server, address, seconds):
                log.seek(0)
                raise RuntimeError(f"no healthy server at {address} within {seconds:g} s. It printed:\n{log.read()}")
            yield address
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _healthy(server: subprocess.Popen[bytes], address: str, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as reply:
                if reply.status == 200:
                    return True
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.1)
    return False
