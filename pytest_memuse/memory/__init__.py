"""Memory systems under test, one module each, behind one protocol."""
