"""Pure builders: arrays and labels in, a Plotly figure out; no Streamlit, no session state."""
