"""The Layer norm page."""
