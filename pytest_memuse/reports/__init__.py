"""Renderers: result values in, text out."""
