"""Layer norm: what every norm and sub-layer does to one token's vector, by depth."""

from __future__ import annotations

import streamlit as st

from ui import frame, norms_panel, state
from ui.components import furniture
from ui.components.theme_watch import theme_watch
from ui.decode import Decode
from ui.frame import Shown

FORMULA = (
    "$\\mathrm{LN}(x) = \\gamma \\odot \\frac{x - \\mu}{\\sqrt{\\sigma^2 + \\varepsilon}} + \\beta$ over the $d$ numbers of "
    "one token. **Post-norm** puts it after the sum, $x' = \\mathrm{LN}(x + f(x))$; **pre-norm** inside the branch, "
    "$x' = x + f(\\mathrm{LN}(x))$, and the stream $x$ is then a plain running sum. Before $\\gamma$ and $\\beta$ the result "
    "has mean 0 and length $\\sqrt{d}$. An outlying gain lies more than 3 standard deviations from its norm's mean "
    "(Kovaleva et al. 2021); an outlying dimension of the stream has $|h| \\ge 6$ in at least 25 % of the layers and "
    "6 % of the tokens (Dettmers et al. 2022)."
)


def main(shown: Shown, decode: Decode) -> None:
    frame.sentence(decode)
    frame.strip(shown, decode, "decoder" if state.selection().token.startswith("t") else "memory")
    views(shown, decode)
    furniture.explain(
        "Every sub-layer adds its result to a stream of vectors, one a token; layer norm keeps the numbers in range.",
        "Where a sub-layer adds much, it matters for that token; where it adds little, the token passes by.",
        FORMULA,
    )


@st.fragment
def views(shown: Shown, decode: Decode) -> None:
    """The cards for the token in hand."""
    norms_panel.draw(shown.now(), decode)
    theme_watch()


frame.with_decode(main)
