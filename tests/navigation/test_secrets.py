from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from satori.navigation.secrets import mask, mask_text

TOKEN = "ghp_" + "a1B2c3D4" * 5


def test_a_token_becomes_stars_of_the_same_length() -> None:
    """A recognised credential is hidden and everything after it keeps its offset."""
    text = f'client = Client("{TOKEN}")  # π\n'
    masked = mask_text(text)
    assert TOKEN not in masked
    assert len(masked) == len(text)
    assert masked.index("# π") == text.index("# π")


def test_a_key_block_is_masked_even_when_it_began_before_the_window() -> None:
    """A window in the middle of a private key shows none of it, and line breaks stay."""
    body = "\n".join("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ" for _ in range(4))
    data = f"x = 1\n-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\ny = 2\n".encode()
    start = data.index(b"MIIE") + 60
    masked = mask(data, start).data
    assert b"MIIE" not in masked
    assert masked.endswith(b"-----END RSA PRIVATE KEY-----\ny = 2\n")
    assert masked.count(b"\n") == data[start:].count(b"\n")


def test_shapes_that_are_masked() -> None:
    """Each kind of credential is recognised in source as people write it."""
    secrets = {
        'key = "AKIAIOSFODNN7EXAMPLE"': "AKIAIOSFODNN7EXAMPLE",
        'API_KEY = "f3a9c1d27b884e0c9d12ab34cd56ef78"': "f3a9c1d27b884e0c9d12ab34cd56ef78",
        '{"client_secret": "Zx81kLmQ0pRs7TuVwXyZ"}': "Zx81kLmQ0pRs7TuVwXyZ",
        "url = 'postgres://app:hunter2secret@db.local/x'": "hunter2secret",
        "Authorization: Bearer abcdefghij0123456789abcdefghij": "abcdefghij0123456789abcdefghij",
        "xoxb-123456789012-abcdefghijklmnop": "123456789012-abcdefghijklmnop",
        "let t: String = sk-ant-api03-abcdefghijklmnopqrstuvwxyz": "abcdefghijklmnopqrstuvwxyz",
    }
    for text, secret in secrets.items():
        assert secret not in mask_text(text), text


def test_ordinary_source_is_left_alone() -> None:
    """Names, placeholders, paths and sentences are no secrets."""
    for text in (
        'password = "correct horse battery staple"',
        'token_url = "https://example.com/oauth/token"',
        'secret = "${VAULT_SECRET_NAME_1234}"',
        'api_key = os.environ["SERVICE_API_KEY"]',
        "def get_token(self, token_type: str) -> Token:",
        "url = 'https://user@example.com/path'",
        "sha = 'da39a3ee5e6b4b0d3255bfef95601890afd80709'",
        'PRIVATE_KEY_HEADER = "-----BEGIN PRIVATE"',
    ):
        assert mask_text(text) == text


@given(st.binary(max_size=400), st.integers(0, 400), st.integers(0, 400))
def test_masking_never_changes_length_or_lines(data: bytes, a: int, b: int) -> None:
    """For any bytes and any window: same length, same line breaks."""
    start, end = min(a, b, len(data)), min(max(a, b), len(data))
    masked = mask(data, start, end).data
    assert len(masked) == end - start
    assert [at for at, byte in enumerate(masked) if byte == 10] == [
        at for at, byte in enumerate(data[start:end]) if byte == 10
    ]
