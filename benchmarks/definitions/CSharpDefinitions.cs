using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text.RegularExpressions;

/// Lists the definitions that the parser of mcs sees, as JSON lines {path, name, line, kind}.
///
///     mcs -out:definitions.exe benchmarks/definitions/CSharpDefinitions.cs
///     mono definitions.exe MCS_EXE < files > definitions.jsonl
///
/// By Satori's rules: namespaces, types, members, every declarator. A file is parsed with no symbol of its conditions
/// defined, with all, with each alone and with all but each; one that does not parse with none or all has failed. The
/// parser does not know local functions.
class CSharpDefinitions {
	const BindingFlags All = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
	static Assembly mcs;
	static string[] text;

	static Type T (string name) { return mcs.GetType ("Mono.CSharp." + name, true); }

	static object Get (object of, string name) {
		for (var t = of == null ? null : of.GetType (); t != null; t = t.BaseType) {
			var f = t.GetField (name, All);
			if (f != null) return f.GetValue (of);
			var p = t.GetProperty (name, All);
			if (p != null) return p.GetValue (of, null);
		}
		return null;
	}

	static void Main (string[] args) {
		mcs = Assembly.LoadFrom (args [0]);
		string path;
		while ((path = Console.ReadLine ()) != null) {
			var symbols = Regex.Matches (File.ReadAllText (path), @"^[ \t]*#[ \t]*(?:el)?if\b(.*)$", RegexOptions.Multiline).Cast<Match> ()
				.SelectMany (m => Regex.Matches (m.Groups [1].Value, @"\w+").Cast<Match> ().Select (w => w.Value))
				.Where (w => w != "true" && w != "false").Distinct ().ToArray ();
			var found = new SortedSet<string> (StringComparer.Ordinal);
			text = File.ReadAllLines (path);
			var failed = !List (path, new string [0], found);
			if (symbols.Length > 0) failed |= !List (path, symbols, found);
			// Combinations: what does not parse in one of them adds nothing.
			foreach (var one in symbols) {
				List (path, new [] { one }, found);
				List (path, symbols.Where (other => other != one).ToArray (), found);
			}
			if (failed) Console.WriteLine ("{\"path\": " + Quoted (path) + ", \"failed\": \"syntax\"}");
			else foreach (var line in found) Console.WriteLine (line);
		}
	}

	static string Quoted (string text) { return "\"" + text.Replace ("\\", "\\\\").Replace ("\"", "\\\"") + "\""; }

	static bool List (string path, string[] symbols, SortedSet<string> found) {
		var arguments = new List<string> { "-target:library", "-langversion:latest", path };
		if (symbols.Length > 0) arguments.Add ("-d:" + string.Join (";", symbols));
		var parser = Activator.CreateInstance (T ("CommandLineParser"), All & ~BindingFlags.DeclaredOnly, null, new object [] { TextWriter.Null }, null);
		var settings = parser.GetType ().GetMethod ("ParseArguments", new [] { typeof (string []) }).Invoke (parser, new object [] { arguments.ToArray () });
		var printer = Activator.CreateInstance (T ("StreamReportPrinter"), TextWriter.Null);
		var context = Activator.CreateInstance (T ("CompilerContext"), settings, printer);
		var driver = Activator.CreateInstance (T ("Driver"), context);
		var module = Activator.CreateInstance (T ("ModuleContainer"), context);
		T ("RootContext").GetProperty ("ToplevelTypes", All).SetValue (null, module, null);
		T ("Location").GetMethod ("Reset", All).Invoke (null, null);
		driver.GetType ().GetMethods (All).First (m => m.Name == "Parse" && m.GetParameters ().Length == 1).Invoke (driver, new [] { module });
		if ((int) Get (Get (context, "Report"), "Errors") > 0) return false;
		Walk (module, path, found);
		return true;
	}

	static void Walk (object container, string path, SortedSet<string> found) {
		foreach (var inner in Items (container, "containers")) {
			var kind = inner.GetType ().Name;
			var name = Get (inner, "MemberName");
			if (name == null) { Walk (inner, path, found); continue; }
			if (kind == "NamespaceContainer" || kind == "CompilationSourceFile") Emit (Full (name), First (name), "namespace", path, found);
			else Emit ((string) Get (name, "Name"), Get (name, "Location"), kind.ToLowerInvariant (), path, found);
			Walk (inner, path, found);
		}
		foreach (var member in Items (container, "members")) {
			var kind = member.GetType ().Name;
			var name = Get (member, "MemberName");
			var said = (string) Get (name, "Name");
			if (kind == "Constructor") said = (string) Get (Get (container, "MemberName"), "Name");
			else if (kind == "Destructor") said = "~" + (string) Get (Get (container, "MemberName"), "Name");
			else if (kind == "Operator") said = Operator (Get (member, "Location"));
			else if (kind == "Indexer") said = "this";
			if (Get (member, "IsCompilerGenerated") is bool && (bool) Get (member, "IsCompilerGenerated")) continue;
			Emit (said, kind == "Operator" ? Get (member, "Location") : Get (name, "Location"), kind.ToLowerInvariant (), path, found);
			foreach (var more in Items (member, "declarators")) {
				var token = Get (more, "Name");
				Emit ((string) Get (token, "Value"), Get (token, "Location"), kind.ToLowerInvariant (), path, found);
			}
		}
	}

	static IEnumerable<object> Items (object of, string name) {
		var many = Get (of, name) as IEnumerable;
		return many == null ? new object [0] : many.Cast<object> ().ToArray ();
	}

	static string Full (object name) {
		var left = Get (name, "Left");
		return (left == null ? "" : Full (left) + ".") + (string) Get (name, "Name");
	}

	static object First (object name) {
		var left = Get (name, "Left");
		return left == null ? Get (name, "Location") : First (left);
	}

	/// The words of an operator as they are written.
	static string Operator (object location) {
		var row = (int) Get (location, "Row");
		var written = Regex.Match (text [row - 1] + (row < text.Length ? text [row] : ""), @"operator\s*([^(]*|\(\))\s*\(");
		return "operator " + Regex.Replace (written.Groups [1].Value, @"\s", "");
	}

	static void Emit (string name, object location, string kind, string path, SortedSet<string> found) {
		var row = (int) Get (location, "Row");
		if (name == null || name.Length == 0 || row < 1 || name [0] == '<') return;
		found.Add ("{\"path\": " + Quoted (path) + ", \"name\": " + Quoted (name) + ", \"line\": " + row + ", \"kind\": \"" + kind + "\"}");
	}
}
