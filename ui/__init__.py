"""Everything that knows Streamlit or Plotly; `core` never imports from here."""
