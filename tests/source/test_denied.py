"""Names that are refused whatever the rules say, and names that only look like them."""

from __future__ import annotations

import pytest

from satori.source.denied import denied_name, denied_path
from satori.source.skip import SkipReason

SECRETS = [
    ".env",
    ".env.production",
    ".ENV",
    ".envrc",
    "server.pem",
    "a/b/tls.KEY",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    ".npmrc",
    ".netrc",
    ".pypirc",
    "home/.aws/config",
    "credentials",
    "credentials.json",
    "kubeconfig",
    "prod.tfvars",
    "prod.tfvars.json",
    ".ssh/known_hosts",
    ".envs/.local/django",
]
SOURCE = [
    "credentials.py",
    "credentials/models.py",
    "id_generator.go",
    "id_rsa.go",
    "environment.py",
    "env.py",
    "key.py",
    "keys/loader.ts",
    "pem.rs",
    "kubeconfig.go",
    "tfvars.md",
    "id_rsa.pub",
    "src/cvs.py",
    ".github/workflows/ci.yml",
    ".gitignore",
    "gitx/a.py",
]


@pytest.mark.parametrize("path", SECRETS)
def test_secrets_are_refused(path: str) -> None:
    """Whatever the letter case or the directory."""
    assert denied_path(path) is SkipReason.SECRET


@pytest.mark.parametrize("path", SOURCE)
def test_source_about_secrets_is_not_refused(path: str) -> None:
    """A source file that has a secret's word in its name is a source file."""
    assert denied_path(path) is None


@pytest.mark.parametrize(
    "path", [".git", ".git/config", "a/.git/HEAD", ".hg/store", ".svn/x", "sub/.GIT/x", "CVS/Root"]
)
def test_version_control_internals_are_refused(path: str) -> None:
    """Storage directories at any depth, and the `.git` file of worktrees and submodules."""
    assert denied_path(path) is SkipReason.VCS_INTERNAL
    assert denied_name("CVS") is None
