"""How far judging has come, at what rate and cost, and how long the rest may take."""

from pytest_memuse.judging.llm.outcome import Usage
from pytest_memuse.judging.run import Lines


class Progress:
    """Tells the spans of one run as their judgments come in; ``spans`` is how many there are."""

    def __init__(self, lines: Lines | None, spans: int, before: Usage) -> None:
        self._lines = lines
        self._spans = spans
        self._before = before
        self._done = self._asked = 0
        self._begun = self._told = lines.clock() if lines is not None else 0.0

    def done(self, usage: Usage, *, asked: bool) -> None:
        """Count a span; one from a record was not ``asked`` about. ``usage`` is the sum of all that was used."""
        self._done += 1
        self._asked += asked
        if self._lines is None or not self._asked:
            return
        now = self._lines.clock()
        if now - self._told >= self._lines.every:
            self._told = now
            self._lines.say(self._line(usage, now - self._begun))

    def close(self, usage: Usage, stopped: str) -> None:
        """Tell what the run came to, where anything was asked or left."""
        left = self._spans - self._done
        if self._lines is None or not (self._asked or (stopped and left)):
            return
        line = self._line(usage, self._lines.clock() - self._begun)
        self._lines.say(line + (f"; {stopped}, {left} spans are left unjudged" if stopped and left else ""))

    def _line(self, usage: Usage, seconds: float) -> str:
        parts = [f"judged {self._done}/{self._spans} spans"]
        left = self._spans - self._done
        if self._asked and seconds > 0:
            parts.append(f"{60 * self._asked / seconds:.1f} spans/min")
        calls = usage.calls - self._before.calls
        if self._asked:
            parts.append(f"{calls / self._asked:.2f} calls a span")
        if usage.input and usage.cached is not None:
            parts.append(f"{usage.cached / usage.input:.1%} of input cached")
        parts.append(self._cost(usage, left))
        if left and self._asked and seconds > 0:
            parts.append(f"about {_duration(left * seconds / self._asked)} left")
        return ", ".join(parts)

    def _cost(self, usage: Usage, left: int) -> str:
        if usage.cost is None or self._before.cost is None:
            return "cost unknown"
        spent = usage.cost - self._before.cost
        if not left or not self._asked:
            return f"{spent:.4f} USD"
        return f"{spent:.4f} USD of about {spent + left * spent / self._asked:.4f}"


def _duration(seconds: float) -> str:
    return f"{max(1, round(seconds))} s" if seconds < 90 else f"{round(seconds / 60)} min"
