"""The browser code as ES modules, and what puts it together for Streamlit and the offline report (inline.py)."""
