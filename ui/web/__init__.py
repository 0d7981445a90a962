"""The browser code in TypeScript, and its bundles for Streamlit and the pages that leave the app (bundles.py)."""
