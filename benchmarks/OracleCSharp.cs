using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;

/// The Mono compiler's answer for each call of a C# tree, in the format "entities" of benchmarks.oracles.
///
///     mcs -out:oracle.exe benchmarks/OracleCSharp.cs
///     mono oracle.exe MCS_EXE OUT ROOT MCS_ARGUMENTS...
///
/// It lets mcs.exe compile, then walks the resolved syntax trees that the compiler keeps, by reflection. Calls that the
/// compiler makes by itself (operators, properties, foreach, implicit constructors) are not written down.
class OracleCSharp {
	const BindingFlags All = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
	static Assembly mcs;
	static string root;
	static readonly Dictionary<Type, FieldInfo[]> fields = new Dictionary<Type, FieldInfo[]> ();
	static readonly Dictionary<string, string[]> lines = new Dictionary<string, string[]> ();
	static readonly SortedDictionary<string, HashSet<string>> found = new SortedDictionary<string, HashSet<string>> (StringComparer.Ordinal);
	static readonly HashSet<object> seen = new HashSet<object> (new ByReference ());
	static readonly Queue<object> waiting = new Queue<object> ();
	static readonly Dictionary<string, int> counts = new Dictionary<string, int> ();

	class ByReference : IEqualityComparer<object> {
		bool IEqualityComparer<object>.Equals (object a, object b) { return ReferenceEquals (a, b); }
		int IEqualityComparer<object>.GetHashCode (object a) { return RuntimeHelpers.GetHashCode (a); }
	}

	static Type T (string name) { return mcs.GetType ("Mono.CSharp." + name, true); }

	static object Get (object of, string name) {
		for (var t = of.GetType (); t != null; t = t.BaseType) {
			var f = t.GetField (name, All);
			if (f != null) return f.GetValue (of);
			var p = t.GetProperty (name, All);
			if (p != null) return p.GetValue (of, null);
		}
		return null;
	}

	static int Main (string[] args) {
		mcs = Assembly.LoadFrom (args [0]);
		root = Path.GetFullPath (args [2]).TrimEnd ('/') + "/";
		var parser = Activator.CreateInstance (T ("CommandLineParser"), All & ~BindingFlags.DeclaredOnly, null, new object [] { Console.Out }, null);
		var settings = parser.GetType ().GetMethod ("ParseArguments", new [] { typeof (string []) }).Invoke (parser, new object [] { args.Skip (3).ToArray () });
		var printer = Activator.CreateInstance (T ("ConsoleReportPrinter"));
		var context = Activator.CreateInstance (T ("CompilerContext"), settings, printer);
		var driver = Activator.CreateInstance (T ("Driver"), context);
		var module = Compile (driver, context, settings);
		waiting.Enqueue (module);
		foreach (var block in blocks) Add (block);
		while (waiting.Count > 0) Visit (waiting.Dequeue ());
		using (var o = new StreamWriter (args [1]))
			foreach (var pair in found)
				if (pair.Value.Count == 1) o.WriteLine (pair.Key + "\t" + pair.Value.First ());
		foreach (var pair in counts.OrderBy (p => p.Key)) Console.WriteLine (pair.Key + " " + pair.Value);
		Console.WriteLine ("{0} errors, {1} sites", Get (Get (context, "Report"), "Errors"), found.Count);
		return 0;
	}

	static readonly List<object> blocks = new List<object> ();

	static object Call (object of, string name, params object[] with) {
		for (var t = of.GetType (); t != null; t = t.BaseType)
			foreach (var m in t.GetMethods (All))
				if (m.Name == name && m.GetParameters ().Length == with.Length) return m.Invoke (of, with);
		throw new MissingMethodException (of.GetType ().Name, name);
	}

	/// What Driver.Compile does, with a stop after parsing: later the compiler lets go of the methods' blocks.
	static object Compile (object driver, object context, object settings) {
		var module = Activator.CreateInstance (T ("ModuleContainer"), context);
		T ("RootContext").GetProperty ("ToplevelTypes", All).SetValue (null, module, null);
		Call (driver, "Parse", module);
		waiting.Enqueue (module);
		collecting = true;
		while (waiting.Count > 0) Visit (waiting.Dequeue ());
		collecting = false;
		blocks.AddRange (seen.Where (x => x.GetType ().Name.EndsWith ("Block") || x.GetType ().Name == "LambdaExpression"));
		seen.Clear ();
		var file = (string) Get (settings, "OutputFile");
		var importer = Activator.CreateInstance (T ("StaticImporter"), module);
		var loader = Activator.CreateInstance (T ("StaticLoader"), importer, context);
		var assembly = Activator.CreateInstance (T ("AssemblyDefinitionStatic"), module, loader, Path.GetFileName (file), file);
		assembly.GetType ().BaseType.GetProperty ("Importer", All).SetValue (assembly, importer, null);
		Call (module, "SetDeclaringAssembly", assembly);
		loader.GetType ().GetProperty ("CompiledAssembly", All).SetValue (loader, assembly, null);
		Call (loader, "LoadReferences", module);
		Call (Get (context, "BuiltinTypes"), "CheckDefinitions", module);
		Call (assembly, "Create", Get (loader, "Domain"));
		Call (module, "CreateContainer");
		Call (loader, "LoadModules", assembly, Get (module, "GlobalRootNamespace"));
		Call (module, "InitializePredefinedTypes");
		Call (module, "Define");
		Call (assembly, "Resolve");
		Call (assembly, "Emit");
		return module;
	}

	static bool collecting;

	static void Count (string what) { int n; counts.TryGetValue (what, out n); counts [what] = n + 1; }

	static void Visit (object item) {
		var type = item.GetType ();
		if (!collecting) switch (type.Name) {
		case "Invocation": Called (item); break;
		case "New": case "NewInitialize": Made (item); break;
		case "ConstructorBaseInitializer": case "ConstructorThisInitializer": Initializer (item, type.Name); break;
		}
		if (item is string) return;
		var many = item as IEnumerable;
		if (many != null) {
			foreach (var one in many) Add (one);
			if (type.Namespace != "Mono.CSharp") return;
		}
		FieldInfo[] own;
		if (!fields.TryGetValue (type, out own)) {
			var list = new List<FieldInfo> ();
			for (var t = type; t != null && t.Namespace == "Mono.CSharp"; t = t.BaseType)
				list.AddRange (t.GetFields (All & ~BindingFlags.Static).Where (f => Wanted (f.FieldType)));
			own = fields [type] = list.ToArray ();
		}
		foreach (var f in own) Add (f.GetValue (item));
	}

	static bool Wanted (Type t) {
		if (t.IsPrimitive || t.IsEnum || t == typeof (string) || t.IsPointer) return false;
		return t.Namespace == "Mono.CSharp" || t.Namespace == "System.Collections.Generic" || t.IsArray || t == typeof (object);
	}

	static void Add (object one) {
		if (one == null || one is string) return;
		var t = one.GetType ();
		if (t.IsPrimitive || t.IsEnum) return;
		if (t.IsGenericType && t.Name.StartsWith ("KeyValuePair")) { Add (t.GetProperty ("Key").GetValue (one, null)); Add (t.GetProperty ("Value").GetValue (one, null)); return; }
		if (t.Namespace == "Mono.CSharp") {
			if (t.Name.EndsWith ("Spec") || t.Name == "MemberCache" || t.Name.EndsWith ("Importer") || t.Name == "Report" || t.Name == "Location") return;
		} else if (!(one is IEnumerable)) return;
		if (seen.Add (one)) waiting.Enqueue (one);
	}

	static void Called (object call) {
		var group = Get (call, "mg");
		if (group == null) { Count ("call without a method"); return; }
		var spec = Get (group, "BestCandidate") ?? Get (group, "best_candidate");
		if (spec == null) { Count ("call without a candidate"); return; }
		var name = (string) Get (spec, "Name");
		Write (Get (group, "loc"), name, spec, "call", Nearest (spec, Get (group, "InstanceExpression")));
	}

	/// The compiler names the method that is overridden; what the receiver's static type makes of it stands before that.
	static object Nearest (object spec, object instance) {
		var type = instance == null ? null : Get (instance, "Type");
		var name = (string) Get (spec, "Name");
		var taken = Signature (Get (spec, "Parameters"));
		for (; type != null && type != Get (spec, "DeclaringType"); type = Get (type, "BaseType")) {
			var holder = Get (type, "MemberDefinition");
			if (holder == null || holder.GetType ().Namespace != "Mono.CSharp") continue;
			var members = Get (holder, "Members") as IEnumerable;
			if (members == null) continue;
			foreach (var member in members) {
				if (member.GetType ().Name != "Method" || (string) Get (Get (member, "MemberName"), "Name") != name) continue;
				if (!Get (member, "ModFlags").ToString ().Contains ("OVERRIDE")) continue;
				if (Signature (Get (member, "ParameterInfo")) == taken) return member;
			}
		}
		return null;
	}

	static string Signature (object parameters) {
		return parameters == null ? "" : (string) Call (parameters, "GetSignatureForError");
	}

	static void Made (object made) {
		var spec = Get (made, "method");
		var requested = Get (made, "RequestedType");
		if (spec == null || requested == null) { Count ("new without a constructor"); return; }
		var type = Get (spec, "DeclaringType");
		Write (Get (requested, "loc"), (string) Get (type, "Name"), spec, "new");
	}

	static void Initializer (object made, string kind) {
		var spec = Get (made, "base_ctor");
		var at = Get (made, "loc");
		if (spec == null || at == null) return;
		Write (at, kind == "ConstructorBaseInitializer" ? "base" : "this", spec, kind);
	}

	static void Write (object location, string name, object spec, string kind, object nearest = null) {
		string path; long at;
		if (location == null || !Place (location, name, out path, out at)) { Count (kind + " elsewhere"); return; }
		Count (kind);
		var targets = Targets (spec);
		string where; long start;
		if (nearest != null && Place (Get (nearest, "Location"), name, out where, out start))
			targets = where + ":" + start + (targets == "<external>" ? "" : "|" + targets);
		HashSet<string> all;
		var key = path + "\t" + at;
		if (!found.TryGetValue (key, out all)) found [key] = all = new HashSet<string> ();
		all.Add (targets + "\t" + name);
	}

	/// Where a name stands: false when something else stands there.
	static bool Place (object location, string name, out string path, out long at) {
		path = null; at = -1;
		var file = Get (location, "NameFullPath") as string;
		var row = (int) Get (location, "Row");
		var column = (int) Get (location, "Column");
		if (file == null) return false;
		file = Path.GetFullPath (file);
		if (!file.StartsWith (root) || row < 1 || column < 1) return false;
		string[] all;
		if (!lines.TryGetValue (file, out all)) lines [file] = all = File.ReadAllText (file, new UTF8Encoding (false)).Split ('\n');
		if (row > all.Length) return false;
		var line = all [row - 1];
		if (name != null && (column - 1 + name.Length > line.Length || line.Substring (column - 1, name.Length) != name)) return false;
		path = file.Substring (root.Length);
		at = Encoding.UTF8.GetByteCount (line.Substring (0, Math.Min (column - 1, line.Length)));
		for (var i = 0; i < row - 1; i++) at += Encoding.UTF8.GetByteCount (all [i]) + 1;
		using (var f = File.OpenRead (file)) if (f.ReadByte () == 0xEF && f.ReadByte () == 0xBB) at += 3;
		return true;
	}

	static string Targets (object spec) {
		var definition = Get (spec, "MemberDefinition");
		if (definition == null || definition.GetType ().Namespace != "Mono.CSharp") return "<external>";
		var name = (string) Get (spec, "Name");
		var constructor = name == ".ctor";
		var type = Get (spec, "DeclaringType");
		var places = new List<string> ();
		string path; long at;
		var said = constructor ? (string) Get (type, "Name") : name;
		var location = Get (definition, "Location");
		if (location != null && Place (location, said, out path, out at)) places.Add (path + ":" + at);
		if (constructor) {
			var holder = Get (type, "MemberDefinition");
			foreach (var part in Parts (holder)) {
				var where = Get (part, "Location");
				if (where != null && Place (where, said, out path, out at)) places.Add (path + ":" + at);
			}
		}
		return places.Count > 0 ? string.Join ("|", places.Distinct ().ToArray ()) : "<external>";
	}

	static IEnumerable<object> Parts (object holder) {
		if (holder == null) yield break;
		yield return holder;
		var parts = Get (holder, "partial_parts") as IEnumerable;
		if (parts != null) foreach (var part in parts) yield return part;
	}
}
