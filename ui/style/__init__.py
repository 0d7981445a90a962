"""Colours, type and sizes, for Python, for the browser and for Plotly."""
