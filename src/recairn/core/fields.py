"""Which fields of a memory somebody said, and which it earned by being used."""

from __future__ import annotations

# What somebody said or decided about a memory, in the order of a record.
SAID = (
    "kind",
    "title",
    "content",
    "fields",
    "project",
    "tier",
    "sector",
    "category",
    "keywords",
    "scope",
    "branch",
    "importance",
    "confidence",
    "pinned",
    "immutable",
    "trust",
    "source_type",
    "source_ref",
    "author",
    "session_id",
    "external_id",
    "created_at",
    "valid_from",
    "valid_until",
    "superseded_by",
    "expires_at",
    "deleted_at",
)
# What each person decides for themselves: how much a memory counts, and for how many. Nobody takes
# it over from others.
STANDING = ("tier", "importance", "pinned", "immutable", "trust", "author")
# What use and outcomes made of it; these belong to one database.
EARNED = (
    "salience",
    "decayed_at",
    "helpful",
    "harmful",
    "outcome_score",
    "usage_count",
    "last_used_at",
)
NOTHING_EARNED = {
    "salience": 1.0,
    "helpful": 0.0,
    "harmful": 0.0,
    "outcome_score": None,
    "usage_count": 0,
    "last_used_at": None,
}
