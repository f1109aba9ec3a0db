"""Which work a rule's scope fits."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recairn.core.scopes import applies, files_in, words_of


@pytest.mark.parametrize(
    ("scope", "file", "fits"),
    [
        ("", "anything.py", True),
        ("*.sql", "db/0001.sql", True),
        ("*.sql", "db/0001.sql.bak", False),
        ("migrations/**", "migrations/a/b.sql", True),
        ("migrations/**", "old/migrations/b.sql", False),
        ("**/migrations/*.sql", "old/migrations/b.sql", True),
        ("**/migrations/*.sql", "migrations/b.sql", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/**/*.py", "src/deep/er/a.py", True),
        ("src/bill?ng.py", "src/billing.py", True),
        ("v[0-9].md", "docs/v2.md", True),
        ("v[!0-9].md", "docs/v2.md", False),
        ("docs/", "docs/a/b.md", True),
        ("docs", "site/docs/b.md", True),
        ("billing.py", "src/shop/billing.py", True),
        ("shop.billing", "src/shop/billing.py", True),
        ("shop.billing", "src/shop/billing/tax.py", True),
        ("shop.billing", "src/shop/shipping.py", False),
        ("billing", "src/shop/billing.py", True),
        ("*.md, *.sql", "a.sql", True),
        ("*.md *.rst", "a.sql", False),
        ("./src/a.py", "src/a.py", True),
        ("src/a.py", "./src/a.py", True),
        ("a+b(c).py", "a+b(c).py", True),
    ],
)
def test_a_scope_against_a_file(scope, file, fits):
    assert applies(scope, [file], frozenset()) is fits


def test_a_module_fits_work_that_names_it():
    assert applies("shop.billing", (), words_of("Round up in shop.billing, please."))
    assert applies("billing", (), words_of("Billing rounds down"))
    assert not applies("billing", (), words_of("Rebilling is hard"))
    assert not applies("src/billing.py", (), words_of("billing"))


def test_a_scope_fits_no_work_without_files_and_words():
    assert not applies("*.sql", (), frozenset())


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("Change src/tide.py and docs/guide.md.", ("src/tide.py", "docs/guide.md")),
        ("see ./run.py, then Makefile", ("run.py",)),
        ("edit `tests/test_chart.py:42` and chart.tsx!", ("tests/test_chart.py", "chart.tsx")),
        ("version 3.5 is e.g. fine, and/or not", ()),
        ("read src/billing/deep/ first", ("src/billing/deep",)),
        ("mail mira@harbour.example or see https://harbour.example/a/b", ()),
        ("a.py a.py", ("a.py",)),
    ],
)
def test_the_files_a_text_names(text, files):
    assert files_in(text) == files


@settings(max_examples=60)
@given(st.text(), st.text())
def test_any_scope_is_answered(scope, file):
    assert applies(scope, [file], frozenset()) in (True, False)
    files_in(file)
