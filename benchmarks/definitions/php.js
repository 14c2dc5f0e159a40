// Lists the definitions that glayzzle/php-parser sees, as JSON lines {path, name, line, kind}.
// Usage: node php.js < files > definitions.jsonl      (needs the `php-parser` package on NODE_PATH)
// By Satori's rules: types, members, promoted parameters, functions, constants, function variables of scripts.
"use strict";
const fs = require("fs");
const { Engine } = require("php-parser");

const engine = new Engine({ parser: { php8: true, suppressErrors: false, extractDoc: false }, ast: { withPositions: true } });
const TYPES = { class: "class", interface: "interface", trait: "trait", enum: "enum" };

function list(path) {
  const text = fs.readFileSync(path, "utf8");
  let tree;
  try {
    tree = engine.parseCode(text, path);
  } catch (error) {
    console.log(JSON.stringify({ path, failed: error.message }));
    return;
  }
  const emit = (name, node, kind) => {
    const written = typeof name === "string" ? name : name.name;
    const from = text.slice(node.loc.start.offset);
    const at = new RegExp(`(?<![\\w$])\\$?${written}(?!\\w)`).exec(typeof name === "string" ? from : text.slice(name.loc.start.offset));
    const base = typeof name === "string" ? node.loc.start.offset : name.loc.start.offset;
    const line = text.slice(0, base + (at ? at.index : 0)).split("\n").length;
    console.log(JSON.stringify({ path, name: written, line, kind }));
  };
  const visit = (node, top) => {
    if (Array.isArray(node)) return node.forEach((child) => visit(child, top));
    if (!node || typeof node.kind !== "string") return undefined;
    const kind = node.kind;
    if (kind in TYPES && node.name) emit(node.name, node, TYPES[kind]);
    else if (kind === "function" && node.name) emit(node.name, node, "function");
    else if (kind === "method") {
      emit(node.name, node, "method");
      for (const one of node.arguments) if (one.flags) emit(one.name, one, "property");
    } else if (kind === "property") emit(node.name, node, "property");
    else if (kind === "constant") emit(node.name, node, "constant");
    else if (kind === "enumcase") emit(node.name, node, "constant");
    else if (kind === "expressionstatement" && top) {
      const one = node.expression;
      if (one.kind === "assign" && one.left.kind === "variable" && ["closure", "arrowfunc"].includes(one.right.kind)) {
        emit(one.left.name, one.left, "function");
      }
    }
    if (kind === "call" && node.what.name && String(node.what.name).toLowerCase() === "define" && node.arguments[0].kind === "string") {
      emit(node.arguments[0].value, node.arguments[0], "constant");
    }
    const opens = kind === "program" || kind === "namespace";
    for (const key of Object.keys(node)) {
      if (key !== "loc" && node[key] && typeof node[key] === "object") visit(node[key], top && opens ? true : false);
    }
    return undefined;
  };
  const program = (node) => node.children.forEach((child) => (child.kind === "namespace" ? program(child) : visitTop(child)));
  const visitTop = (child) => visit(child, true);
  program(tree);
}

for (const path of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) list(path);
