"""Carry over: it opens on the finding of the shipped model, takes the strongest heads out, and its link restores that."""

from __future__ import annotations

from tests.browser.looking import Visit, params, wait_for_params

CARD = ".st-key-card_carry .atlas-title"


def test_five_heads_are_found_and_taken_out(visit: Visit) -> None:
    page = visit("carry", shows=CARD, checkpoint="en-fr")
    page.locator(CARD, has_text="Head 3.6 carries 35 % of the difference between “Le” and “La”").wait_for()
    page.locator(".st-key-card_sets", has_text="105 of 138").wait_for()
    page.get_by_role("button", name="Ablate the 5 strongest heads").click()
    page.locator(".st-key-card_taken_out", has_text="Le petit fille court.").wait_for()
    wait_for_params(page, taken="5")
    again = visit("carry", shows=CARD, **params(page), fresh=True)
    again.locator(".st-key-card_taken_out", has_text="Le petit fille court.").wait_for()
    again.get_by_placeholder("Second sentence").fill("The little girl is running in the park.")
    again.get_by_placeholder("Second sentence").press("Enter")
    again.get_by_text("give two of the same length").wait_for()
