"""What one process counted since it began, in the words that Prometheus reads."""

from __future__ import annotations

from time import monotonic, process_time

from recairn import __version__


class Metrics:
    """Requests by part and status, the seconds they took, and what travelled."""

    def __init__(self) -> None:
        self.running = 0
        self._began = monotonic()
        self._requests: dict[tuple[str, int], int] = {}
        self._seconds: dict[str, float] = {}
        self._records: dict[str, int] = {}

    def answered(self, part: str, status: int, seconds: float) -> None:
        """Counts a request of a part of the server."""
        self._requests[part, status] = self._requests.get((part, status), 0) + 1
        self._seconds[part] = self._seconds.get(part, 0.0) + seconds

    def travelled(self, answer: str, number: int = 1) -> None:
        """Counts records by what became of them."""
        self._records[answer] = self._records.get(answer, 0) + number

    def text(self) -> str:
        """All of it, one figure a line."""
        lines = [
            f'recairn_build_info{{version="{__version__}"}} 1',
            f"recairn_up_seconds {monotonic() - self._began:.3f}",
            f"recairn_cpu_seconds_total {process_time():.3f}",
            f"recairn_requests_running {self.running}",
        ]
        lines += [
            f'recairn_requests_total{{part="{part}",status="{status}"}} {number}'
            for (part, status), number in sorted(self._requests.items())
        ]
        lines += [
            f'recairn_request_seconds_total{{part="{part}"}} {seconds:.6f}'
            for part, seconds in sorted(self._seconds.items())
        ]
        lines += [
            f'recairn_records_total{{answer="{answer}"}} {number}'
            for answer, number in sorted(self._records.items())
        ]
        return "\n".join(lines) + "\n"
