"""The hard deny-list: secrets and version control internals, which nothing lifts.

It judges names only, never contents; masking secrets inside indexed source is the answering side's task.
"""

from __future__ import annotations

import re

from satori.source.skip import SkipReason

_VCS_DIRECTORIES = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", ".pijul", "_darcs", ".fslckout", "cvs", ".sl"})
_SECRET_DIRECTORIES = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".gcloud", ".kube", ".password-store", ".satori"})
_SECRET_DIRECTORY = re.compile(r"\.envs?\Z|\.env[._-]")
_SECRET_NAMES = frozenset(
    (
        "id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk .npmrc .netrc _netrc .pypirc .pgpass .my.cnf "
        ".htpasswd .git-credentials .dockercfg .dockerconfigjson .boto .s3cfg .vault-token .terraformrc "
        "credentials credentials.json credentials.tfrc.json kubeconfig client_secret.json service-account.json "
        "service_account.json application_default_credentials.json secrets.json"
    ).split()
)
_SECRET_SUFFIXES = (
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".kdbx",
    ".ppk",
    ".tfvars",
    ".tfvars.json",
    ".tfstate",
    ".tfstate.backup",
    ".kubeconfig",
    ".ovpn",
)


def denied_name(name: str, is_directory: bool = False) -> SkipReason | None:
    """The reason why an entry of this name is refused whatever the rules say, or None.

    Letter case does not matter. Source files about secrets (`credentials.py`, `id_generator.go`) are not refused.
    """
    lowered = name.lower()
    if lowered in _VCS_DIRECTORIES and (is_directory or lowered == ".git"):
        return SkipReason.VCS_INTERNAL
    if is_directory:
        secret = lowered in _SECRET_DIRECTORIES or _SECRET_DIRECTORY.match(lowered) is not None
    else:
        secret = lowered in _SECRET_NAMES or lowered.startswith(".env") or lowered.endswith(_SECRET_SUFFIXES)
    return SkipReason.SECRET if secret else None


def denied_path(path: str) -> SkipReason | None:
    """The reason why `path` (POSIX, relative to the root) is refused: its own name or any directory above it."""
    *directories, name = path.split("/")
    for directory in directories:
        reason = denied_name(directory, is_directory=True)
        if reason is not None:
            return reason
    return denied_name(name)
