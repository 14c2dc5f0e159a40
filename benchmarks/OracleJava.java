// Which definition each Java call binds to, as javac attributes it: the oracle of benchmarks.callgraph for Java.
//
//   java --add-exports jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED benchmarks/OracleJava.java OUT ROOT DIR... [-- OPTION...]
//
// Every .java file below the directories (paths relative to ROOT, "." for all of it) is compiled in one task; the options
// go to javac (`-cp JARS`). Lines are those that `benchmarks.oracles` reads as "sites": path, byte of the callee's name,
// path and byte of the definition's name (`<external>` and -1 for what is outside), name; tabs between. A constructor
// that is not written is its type; so is that of an anonymous class. Errors (missing libraries) leave calls out.

import com.sun.source.tree.*;
import com.sun.source.util.*;
import com.sun.tools.javac.tree.JCTree;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.regex.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.tools.*;

public class OracleJava {
  /** javac's flag of constructors that nobody wrote. */
  static final long GENERATED = 1L << 36;

  static Path root;
  static Trees trees;
  static final Map<String, int[]> bytes = new HashMap<>();
  static final Map<String, String> texts = new HashMap<>();

  public static void main(String[] arguments) throws Exception {
    root = Paths.get(arguments[1]).toRealPath();
    List<File> files = new ArrayList<>();
    List<String> options =
        new ArrayList<>(List.of("-proc:none", "-XDshould-stop.ifError=FLOW", "-nowarn", "-Xmaxerrs", "100000"));
    int at = 2;
    for (; at < arguments.length && !arguments[at].equals("--"); at++) {
      try (Stream<Path> found = Files.walk(root.resolve(arguments[at]).normalize())) {
        found
            .filter(path -> path.toString().endsWith(".java") && Files.isRegularFile(path))
            .filter(path -> !path.endsWith("module-info.java") && !path.endsWith("package-info.java"))
            .sorted()
            .forEach(path -> files.add(path.toFile()));
      }
    }
    for (at++; at < arguments.length; at++) options.add(arguments[at]);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
    DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
    JavacTask task =
        (JavacTask)
            compiler.getTask(null, manager, diagnostics, options, null, manager.getJavaFileObjectsFromFiles(files));
    List<CompilationUnitTree> units = new ArrayList<>();
    for (CompilationUnitTree unit : task.parse()) units.add(unit);
    task.analyze();
    trees = Trees.instance(task);
    int[] counts = new int[2];
    try (PrintWriter out = new PrintWriter(new FileWriter(arguments[0], StandardCharsets.UTF_8))) {
      for (CompilationUnitTree unit : units) new Scanner(unit, out, counts).scan(unit, null);
    }
    long errors = diagnostics.getDiagnostics().stream().filter(d -> d.getKind() == Diagnostic.Kind.ERROR).count();
    System.out.println(files.size() + " files, " + counts[0] + " calls, " + counts[1] + " not attributed, " + errors + " errors");
  }

  static String pathOf(CompilationUnitTree unit) {
    return root.relativize(Paths.get(unit.getSourceFile().toUri())).toString();
  }

  static String textOf(CompilationUnitTree unit) {
    return texts.computeIfAbsent(
        pathOf(unit),
        path -> {
          try {
            return unit.getSourceFile().getCharContent(true).toString();
          } catch (IOException error) {
            throw new UncheckedIOException(error);
          }
        });
  }

  /** The byte that a character of the file begins at. */
  static int byteOf(CompilationUnitTree unit, int position) {
    int[] known =
        bytes.computeIfAbsent(
            pathOf(unit),
            path -> {
              String text = textOf(unit);
              int[] offsets = new int[text.length() + 1];
              int total = 0;
              for (int i = 0; i < text.length(); i++) {
                offsets[i] = total;
                char c = text.charAt(i);
                total += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
              }
              offsets[text.length()] = total;
              return offsets;
            });
    return known[position];
  }

  static class Scanner extends TreePathScanner<Void, Void> {
    final CompilationUnitTree unit;
    final PrintWriter out;
    final int[] counts;

    Scanner(CompilationUnitTree unit, PrintWriter out, int[] counts) {
      this.unit = unit;
      this.out = out;
      this.counts = counts;
    }

    void write(Tree callee, String name, Element element) {
      counts[0]++;
      int end = (int) trees.getSourcePositions().getEndPosition(unit, callee);
      if (element == null || element.asType().getKind() == javax.lang.model.type.TypeKind.ERROR || end < 0) {
        counts[1]++;
        return;
      }
      String text = textOf(unit);
      int start = text.lastIndexOf(name, end - name.length());
      String target = "<external>";
      int place = -1;
      TreePath path = trees.getPath(element);
      if (path != null && element.getKind() == ElementKind.CONSTRUCTOR) {
        JCTree.JCMethodDecl made =
            path.getLeaf() instanceof JCTree.JCMethodDecl ? (JCTree.JCMethodDecl) path.getLeaf() : null;
        if (made == null || (made.mods.flags & GENERATED) != 0) path = trees.getPath(element.getEnclosingElement());
      }
      if (path != null) {
        target = pathOf(path.getCompilationUnit());
        place = nameAt(path, element);
      }
      int site = byteOf(unit, start);
      out.println(pathOf(unit) + "\t" + site + "\t" + target + "\t" + place + "\t" + name);
    }

    static int nameAt(TreePath path, Element element) {
      Tree leaf = path.getLeaf();
      CompilationUnitTree unit = path.getCompilationUnit();
      if (leaf instanceof JCTree.JCMethodDecl) return byteOf(unit, ((JCTree.JCMethodDecl) leaf).pos);
      if (!(leaf instanceof ClassTree)) return -1;
      ClassTree type = (ClassTree) leaf;
      String text = textOf(unit);
      int from = (int) trees.getSourcePositions().getEndPosition(unit, type.getModifiers());
      if (from < 0) from = (int) trees.getSourcePositions().getStartPosition(unit, type);
      Matcher found =
          Pattern.compile("\\b(?:class|interface|enum|record)\\s+(" + Pattern.quote(type.getSimpleName().toString()) + ")\\b")
              .matcher(text);
      return found.find(from) ? byteOf(unit, found.start(1)) : -1;
    }

    @Override
    public Void visitNewClass(NewClassTree node, Void nothing) {
      ExpressionTree named = node.getIdentifier();
      Element element = trees.getElement(getCurrentPath());
      while (named instanceof ParameterizedTypeTree) named = (ExpressionTree) ((ParameterizedTypeTree) named).getType();
      while (named instanceof AnnotatedTypeTree) named = ((AnnotatedTypeTree) named).getUnderlyingType();
      if (trees.getSourcePositions().getStartPosition(unit, node) >= 0 && isWritten(node)) {
        if (node.getClassBody() != null) element = trees.getElement(new TreePath(getCurrentPath(), node.getIdentifier()));
        String name =
            named instanceof MemberSelectTree ? ((MemberSelectTree) named).getIdentifier().toString() : named.toString();
        write(named, name, element);
      }
      return super.visitNewClass(node, nothing);
    }

    /** Whether it is written with `new`; an enum's constants are constructions too. */
    boolean isWritten(NewClassTree node) {
      Tree parent = getCurrentPath().getParentPath().getLeaf();
      if (!(parent instanceof VariableTree)) return true;
      int start = ((JCTree.JCNewClass) node).getStartPosition();
      String text = textOf(unit);
      return start >= 0 && (text.startsWith("new", start) || node.getEnclosingExpression() != null);
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree node, Void nothing) {
      ExpressionTree callee = node.getMethodSelect();
      Element element = trees.getElement(new TreePath(getCurrentPath(), callee));
      String name =
          callee instanceof MemberSelectTree
              ? ((MemberSelectTree) callee).getIdentifier().toString()
              : ((IdentifierTree) callee).getName().toString();
      boolean written = trees.getSourcePositions().getEndPosition(unit, callee) >= 0;
      if (written && (element == null || element instanceof ExecutableElement)) write(callee, name, element);
      return super.visitMethodInvocation(node, nothing);
    }
  }
}
