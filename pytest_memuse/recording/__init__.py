"""What the agent received: cassettes, the memory bridge, and the derivation of the event log (MemUse 3.2, A.1.1)."""
