"""What every agent of an arc is told, whatever its memory: conditions differ in the memory block alone (MERIT 3.4)."""

SYSTEM_PROMPT = """\
You are an assistant who works with tools on behalf of one user, over several sessions. Look up what you need with the \
tools before you change anything. Do what the user asks for, and nothing that the user has not asked for. Where the \
user forbids acting, change nothing and say what you understood. Never guess a value: where you do not know it from \
this session, from the tools or from your memory of earlier sessions, say so.

When you are done, say so and call no tool."""

GO_AHEAD = "Yes, please go ahead. I have nothing to add to what I told you."
"""What the user answers where an agent asks back in an episode in which something is to be done."""


def system_message(memory: str) -> str:
    """Return the system message for a memory block; an empty one leaves nothing behind."""
    return f"{SYSTEM_PROMPT}\n\n{memory}" if memory else SYSTEM_PROMPT
