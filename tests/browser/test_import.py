"""A student's own torch.nn.Transformer is uploaded, its questions answered, its promises checked, and explored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WORDS = ("<unk>", "<pad>", "<bos>", "<eos>", "a", "man", "dog", "red", "bike", "the", "runs", "sees")


@pytest.fixture
def student_files(tmp_path: Path) -> dict[str, Path]:
    """A state dict named as in PyTorch's translation tutorial, and its two vocabularies."""
    import torch
    from torch import nn

    class Embedding(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(len(WORDS), 16)

    class Translation(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.transformer = nn.Transformer(16, 2, 1, 1, 32)
            self.generator = nn.Linear(16, len(WORDS))
            self.src_tok_emb = Embedding()
            self.tgt_tok_emb = Embedding()

    torch.manual_seed(1)
    files = {name: tmp_path / name for name in ("student.pt", "source.txt", "target.txt")}
    torch.save(Translation().state_dict(), files["student.pt"])
    files["source.txt"].write_text("\n".join(WORDS) + "\n")
    files["target.txt"].write_text("\n".join(WORDS) + "\n")
    return files


@pytest.fixture
def page(chromium: Browser, server: str) -> Page:
    context = chromium.new_context(viewport={"width": 1440, "height": 1010})
    tab = context.new_page()
    tab.set_default_timeout(60_000)
    tab.goto(f"{server}/checkpoints?checkpoint=tiny&desk=import")
    tab.get_by_text("Pick the files").wait_for()
    return tab


def upload(page: Page, place: int, *files: Path) -> None:
    page.locator('input[type="file"]').nth(place).set_input_files([str(file) for file in files])


def test_a_students_model_is_imported_and_explored(
    page: Page, student_files: dict[str, Path], screenshots: Path
) -> None:
    upload(page, 0, student_files["student.pt"])
    page.get_by_text("Answer what the file cannot tell").wait_for()
    page.get_by_label("How many attention heads").fill("2")
    upload(page, 1, student_files["source.txt"])
    upload(page, 2, student_files["target.txt"])
    page.get_by_text("target.txt").first.wait_for()
    for name, word in (("padding", "<pad>"), ("start", "<bos>"), ("end", "<eos>")):
        page.get_by_label(f"Which token is the {name} token?").fill(word)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("name", exact=True).wait_for()
    page.screenshot(path=screenshots / "import.png", full_page=True)
    page.get_by_label("name", exact=True).fill("my student")
    page.get_by_label("name", exact=True).press("Enter")
    page.get_by_role("button", name="Explore it").click()
    page.wait_for_function("() => /checkpoint=my-student/.test(location.search)")
    page.get_by_label("Sentence to translate").wait_for()
    page.locator(".atlas .stage-root > *").first.wait_for()
    assert page.locator('[data-testid="stException"]').count() == 0
    page.context.close()


def test_a_file_of_something_else_is_one_sentence(page: Page, tmp_path: Path) -> None:
    odd = tmp_path / "<img src=x onerror=window.__ran=1>.pt"
    odd.write_bytes(b"not a checkpoint")
    upload(page, 0, odd)
    page.get_by_role("alert").wait_for()
    assert page.evaluate("window.__ran") is None
    assert page.locator('[data-testid="stException"]').count() == 0
    page.context.close()
