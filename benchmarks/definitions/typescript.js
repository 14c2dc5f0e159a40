// Lists the definitions that TypeScript's own parser sees, as JSON lines {path, name, line, kind}.
// Usage: node typescript.js FILE... (or names on standard input) > definitions.jsonl
// Needs the `typescript` package on NODE_PATH. Lists by Satori's rules: functions however named, classes, members, types,
// module-level values, tests; no locals, no imports.
"use strict";
const fs = require("fs");
const ts = require("typescript");

const K = ts.SyntaxKind;
const FUNCTIONS = new Set([K.ArrowFunction, K.FunctionExpression]);
const TESTS = /^(describe|suite|context|it|test|specify|bench)$/;

function isFunction(node) {
  return Boolean(node) && FUNCTIONS.has(node.kind);
}

function list(path) {
  const text = fs.readFileSync(path, "utf8");
  const markup = path.endsWith(".tsx") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const kind = /\.(jsx?|mjs|cjs)$/.test(path) ? ts.ScriptKind.JSX : markup;
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);

  const emitAt = (position, name, what) => {
    const line = source.getLineAndCharacterOfPosition(position).line + 1;
    console.log(JSON.stringify({ path, name, line, kind: what }));
  };
  const emit = (name, what) => {
    const written = name.text !== undefined ? name.getText(source).replace(/^['"`]|['"`]$/g, "") : name.getText(source);
    emitAt(name.getStart(source), written, what);
  };
  const named = (name) => name && !ts.isComputedPropertyName(name) && !ts.isNumericLiteral(name);
  const names = (pattern, act) => {
    if (ts.isIdentifier(pattern)) act(pattern);
    else for (const element of pattern.elements) if (element.name) names(element.name, act);
  };
  const isRequire = (value) => value && /^(await import|require)\s*\(\s*[^()]*\)(\.[\w.]+)?$/.test(value.getText(source));
  const holdsFunction = (literal) =>
    literal.properties.some(
      (one) => ts.isMethodDeclaration(one) || ts.isAccessor(one) || (ts.isPropertyAssignment(one) && isFunction(one.initializer)),
    );
  const into = (node, place) => ts.forEachChild(node, (child) => visit(child, place));

  // place.top: values here are the module's; place.owner: what holds a literal's functions.
  function visit(node, place) {
    const inFunction = { top: false, owner: "function" };
    switch (node.kind) {
      case K.FunctionDeclaration:
        if (node.name) emit(node.name, "function");
        return into(node, node.name ? inFunction : { top: false, owner: place.owner });
      case K.Constructor: {
        emitAt(text.indexOf("constructor", node.getStart(source)), "constructor", "method");
        for (const one of node.parameters)
          if (ts.isParameterPropertyDeclaration(one, node)) emit(one.name, "property");
        return into(node, inFunction);
      }
      case K.ClassDeclaration:
        if (node.name) emit(node.name, "class");
        return into(node, { top: false, owner: "class" });
      case K.ClassExpression:
        return into(node, { top: false, owner: "class" });
      case K.MethodDeclaration:
      case K.GetAccessor:
      case K.SetAccessor:
        if (named(node.name)) emit(node.name, "method");
        return into(node, inFunction);
      case K.MethodSignature:
        if (named(node.name) && (node.parent.kind !== K.TypeLiteral || ts.isTypeAliasDeclaration(node.parent.parent))) {
          emit(node.name, "method");
        }
        break;
      case K.PropertyDeclaration:
        if (named(node.name)) emit(node.name, "property");
        return into(node, isFunction(node.initializer) ? inFunction : { top: false, owner: "value" });
      case K.PropertySignature: {
        const holder = node.parent;
        const counts = ts.isInterfaceDeclaration(holder) || (ts.isTypeLiteralNode(holder) && ts.isTypeAliasDeclaration(holder.parent));
        if (named(node.name) && counts) emit(node.name, "property");
        break;
      }
      case K.InterfaceDeclaration:
        emit(node.name, "interface");
        break;
      case K.TypeAliasDeclaration:
        emit(node.name, "type");
        break;
      case K.EnumDeclaration:
        emit(node.name, "enum");
        break;
      case K.EnumMember:
        if (named(node.name)) emit(node.name, "constant");
        break;
      case K.ModuleDeclaration:
        if (node.name.text !== "global") emit(node.name, "namespace");
        return into(node, place);
      case K.ModuleBlock:
      case K.SourceFile:
        return into(node, { top: true, owner: place.owner });
      case K.ExportAssignment: {
        const value = node.expression;
        if (!node.isExportEquals && !ts.isIdentifier(value)) {
          if (value.name) emit(value.name, "function");
          else emitAt(text.indexOf("default", node.getStart(source)), "default", "constant");
          return into(node, isFunction(value) ? inFunction : { top: false, owner: "value" });
        }
        break;
      }
      case K.VariableStatement: {
        for (const one of node.declarationList.declarations) {
          const value = one.initializer;
          const held = isFunction(value) || (value && value.kind === K.ClassExpression);
          const counts = (place.top || held) && !isRequire(value);
          if (counts) names(one.name, (name) => emit(name, held ? "function" : "constant"));
          into(one, isFunction(value) ? inFunction : { top: false, owner: counts ? "value" : place.owner });
        }
        return undefined;
      }
      case K.PropertyAssignment: {
        const value = node.initializer;
        if (!named(node.name)) break;
        if (isFunction(value)) {
          if (place.owner !== "function") emit(node.name, "function");
          return into(node, place.owner !== "function" ? inFunction : place);
        }
        if (ts.isObjectLiteralExpression(value) && holdsFunction(value) && place.owner !== "function") emit(node.name, "property");
        break;
      }
      case K.ExpressionStatement:
        if (assigned(node, place)) return undefined;
        if (tested(node, place)) return undefined;
        break;
      case K.FunctionExpression:
        if (node.name && ts.isCallExpression(node.parent) && node.parent.arguments.includes(node)) {
          emit(node.name, "function");
          return into(node, inFunction);
        }
        break;
    }
    return into(node, { top: false, owner: place.owner });
  }

  // `exports.f = ...`, `Foo.prototype.f = function`; returns whether it was one.
  function assigned(statement, place) {
    const targets = [];
    let value = statement.expression;
    while (ts.isBinaryExpression(value) && value.operatorToken.kind === K.EqualsToken) {
      targets.push(value.left);
      value = value.right;
    }
    const members = targets.filter(ts.isPropertyAccessExpression);
    if (!members.length) return false;
    const held = isFunction(value) || value.kind === K.ClassExpression;
    let counted = false;
    for (const member of members) {
      const holder = member.expression.getText(source);
      const whole = member.getText(source) === "module.exports";
      const exported = whole || holder === "exports" || holder === "module.exports";
      const own = !ts.isIdentifier(value) && !ts.isPropertyAccessExpression(value) && !isRequire(value);
      if (!held && !(place.top && exported && own && !whole)) continue;
      if (whole) {
        if (value.name) emit(value.name, "function");
        counted = counted || Boolean(value.name);
        continue;
      }
      emit(member.name, held ? "method" : "constant");
      counted = true;
    }
    if (counted) into(value, isFunction(value) ? { top: false, owner: "function" } : { top: false, owner: "value" });
    return counted;
  }

  // `it("...", fn)`, `describe.each(table)("...", fn)`.
  function tested(statement, place) {
    const call = statement.expression;
    if (!ts.isCallExpression(call) || !call.arguments.length || !ts.isStringLiteralLike(call.arguments[0])) {
      if (!ts.isCallExpression(call) || !call.arguments.length || !ts.isTemplateExpression(call.arguments[0])) return false;
    }
    let root = call.expression;
    while (ts.isCallExpression(root) || ts.isPropertyAccessExpression(root)) root = root.expression;
    if (!ts.isIdentifier(root) || !TESTS.test(root.text) || !isFunction(call.arguments[1])) return false;
    emit(call.arguments[0], "test");
    into(call, /^(describe|suite|context)$/.test(root.text) ? place : { top: false, owner: "function" });
    return true;
  }

  visit(source, { top: true, owner: "file" });
}

const given = process.argv.slice(2);
for (const path of given.length ? given : fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) list(path);
