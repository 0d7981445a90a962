"""Uploads: who may upload, the check, and the folders."""
