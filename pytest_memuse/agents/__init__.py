"""Agent harnesses, one module each, behind one protocol, and the scripted model."""
