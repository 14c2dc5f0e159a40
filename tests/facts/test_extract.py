"""Any bytes give facts: a file that cannot be parsed is text, and says why."""

from __future__ import annotations

import os
import random
import time
from base64 import b64encode
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satori.facts.extract import MAX_PARSED_BYTES, extract_facts
from satori.languages.registry import language_names
from tests.languages.fuzz import broken_rule


def test_an_unknown_language_is_text_and_no_problem() -> None:
    """Text that no language claims has no definitions and nothing wrong with it."""
    facts = extract_facts("text", b"def f(): ...\n")
    assert (facts.definitions, facts.parsed, facts.problem) == ((), False, "")


def test_a_file_of_nul_bytes_is_text_with_a_reason() -> None:
    """NUL bytes named .py are not parsed."""
    facts = extract_facts("python", b"\0" * 4_096)
    assert not facts.parsed
    assert "NUL" in facts.problem


def test_utf_16_is_text_with_a_reason() -> None:
    """Only UTF-8 is parsed: spans are bytes of it."""
    facts = extract_facts("python", "def f(): pass\n".encode("utf-16"))
    assert (facts.definitions, facts.parsed) == ((), False)


def test_latin_1_is_parsed_and_its_spans_slice() -> None:
    """Bytes that are not UTF-8 cost their own name only."""
    data = "# café\ndef f():\n    return 'é'\n\ndef g(): pass\n".encode("latin-1")
    facts = extract_facts("python", data)
    assert [data[one.name_start : one.name_end] for one in facts.definitions] == [b"f", b"g"]
    assert broken_rule(data, facts) == ""


def test_a_minified_bundle_is_text() -> None:
    """One megabyte on one line holds nothing a reader would ask for by name."""
    data = b"function a(){return 1};" * 40_000
    facts = extract_facts("javascript", data)
    assert (facts.definitions, facts.parsed, facts.generated) == ((), False, True)


def test_a_huge_file_is_text_with_a_reason() -> None:
    """Above the bound nothing is parsed."""
    data = b"def f(): pass\n" * (MAX_PARSED_BYTES // 14 + 1)
    facts = extract_facts("python", data)
    assert not facts.parsed
    assert str(MAX_PARSED_BYTES) in facts.problem


def test_an_empty_file_is_parsed() -> None:
    """Nothing to say is not a failure."""
    facts = extract_facts("python", b"\n \n")
    assert facts.parsed
    assert not facts.problem


def test_noise_named_as_source_is_quick() -> None:
    """Ten kilobytes of base64 as .ts, many times over, cost milliseconds each."""
    rng = random.Random(7)
    began = time.process_time()
    for _ in range(60):
        facts = extract_facts("typescript", b64encode(rng.randbytes(7_500)))
        assert facts.definitions == ()
    assert time.process_time() - began < 3


def test_a_language_that_fails_is_text_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever an extractor raises costs one file and is said."""
    from satori.languages.python import Python

    def fail(*_: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr(Python, "finish", fail)
    facts = extract_facts("python", b"x = 1\n")
    assert (facts.definitions, facts.parsed) == ((), False)
    assert facts.problem == "the extractor failed: RecursionError: too deep"


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(language_names()), st.binary(max_size=300))
def test_any_bytes_in_any_language_give_sound_facts(language: str, data: bytes) -> None:
    """No bytes make it raise, and what it says keeps every rule."""
    facts = extract_facts(language, data)
    assert not facts.problem.startswith("the extractor failed")
    assert broken_rule(data, facts) == ""


def test_facts_do_not_depend_on_the_locale_or_the_hash_seed(tmp_path: Path) -> None:
    """LANG=C and another hash seed give the same bytes."""
    import subprocess
    import sys

    program = (
        "import sys; from satori.facts.extract import extract_facts; from satori.facts.packing import pack;"
        "sys.stdout.buffer.write(pack(extract_facts('python', open(sys.argv[1], 'rb').read())))"
    )
    source = tmp_path / "a.py"
    source.write_bytes("# é\ndef ünïcode(): 'doc é'\nclass Å: ä = 1\n".encode())
    answers = []
    for language, seed in (("C", "1"), ("C.UTF-8", "2")):
        environment = {**os.environ, "LANG": language, "LC_ALL": language, "PYTHONHASHSEED": seed}
        answers.append(
            subprocess.run(
                [sys.executable, "-c", program, str(source)], env=environment, capture_output=True, check=True
            ).stdout
        )
    assert answers[0] == answers[1]
    assert answers[0]
