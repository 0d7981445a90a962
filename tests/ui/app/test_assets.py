"""Streamlit's own scripts and styles: compressed, and the code of charts behind a wait."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from ui.app.assets import StreamlitFiles, chart_code, streamlit_files

BELOW = "Streamlit’s answer"


@pytest.fixture(scope="module")
def client() -> TestClient:
    async def below(request: object) -> PlainTextResponse:
        return PlainTextResponse(BELOW)

    routes = [Route("/{path:path}", below, methods=["GET", "POST"])]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(StreamlitFiles)]))


@pytest.mark.parametrize("below", ["", "/course"])
@pytest.mark.parametrize(("folder", "kind"), [("js", "text/javascript"), ("css", "text/css")])
def test_a_script_or_style_is_streamlits_own_compressed(
    client: TestClient, below: str, folder: str, kind: str
) -> None:
    file = next((streamlit_files() / folder).glob(f"index.*.{folder}"))
    answer = client.get(f"{below}/static/{folder}/{file.name}", headers={"accept-encoding": "gzip, br"})
    assert answer.content == file.read_bytes()
    assert answer.headers["content-encoding"] == "gzip" and "immutable" in answer.headers["cache-control"]
    assert int(answer.headers["content-length"]) < file.stat().st_size / 2
    assert answer.headers["content-type"].startswith(kind)


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/static/js/index.js", {"accept-encoding": "gzip"}),
        ("/static/js/..", {"accept-encoding": "gzip"}),
        ("/static/js/%2e%2e%2findex.html", {"accept-encoding": "gzip"}),
        ("/static/css/{chart}", {"accept-encoding": "gzip"}),
        ("/static/js/{chart}?run", {"accept-encoding": "identity"}),
        ("/static/js/{chart}?run", {"accept-encoding": "gzip", "range": "bytes=0-9"}),
    ],
)
def test_all_else_is_left_to_streamlit(client: TestClient, path: str, headers: dict[str, str]) -> None:
    assert client.get(path.format(chart=chart_code()), headers=headers).text == BELOW


def test_the_code_of_charts_is_found_in_streamlit() -> None:
    name = chart_code()
    assert name.startswith("PlotlyChart.") and name.endswith(".js"), (
        "Streamlit keeps it under another name now"
    )
    code = (streamlit_files() / "js" / name).read_text("utf-8")
    assert " as default}" in code[code.rindex("export") :], "and the app asks for its default"


@pytest.mark.parametrize("below", ["", "/course"])
def test_the_code_of_charts_itself_has_an_address_of_its_own(client: TestClient, below: str) -> None:
    address = f"{below}/static/js/{chart_code()}"
    assert f"import('./{chart_code()}?run')" in client.get(address).text
    code = client.get(f"{address}?run", headers={"accept-encoding": "gzip"}).content
    assert code == (streamlit_files() / "js" / chart_code()).read_bytes()
