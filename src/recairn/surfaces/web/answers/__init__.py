"""What the API answers: each function takes an open memory and parameters, and gives JSON."""

from __future__ import annotations

from recairn.surfaces.web.answers import (
    acts,
    context,
    documents,
    graph,
    health,
    one_memory,
    projects,
    recall,
    review,
    sessions,
    tasks,
)

# (method, address, what answers). docs/openapi.json describes each, and a test compares.
ROUTES = (
    ("GET", "/api/first", recall.first),
    ("GET", "/api/overview", recall.overview),
    ("GET", "/api/search", recall.search),
    ("GET", "/api/histogram", recall.histogram),
    ("POST", "/api/misses", recall.missed),
    ("GET", "/api/memories", recall.listing),
    ("POST", "/api/memories/bulk", acts.bulk),
    ("GET", "/api/memories/{id}", one_memory.show),
    ("GET", "/api/memories/{id}/similar", one_memory.similar),
    ("POST", "/api/memories/{id}/{act}", acts.act),
    ("POST", "/api/undo", acts.undo),
    ("GET", "/api/review", review.candidates),
    ("GET", "/api/sessions", sessions.listing),
    ("GET", "/api/sessions/{id}", sessions.show),
    ("POST", "/api/sessions/{id}/undo", sessions.take_back),
    ("GET", "/api/rules", context.rules),
    ("GET", "/api/ledger", context.ledger),
    ("POST", "/api/try", context.tried),
    ("GET", "/api/graph/{id}", graph.around),
    ("GET", "/api/documents", documents.listing),
    ("GET", "/api/documents/{id}", documents.show),
    ("GET", "/api/tasks", tasks.listing),
    ("GET", "/api/tasks/{id}", tasks.show),
    ("POST", "/api/tasks/{id}/{act}", tasks.act),
    ("GET", "/api/projects", projects.listing),
    ("POST", "/api/projects/rename", projects.rename),
    ("POST", "/api/projects/merge", projects.merge),
    ("GET", "/api/health", health.health),
)
