"""Arcs with known truth over small worlds: facts planted, revised and probed, success checked in the world (MERIT)."""
