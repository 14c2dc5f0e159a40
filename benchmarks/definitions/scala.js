// Lists the definitions that scalameta sees, as JSON lines {path, name, line, kind}.
// Usage: node scala.js < files > definitions.jsonl      (needs the `scalameta-parsers` package on NODE_PATH)
// By Satori's rules: types, methods, values of types and files, fields in headers, enum cases; no locals.
"use strict";
const fs = require("fs");
const { parseSource } = require("scalameta-parsers");

const TYPES = { "Defn.Class": "class", "Defn.Object": "class", "Defn.Trait": "trait", "Defn.Enum": "enum", "Pkg.Object": "module" };
const VALUES = new Set(["Defn.Val", "Defn.Var", "Decl.Val", "Decl.Var"]);
const OPENS = new Set(["Source", "Pkg", "Template", "Template.Body", "Pkg.Body", ...Object.keys(TYPES)]);

function list(path) {
  const text = fs.readFileSync(path, "utf8");
  let tree = parseSource(text);
  if (tree.error) tree = parseSource(text, "Scala3");
  if (tree.error) {
    console.log(JSON.stringify({ path, failed: String(tree.error) }));
    return;
  }
  const emit = (node, kind) => {
    const line = text.slice(0, node.pos.start).split("\n").length;
    console.log(JSON.stringify({ path, name: node.value.replace(/`/g, ""), line, kind }));
  };
  const bound = (pattern) => {
    if (pattern.type === "Pat.Var") emit(pattern.name, "property");
    else if (pattern.type === "Pat.Tuple") pattern.args.forEach(bound);
  };
  const visit = (node, values) => {
    if (Array.isArray(node)) return node.forEach((child) => visit(child, values));
    if (!node || typeof node.type !== "string") return undefined;
    const type = node.type;
    if (type in TYPES) {
      emit(node.name, TYPES[type]);
      const clauses = node.ctor ? node.ctor.paramClauses || node.ctor.paramss || [] : [];
      const isCase = (node.mods || []).some((one) => one.type === "Mod.Case");
      clauses.forEach((clause, index) => {
        for (const one of clause.values || clause) {
          const field = (one.mods || []).some((mod) => ["Mod.ValParam", "Mod.VarParam"].includes(mod.type));
          if (field || (isCase && index === 0)) emit(one.name, "property");
        }
      });
    } else if (type === "Defn.Def" || type === "Decl.Def") emit(node.name, "method");
    else if (type === "Ctor.Secondary") console.log(JSON.stringify({ path, name: "this", line: text.slice(0, text.indexOf("this", node.pos.start)).split("\n").length, kind: "method" }));
    else if (type === "Defn.Type" || type === "Decl.Type") emit(node.name, "type");
    else if (VALUES.has(type) && values) node.pats.forEach(bound);
    else if (type === "Defn.Given" && node.name && node.name.value) emit(node.name, "property");
    else if (type === "Defn.EnumCase") emit(node.name, "constant");
    else if (type === "Defn.RepeatedEnumCase") node.cases.forEach((one) => emit(one, "constant"));
    const open = OPENS.has(type) || type === "Term.NewAnonymous";
    for (const key of Object.keys(node)) {
      if (key !== "pos" && node[key] && typeof node[key] === "object") visit(node[key], open);
    }
    return undefined;
  };
  visit(tree, true);
}

for (const path of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) list(path);
