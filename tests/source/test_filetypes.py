"""What names and heads say about files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satori.source.filetypes import Category, classify, classify_name

CASES = [
    ("a.py", b"", "python", "source"),
    ("a.pyi", b"", "python", "source"),
    ("A.PY", b"", "python", "source"),
    ("a.ts", b"export {}", "typescript", "source"),
    ("a.d.ts", b"", "typescript", "source"),
    ("a.mts", b"", "typescript", "source"),
    ("a.tsx", b"", "tsx", "source"),
    ("a.jsx", b"", "javascript", "source"),
    ("a.mjs", b"", "javascript", "source"),
    ("de.ts", b'<?xml version="1.0"?>\n<!DOCTYPE TS>', "xml", "data"),
    ("a.h", b"int f(void);", "c", "source"),
    ("a.h", b"#pragma once\nnamespace x {\n", "cpp", "source"),
    ("a.h", b"#include <vector>\n", "cpp", "source"),
    ("a.h", b"#import <Foundation/Foundation.h>\n@interface X\n", "objc", "source"),
    ("a.hpp", b"", "cpp", "source"),
    ("a.m", b"@implementation X\n", "objc", "source"),
    ("a.m", b"function y = f(x)\n% help\n", "matlab", "source"),
    ("a.pl", b"use strict;\n", "perl", "source"),
    ("a.pl", b":- module(x, []).\n", "prolog", "source"),
    ("t/basic.t", b"#!/usr/bin/perl\nuse Test::More;\n", "perl", "source"),
    ("a.v", b"module top (input a);\n", "verilog", "source"),
    ("a.v", b"Require Import List.\n", "coq", "source"),
    ("bin/tool", b"#!/usr/bin/env python3\n", "python", "source"),
    ("bin/tool", b"#!/usr/bin/env -S node --flag\n", "javascript", "source"),
    ("bin/tool", b"#!/bin/sh\n", "bash", "script"),
    ("bin/tool", b"#!/usr/bin/python3.11\n", "python", "source"),
    ("bin/tool", b"plain", "text", "other"),
    ("a.unknown", b"text", "text", "other"),
    ("Makefile", b"", "make", "script"),
    ("Makefile.am", b"", "m4", "script"),
    ("CMakeLists.txt", b"", "cmake", "script"),
    ("requirements-dev.txt", b"", "text", "configuration"),
    ("Dockerfile", b"", "dockerfile", "infrastructure"),
    ("Dockerfile.prod", b"", "dockerfile", "infrastructure"),
    ("docker-compose.yml", b"", "yaml", "infrastructure"),
    (".github/workflows/ci.yml", b"", "yaml", "infrastructure"),
    ("k8s/app.yaml", b"apiVersion: v1\n", "yaml", "infrastructure"),
    ("a.yaml", b"a: 1\n", "yaml", "configuration"),
    ("main.tf", b"", "hcl", "infrastructure"),
    ("package.json", b"", "json", "configuration"),
    ("package-lock.json", b"", "lock", "data"),
    ("Cargo.lock", b"", "lock", "data"),
    ("go.sum", b"", "lock", "data"),
    ("go.mod", b"module x\n", "gomod", "configuration"),
    ("tokenizer.json", b"", "json", "data"),
    ("README", b"", "text", "documentation"),
    ("README.md", b"", "markdown", "documentation"),
    ("docs/a.rst", b"", "rst", "documentation"),
    ("a.ipynb", b"", "notebook", "source"),
    ("a.vue", b"", "vue", "source"),
    ("a.svelte", b"", "svelte", "source"),
    ("a.astro", b"", "astro", "source"),
    ("a.proto", b"", "proto", "source"),
    ("a.sql", b"", "sql", "query"),
    ("a.graphql", b"", "graphql", "query"),
    ("de.po", b"", "gettext", "data"),
    ("a.csv", b"", "csv", "data"),
    ("a.svg", b"", "svg", "data"),
    ("a.html", b"", "html", "source"),
    ("conf/app.yml.example", b"", "yaml", "configuration"),
    ("a.nim", b"", "nim", "source"),
    ("a.f90", b"", "fortran", "source"),
    ("a.sol", b"", "solidity", "source"),
    ("a.clj", b"", "clojure", "source"),
    ("man/tool.1", b".TH TOOL 1\n", "roff", "documentation"),
    ("data.1", b"1 2 3\n", "text", "other"),
    (".gitignore", b"", "text", "configuration"),
    ("a.rake", b"", "ruby", "source"),
    ("Gemfile", b"", "ruby", "source"),
    ("a.kt", b"", "kotlin", "source"),
    ("a.cs", b"", "csharp", "source"),
    ("a.exs", b"", "elixir", "source"),
    ("a.bats", b"", "bash", "script"),
    ("a.zig", b"", "zig", "source"),
    ("a.jl", b"", "julia", "source"),
    ("a.png", b"", "binary", "other"),
    ("LICENSE-MIT", b"", "text", "documentation"),
    ("MIT-LICENSE", b"", "text", "documentation"),
    ("lib/license_check.py", b"", "python", "source"),
    (".luacheckrc", b"", "text", "configuration"),
    ("auto/cc/gcc", b"if [ $x = y ]; then\n    . auto/feature\nfi\n", "bash", "script"),
    ("notes", b"we are done\n", "text", "other"),
    ("model.rb.tt", b"", "template", "source"),
]


@pytest.mark.parametrize(("path", "head", "language", "category"), CASES)
def test_files_are_classified(path: str, head: bytes, language: str, category: str) -> None:
    """By name, and by the head where the name leaves it open."""
    kind = classify(path, head)
    assert (kind.language, kind.category) == (language, category)


@given(st.text(min_size=1), st.binary(max_size=200))
def test_any_name_and_head_have_a_type(name: str, head: bytes) -> None:
    """Never an error; a lower-case language; and the head never widens a category that the name decided."""
    kind = classify(name, head)
    assert kind.language == kind.language.lower() != ""
    by_name = classify_name(name)
    if by_name is not None and by_name.category in (Category.DATA, Category.OTHER):
        assert kind.category in (Category.DATA, Category.OTHER)
