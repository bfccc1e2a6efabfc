"""A headless Chromium, driven over a pipe by the DevTools protocol: nothing is needed but the browser itself."""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)
PATIENCE_S: Final = 60.0
Fields = dict[str, Any]


def find_browser() -> str | None:
    """Return the path of a browser, if there is one."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class BrowserError(Exception):
    """The browser refused a command or went away."""


class Pipe:
    """Messages to and from the browser: JSON, each ended by a zero byte."""

    def __init__(self, read: int, write: int) -> None:
        self._read, self._write = read, write
        self._rest = b""

    def send(self, message: Fields) -> None:
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data) :]

    def receive(self, deadline_s: float) -> Fields | None:
        """Return the next message; None when there is none until the deadline."""
        while b"\0" not in self._rest:
            left_s = deadline_s - time.monotonic()
            if left_s <= 0 or not select.select([self._read], [], [], left_s)[0]:
                return None
            chunk = os.read(self._read, 1 << 20)
            if not chunk:
                raise BrowserError("the browser has closed the pipe")
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(line))

    def close(self) -> None:
        for end in (self._read, self._write):
            os.close(end)


class Page:
    """One tab. ``events`` are all notices that the browser has sent about it."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._number = 0
        self._session: str | None = None
        self.events: list[Fields] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> Fields:
        """Send a command and return its result."""
        self._number += 1
        number = self._number
        message: Fields = {"id": number, "method": method, "params": parameters}
        self._pipe.send(message | ({"sessionId": self._session} if self._session else {}))
        deadline_s = time.monotonic() + PATIENCE_S
        while (answer := self._pipe.receive(deadline_s)) is not None:
            if answer.get("id") == number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']['message']}")
                return dict(answer["result"])
            self.events.append(answer)
        raise BrowserError(f"{method}: no answer within {PATIENCE_S:g} s")

    def wait_for(self, event: str) -> None:
        """Wait until the browser has told of an event."""
        deadline_s = time.monotonic() + PATIENCE_S
        while all(each.get("method") != event for each in self.events):
            found = self._pipe.receive(deadline_s)
            if found is None:
                raise BrowserError(f"{event}: did not happen within {PATIENCE_S:g} s")
            self.events.append(found)

    def open(self, path: Path) -> None:
        """Open a file and wait until it has loaded."""
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.wait_for("Page.loadEventFired")

    def resize(self, width: int, height: int, *, dark: bool = False, print_media: bool = False) -> None:
        """Set the size of the window in pixels, and which media the page is shown on."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.call(
            "Emulation.setEmulatedMedia",
            media="print" if print_media else "",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )

    def run(self, script: str) -> Any:
        """Evaluate an expression in the page (a promise is awaited) and return its value."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def key(self, name: str, code: int, text: str = "") -> None:
        """Press a key."""
        common = {"key": name, "code": name, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """Save what is seen (or the whole page) as a PNG."""
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(answer["data"]))

    def pdf(self) -> bytes:
        """Return the page as it is printed."""
        return base64.b64decode(self.call("Page.printToPDF")["data"])


@contextmanager
def browser(path: str) -> Iterator[Page]:
    """Start a browser with a fresh profile, and end it."""
    to_browser, from_browser = os.pipe(), os.pipe()
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [path, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        # The browser reads from file 3 and writes to file 4.
        shell = f'exec 3<&{to_browser[0]} 4>&{from_browser[1]}; exec "$@"'
        process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *command],
            pass_fds=(to_browser[0], from_browser[1]),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser[0])
        os.close(from_browser[1])
        pipe = Pipe(from_browser[0], to_browser[1])
        try:
            yield Page(pipe)
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            pipe.close()
