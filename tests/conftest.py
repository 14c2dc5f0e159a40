"""Fixtures that several packages' tests share: one small real repository, written, committed and indexed once."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from satori.publication.lifecycle import Lifecycle
from satori.server.sessions import Session
from satori.server.tools.context import ToolContext
from satori.server.workbench import Workbench

# The settings of whoever runs the tests are theirs; child processes inherit this.
os.environ["SATORI_CONFIG_FILE"] = "/nonexistent/satori/config.toml"

FILES: dict[str, str] = {
    "shop/__init__.py": "",
    "shop/cart.py": '''\
"""The shopping cart: lines of products with quantities."""

from shop.prices import round_price


class Cart:
    """Holds lines until they are ordered."""

    def __init__(self, currency="EUR"):
        self.currency = currency
        self.lines = []

    def add_line(self, product, quantity=1):
        """Add a product; the same product twice raises its quantity."""
        for line in self.lines:
            if line["product"] == product:
                line["quantity"] += quantity
                return line
        line = {"product": product, "quantity": quantity}
        self.lines.append(line)
        return line

    def total_price(self, catalogue):
        """The sum over all lines, rounded to cents."""
        return round_price(sum(catalogue[line["product"]] * line["quantity"] for line in self.lines))


def merge_carts(first, second):
    """Move every line of the second cart into the first."""
    for line in second.lines:
        first.add_line(line["product"], line["quantity"])
    return first
''',
    "shop/prices.py": '''\
"""Prices in cents."""

API_TOKEN = "ghp_a1B2c3D4a1B2c3D4a1B2c3D4a1B2c3D4a1B2"  # é 𝕏 stays where it is


def round_price(value):
    """Half cents go up."""
    return int(value + 0.5)


def apply_discount(price, percent):
    """Take a percentage off; never below zero."""
    if percent < 0 or percent > 100:
        raise ValueError("percent is out of range")
    return max(0, round_price(price * (100 - percent) / 100))
''',
    "shop/retry.py": '''\
"""Retrying payments that failed for a passing reason."""

import time


class RetryPolicy:
    """How often and how long to wait between attempts."""

    attempts = 5

    def backoff_seconds(self, attempt):
        """Exponential backoff with a ceiling of one minute."""
        return min(60, 2**attempt)


def schedule_retry(policy, charge):
    """Call `charge` until it works or the attempts are used up."""
    for attempt in range(policy.attempts):
        try:
            return charge()
        except ConnectionError:
            time.sleep(policy.backoff_seconds(attempt))
    raise RuntimeError("the payment provider did not answer")
''',
    "shop/twins.py": "def twin():\n    return 1\n\n\ndef other():\n    return 0\n\n\ndef twin():\n    return 2\n",
    "tests/test_cart.py": '''\
from shop.cart import Cart, merge_carts


def test_adding_twice_raises_the_quantity():
    cart = Cart()
    cart.add_line("tea")
    cart.add_line("tea", 2)
    assert cart.lines == [{"product": "tea", "quantity": 3}]


def test_merging():
    assert merge_carts(Cart(), Cart()).lines == []
''',
    "web/session.ts": '''\
export interface SessionOptions {
  timeoutSeconds: number;
}

/** Keeps a visitor signed in until the timeout. */
export class VisitorSession {
  constructor(private readonly options: SessionOptions) {}

  isExpired(now: number, lastSeen: number): boolean {
    return now - lastSeen > this.options.timeoutSeconds;
  }
}
''',
    "server/main.go": '''\
package main

import "net/http"

// HealthHandler answers the load balancer's probe.
func HealthHandler(w http.ResponseWriter, r *http.Request) {
\tw.WriteHeader(http.StatusOK)
}
''',
    "docs/guide.md": "# Guide\n\n## Refunds\n\nA refund is paid back to the card that was charged, within five days.\n",
    "web/page.vue": "<template><p>Newsletter subscription form</p></template>\n",
    "naïve dir/файл 名.py": "def unicode_named_file():\n    return 'here'\n",
    "big/long_line.py": "LONG = '" + "x" * 60_000 + "'\n" + "\n".join(f"value_{n} = {n}" for n in range(400)) + "\n",
    "big/many.py": "\n\n".join(f"def handler_{n}(event):\n    return dispatch(event, {n})\n" for n in range(300)),
    "config/settings.toml": "[payments]\nprovider = 'acme'\n",
    ".gitignore": "ignored/\n",
    "ignored/secret_plan.py": "def ignored_function():\n    return 1\n",
    ".env": "PASSWORD=hunter2\n",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Indexed:
    """A repository and the state root that holds its index."""

    root: Path
    state_root: Path

    def lifecycle(self) -> Lifecycle:
        """Its lifecycle."""
        return Lifecycle(self.state_root, self.root)

    def context(self, *workspaces: Path) -> ToolContext:
        """A session whose workspace is the repository, or the ones given."""
        session = Session()
        session.add_workspaces([str(path) for path in workspaces or (self.root,)])
        return ToolContext(session, Workbench(self.state_root))


def write_files(root: Path, files: dict[str, str]) -> None:
    """Write text files below `root`."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def git(root: Path, *arguments: str) -> str:
    """Run git as a plain user would, without this machine's configuration."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(root),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.com",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.com",
    }
    done = subprocess.run(["git", *arguments], cwd=root, env=environment, check=True, capture_output=True)
    return done.stdout.decode()


def make_repository(root: Path) -> None:
    """The sample repository at `root`, committed, with things beside its source that must stay out."""
    root.mkdir(parents=True)
    write_files(root, FILES)
    (root / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    (root / "outside.py").symlink_to("/etc/passwd")
    os.mkfifo(root / "pipe.py")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "start")


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Indexed:
    """The sample repository, indexed once; tests must not change it."""
    base = tmp_path_factory.mktemp("indexed")
    make_repository(base / "repo")
    made = Indexed(base / "repo", base / "state")
    made.lifecycle().sync()
    return made


@pytest.fixture
def own_indexed(tmp_path: Path) -> Iterator[Indexed]:
    """A sample repository of one's own, indexed, to be changed."""
    make_repository(tmp_path / "repo")
    made = Indexed(tmp_path / "repo", tmp_path / "state")
    made.lifecycle().sync()
    yield made
