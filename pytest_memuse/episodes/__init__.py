"""Running, recording, replaying and refreshing episodes and arcs; drift."""
