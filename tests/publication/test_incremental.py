"""Incremental equals clean: random edits and syncs against fresh builds, answers included.

The default run is short; `SATORI_STATEFUL_STEPS=500` (see `make stateful`) makes it long.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from benchmarks.equality import description, differences
from satori.publication import sync as sync_module
from satori.publication.lifecycle import Lifecycle
from satori.publication.snapshot import Snapshot
from satori.publication.vectorstore import VectorStore
from tests.publication.conftest import FILES, write

STEPS = int(os.environ.get("SATORI_STATEFUL_STEPS", "30"))
_STEPS_A_RUN = 30

_NAMES = ("store", "retry", "client", "index", "util", "__init__")
_DIRECTORIES = ("app", "web", "lib/deep", "tests")
_BODIES = {
    "py": (
        "class {n}:\n    def put(self, key, value):\n        self.values[key] = value\n\n\n"
        "def make_{n}():\n    return {n}()\n",
        "def {n}(task, delay):\n    '''Retry {n} later.'''\n    return task.schedule(delay)\n",
        "",
        # Files that import each other, inherit, replace methods and re-export: an edit here changes edges there.
        "from app.store import Store\nfrom app import retry as again\n\n\nclass {n}(Store):\n"
        "    def put(self, key, value):\n        super().put(key, value)\n        self.get(key)\n"
        "        again.Retry(self, 1)\n",
        "class Base:\n    def run(self):\n        self.step()\n\n    def step(self):\n        pass\n\n\n"
        "class {n}(Base):\n    def go(self):\n        self.run()\n        make_{n}()\n\n\ndef make_{n}():\n"
        "    {n}().step()\n",
        "from app.util import *\nfrom app.index import Base, Index as {n}2\n\n\nclass {n}(Base):\n    def step(self):\n"
        "        make_Store()\n        {n}2().go()\n",
        "from app.store import *\nfrom app.client import Client, Base\n",
    ),
    "ts": (
        "export interface {n} {{ id: number; }}\nexport function fetch{n}(id: number) {{ return id; }}\n",
        "export const {n} = () => 1;\r\n",
        "import {{ Store, fetchUser }} from '../app/store';\nexport * from './client';\n"
        "export class {n} extends Store {{\n  get() {{ super.get(); fetchUser(1); }}\n}}\n",
        "import {{ {n} }} from './util';\nexport class Store {{\n  get() {{ this.put(); }}\n"
        "  put() {{ new {n}(); }}\n}}\n"
        "export function fetchUser(id: number) {{ return new Store().get(); }}\n",
    ),
    "c": (
        '#include "util.h"\nint {n}(int a) {{ return shared(a) + Store(a); }}\n',
        "#define Retry(a) (a)\nint shared(int a) {{ return Retry(a); }}\n"
        "static int {n}(int a) {{ return shared(a); }}\n",
    ),
    "h": ("int shared(int a);\n", "#define shared(a) (a)\n", "static inline int {n}(int a) {{ return shared(a); }}\n"),
    # Classes that inherit across headers, methods defined elsewhere, classes declared ahead, names brought by using.
    "hpp": (
        '#include "store.hpp"\nnamespace app {{\nclass {n} : public Base {{\n public:\n  void step() override;\n'
        "  Base* base_;\n}};\nint shared(int a);\n}}\n",
        "namespace app {{\nclass {n};\nclass Base {{\n public:\n  virtual void step();\n  void go(int a = 0);\n"
        "  {n}* next_;\n}};\n}}\nusing app::Base;\n",
        "namespace app {{\ninline int shared(int a) {{ return a; }}\nstruct {n} {{ void step(); }};\n}}\n",
    ),
    "cc": (
        '#include "util.hpp"\n#include "client.hpp"\nnamespace app {{\nvoid Base::step() {{ go(shared(1)); }}\n'
        "void Base::go(int a) {{ step(); next_->step(); Store().step(); }}\n}}\n",
        '#include "store.hpp"\n#include "retry.hpp"\nusing namespace app;\nint shared(int a) {{ return a; }}\n'
        "void {n}::step() {{ base_->go(); shared(2); app::shared(3); }}\n",
    ),
    # Partial types, overrides, usings, extension methods, types of one name in several namespaces.
    "cs": (
        "using App.Store;\nnamespace App\n{{\n    public partial class {n} : Base\n    {{\n"
        "        public override void Step() {{ base.Step(); Go(1); this.Shared(); }}\n    }}\n}}\n",
        "namespace App\n{{\n    public class Base\n    {{\n        public virtual void Step() {{ Step(); }}\n"
        "        public void Go(int a, int b = 0) {{ new {n}().Step(); }}\n    }}\n"
        "    public partial class {n} {{ public {n}() {{ }} }}\n}}\n",
        "namespace App.Store;\n\npublic static class {n}\n{{\n    public static void Shared(this App.Base self) {{ }}\n"
        "    public static void Go(App.Client client) {{ client.Step(); {n}.Shared(client); }}\n}}\n",
        "global using App;\nglobal using App.Store;\n",
    ),
    "go": (
        "package main\n\nfunc {n}() int {{\n\treturn 1\n}}\n",
        "package {n}\n\ntype Store struct{{}}\n",
        # Methods of a type of another file, embedding, packages of other directories.
        "package main\n\ntype {n} struct{{ Base }}\n\nfunc (b *Base) Put() *{n} {{\n\treturn Use(b)\n}}\n\n"
        "func Use(b *Base) *{n} {{\n\tRetry()\n\treturn b.Put().Put()\n}}\n",
        'package main\n\nimport "../app"\n\ntype Base struct{{ client *Store }}\n\nfunc (s *Store) Get() *Base {{\n'
        "\tmain.Use(nil).Put()\n\treturn s.Get().client.Get()\n}}\n",
        'package main\n\nimport app "../app"\n\ntype {n} = app.Base\n\nfunc Retry(b {n}, i interface{{ Get() }}) {{\n'
        "\tb.Put().Put()\n\tapp.Use(nil)\n\ti.Get()\n}}\n",
    ),
    "php": (
        "<?php\nnamespace App;\nclass {n}\n{{\n    public function put() {{ return $this->get(); }}\n"
        "    private function get() {{ return new Store(); }}\n}}\n",
        "<?php\nnamespace App;\nuse App\\Retry as Again;\nuse function App\\make;\n"
        "class {n} extends Store\n{{\n    use Util;\n    private Client $client;\n"
        "    public function put(Again $again) {{\n        $again->PUT($this);\n        parent::put();\n"
        "        $this->client->get();\n        make();\n    }}\n}}\n",
        "<?php\nnamespace App;\nfunction make() {{ return {n}::of()->put(); }}\nif (1) {{ class {n} {{}} }}\n",
        "<?php\nnamespace App;\ntrait {n}\n{{\n    public static function of(): static {{ return new static(); }}\n"
        "    public function Put() {{}}\n}}\n",
    ),
    # Types that extend each other across packages, classes without a name, overloads that other files' types decide.
    "java": (
        "package app;\n\npublic class {n} extends Base {{\n    void step() {{ super.step(); go(this); }}\n"
        "    static {n} make() {{ return new {n}(); }}\n}}\n",
        "package app;\n\nimport lib.*;\n\nclass Base {{\n    Store store = new Store();\n    void step() {{}}\n"
        "    void go(Base base) {{ step(); store.make().step(); }}\n    void go(Object any) {{}}\n}}\n",
        "package lib;\n\nimport static app.Store.make;\n\npublic class {n} {{\n    Object use(app.Store store) {{\n"
        "        make().step();\n        store.step();\n        return new app.Base() {{\n"
        "            void step() {{ go(store); use(null); }}\n        }};\n    }}\n}}\n",
        "package lib;\n\npublic interface {n}<T extends Store> {{\n    T get();\n"
        "    default void run({n}<T> other) {{ other.get().step(); get().use(null); }}\n}}\n",
    ),
    "rs": (
        # Modules that declare each other, globs, re-exports, traits whose functions are replaced elsewhere.
        "mod store;\nmod util;\nuse store::{n};\nuse util::*;\n\npub fn start() {{\n    {n}::new().go();\n"
        "    store::open();\n    helper();\n}}\n",
        "pub struct {n} {{ next: Option<Base> }}\n\nimpl {n} {{\n    pub fn new() -> Self {{ {n}::make() }}\n"
        "    pub fn go(&self) {{ self.step(); }}\n}}\n\npub fn open() {{ helper(); }}\n",
        "use super::*;\n\npub trait Step {{ fn step(&self) {{}} fn each(&self); }}\n\nimpl Step for {n} {{\n"
        "    fn each(&self) {{ self.step(); }}\n}}\n\npub struct {n};\n\n"
        "pub fn helper() {{ {n}.each(); open(); }}\n",
        '#[path = "../app/store.rs"]\nmod store;\npub use store::*;\n\nimpl Store {{\n    fn step(&self) {{\n'
        "        self.go();\n        Store::new().each();\n    }}\n}}\n",
    ),
    "scala": (
        "package app\n\ntrait {n} {{\n  def put(a: Int): Int = get(a)\n  def get(a: Int): Int\n}}\n",
        "package app\n\nimport app.Client.make\n\ncase class {n}(kept: Store) extends Retry {{\n"
        "  override def get(a: Int) = {{ kept.put(1); super.put(a); make(a); helper(1) }}\n}}\n",
        "package app\npackage lib\n\nobject {n} {{\n  def make(a: Int) = Client(new Store {{ def get(a: Int) = a }})\n"
        "  def apply(a: Int): Store = make(a).kept\n}}\n",
        "package app\n\nclass {n} extends Store with Util\n\nobject Client {{ def make(a: Int) = new {n} }}\n",
        "package object app {{ def helper(a: Int) = Index(a).put(a) }}\n",
    ),
    # Receivers that nobody writes, extensions, companions, object literals, what is expected and what stands for it.
    "kt": (
        "package app\n\nopen class {n} : Base() {{\n    override fun step() {{ super.step(); go {{ step() }} }}\n"
        "    companion object {{ fun make() = {n}() }}\n}}\n",
        "package app\n\nimport lib.*\n\nopen class Base {{\n    val store = Store.make()\n    open fun step() {{}}\n"
        "    fun go(block: Base.() -> Unit) {{ store.step(); extended(1) }}\n}}\n\ntypealias {n}Alias = Base\n",
        "package lib\n\nimport app.Base\nimport app.Store.Companion.make\n\nfun Base.extended(n: Int) = make()\n\n"
        "val {n} = object : Base() {{ override fun step() {{ extended(2) }} }}\n\nfun use(base: Base) {{\n"
        "    base.go {{ step() }}\n    base.extended(3).step()\n}}\n",
        "package app\n\nexpect class {n} {{ fun step() }}\n\nfun Base.extended(n: Int) = this\n",
    ),
    "md": ("# {n}\n\nHow do I call put? Like this: {n}.\n", "Prose about {n} and users.\n"),
    "toml": ("[{n}]\nport = 80\n",),
    "dat": ("not covered {n}\n",),
}
_paths = st.builds(
    lambda directory, name, extension: f"{directory}/{name}.{extension}",
    st.sampled_from(_DIRECTORIES),
    st.sampled_from(_NAMES),
    st.sampled_from(sorted(_BODIES)),
)


class Editing(RuleBasedStateMachine):
    """A tree that is edited at random, one codebase that follows it by syncs, and a fresh build after each sync."""

    store: VectorStore

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="satori-stateful-"))
        self.root = self.home / "tree"
        self.branches: dict[int, Path] = {}
        self.lifecycle = Lifecycle(self.home / "state", self.root, store=self.store)
        self.builds = 0
        self.pinned: Snapshot | None = None
        self.pinned_says: dict[str, object] = {}

    @initialize()
    def start(self) -> None:
        for path, text in FILES.items():
            write(self.root, path, text)
        self.sync()

    @rule(path=_paths, pick=st.integers(0, 6), name=st.sampled_from(_NAMES), old=st.booleans())
    def put(self, path: str, pick: int, name: str, old: bool) -> None:
        bodies = _BODIES[path.rsplit(".", 1)[1]]
        write(self.root, path, bodies[pick % len(bodies)].format(n=name.capitalize()), old=old)

    @rule(number=st.integers(0, 50), lines=st.integers(1, 3))
    def insert_at_the_top(self, number: int, lines: int) -> None:
        path = self._some(number)
        if path is not None:
            path.write_bytes(b"\n" * lines + path.read_bytes())

    @rule(number=st.integers(0, 50))
    def delete(self, number: int) -> None:
        path = self._some(number)
        if path is not None:
            path.unlink()

    @rule(number=st.integers(0, 50), to=_paths)
    def rename(self, number: int, to: str) -> None:
        path = self._some(number)
        if path is not None:
            target = self.root / to
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)

    @rule(source=st.sampled_from(_DIRECTORIES), to=st.sampled_from(_DIRECTORIES))
    def move_a_directory(self, source: str, to: str) -> None:
        if source != to and (self.root / source).is_dir():
            shutil.rmtree(self.root / to, ignore_errors=True)
            (self.root / to).parent.mkdir(parents=True, exist_ok=True)
            (self.root / source).rename(self.root / to)

    @rule(branch=st.integers(0, 1))
    def switch_branch(self, branch: int) -> None:
        """Leave the tree under one name and go on with another one, as a checkout does."""
        other = self.branches.pop(branch, None)
        kept = self.home / f"branch-{1 - branch}"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(self.root, kept)
        self.branches[1 - branch] = kept
        if other is not None and other.exists():
            shutil.rmtree(self.root)
            shutil.copytree(other, self.root)

    @rule(
        pattern=st.sampled_from(["", "lib/", "*.go", "web/*\n!web/client.js", "store.*"]),
        where=st.sampled_from([".gitignore", "app/.gitignore", ".satoriignore"]),
    )
    def change_ignore_rules(self, pattern: str, where: str) -> None:
        write(self.root, where, pattern + "\n", old=False)

    @rule()
    def pin(self) -> None:
        self._unpin()
        self.pinned = self.lifecycle.pin()
        self.pinned_says = description(self.pinned, ())

    @rule()
    def sync(self) -> None:
        self.lifecycle.sync()
        self.builds += 1
        clean = Lifecycle(self.home / f"clean-{self.builds}", self.root, store=self.store)
        clean.sync()
        with self.lifecycle.pin() as mine, clean.pin() as theirs:
            assert differences(description(mine), description(theirs)) == []
        shutil.rmtree(clean.state.path)

    @invariant()
    def a_pinned_snapshot_never_changes(self) -> None:
        if self.pinned is not None:
            assert differences(description(self.pinned, ()), self.pinned_says) == []

    def teardown(self) -> None:
        self.sync()
        self._unpin()
        shutil.rmtree(self.home, ignore_errors=True)

    def _unpin(self) -> None:
        if self.pinned is not None:
            self.pinned.close()
            self.pinned = None

    def _some(self, number: int) -> Path | None:
        files = sorted(path for path in self.root.rglob("*") if path.is_file())
        return files[number % len(files)] if files else None


def test_incremental_equals_clean(store: VectorStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rule: after any sequence of edits, renames, moves, branch switches, ignore-rule changes and syncs, rows, symbols,
    chunks, vectors and ranked answers equal a fresh build's, and a pinned snapshot never changes."""
    # A small threshold makes deltas, dead files and new base segments alternate.
    monkeypatch.setattr(sync_module, "DELTA_FILES", 4)
    monkeypatch.setattr(Editing, "store", store, raising=False)
    run_state_machine_as_test(
        Editing,
        settings=settings(
            max_examples=max(1, STEPS // _STEPS_A_RUN),
            stateful_step_count=_STEPS_A_RUN,
            deadline=None,
            derandomize="SATORI_STATEFUL_STEPS" not in os.environ,
            suppress_health_check=list(HealthCheck),
        ),
    )
