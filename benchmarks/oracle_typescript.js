// The TypeScript checker's answer for each call: path, byte of the callee's name, target path or <external>, byte of its name, name.
// usage: node ts_sites.js OUT ROOT allowJs(0/1) FILELIST
const ts = require('typescript'), fs = require('fs'), path = require('path');
const [, , out, root, js, list] = process.argv;
const files = fs.readFileSync(list, 'utf8').trim().split('\n').map(f => path.resolve(root, f));
const options = { allowJs: js == '1', checkJs: js == '1', noEmit: true, target: 99, module: js == '1' ? 1 : 99, moduleResolution: js == '1' ? 2 : 100, strict: false, skipLibCheck: true, types: [], esModuleInterop: true };
if (process.argv[6]) { const p = JSON.parse(fs.readFileSync(process.argv[6])); Object.assign(options, p); }
const program = ts.createProgram(files, options), checker = program.getTypeChecker(), known = new Set(files), rows = [];
const byte = (f, at) => Buffer.byteLength(f.text.slice(0, at)) + (f.__bom ? 3 : 0);
for (const f of program.getSourceFiles()) {
  if (!known.has(f.fileName)) continue;
  const raw = fs.readFileSync(f.fileName); f.__bom = raw[0] === 0xef && raw[1] === 0xbb;
}
for (const f of program.getSourceFiles()) {
  if (!known.has(f.fileName)) continue;
  const visit = n => {
    if (ts.isCallExpression(n) || ts.isNewExpression(n)) {
      let e = n.expression; while (ts.isNonNullExpression(e) || ts.isParenthesizedExpression(e)) e = e.expression;
      const name = ts.isPropertyAccessExpression(e) ? e.name : ts.isIdentifier(e) ? e : null;
      if (name) {
        let s = checker.getSymbolAtLocation(name);
        if (s && s.flags & ts.SymbolFlags.Alias) s = checker.getAliasedSymbol(s);
        let d = null;
        if (s) { const ds = s.declarations || []; d = ds.find(x => x.body || ts.isClassDeclaration(x)) || s.valueDeclaration || ds[0]; }
        if (d) {
          const df = d.getSourceFile(), nm = d.name || d, inside = known.has(df.fileName);
          let at = nm.getStart();
          if (ts.isBinaryExpression(d) && ts.isPropertyAccessExpression(d.left)) at = d.left.name.getStart();
          if (ts.isPropertyAccessExpression(d)) at = d.name.getStart();
          if (ts.isFunctionExpression(d) && !d.name && d.parent && d.parent.name) at = d.parent.name.getStart();
          rows.push([path.relative(root, f.fileName), byte(f, name.getStart()), inside ? path.relative(root, df.fileName) : '<external>', inside ? byte(df, at) : -1, name.text].join('\t'));
        }
      }
    }
    ts.forEachChild(n, visit);
  };
  visit(f);
}
fs.writeFileSync(out, rows.join('\n') + '\n'); console.log(rows.length, 'sites', known.size, 'files');
