import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import javax.lang.model.element.Modifier;
import javax.tools.*;

/**
 * Lists the definitions that javac's own parser sees, as JSON lines {path, name, line, kind}.
 * Usage: java JavaDefinitions.java < files > definitions.jsonl
 * By Satori's rules: types, methods, constructors, fields, enum constants, record components; no locals.
 */
public class JavaDefinitions {
    public static void main(String[] arguments) throws IOException {
        List<File> files = new ArrayList<>();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = input.readLine()) != null; ) files.add(new File(line));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (File file : files) {
            JavacTask task = (JavacTask) compiler.getTask(
                new StringWriter(), manager, d -> {}, List.of("-proc:none"), null, manager.getJavaFileObjects(file));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) new Lister(unit, positions, file.getPath(), out).scan(unit, null);
        }
        out.flush();
    }

    static final class Lister extends TreePathScanner<Void, Void> {
        final CompilationUnitTree unit;
        final SourcePositions positions;
        final String path;
        final PrintStream out;
        final String text;

        Lister(CompilationUnitTree unit, SourcePositions positions, String path, PrintStream out) throws IOException {
            this.unit = unit;
            this.positions = positions;
            this.path = path;
            this.out = out;
            this.text = unit.getSourceFile().getCharContent(true).toString();
        }

        void emit(Tree tree, long after, String name, String kind) {
            long start = Math.max(after, positions.getStartPosition(unit, tree));
            if (start < 0) return;
            long end = positions.getEndPosition(unit, tree);
            java.util.regex.Matcher at =
                java.util.regex.Pattern.compile("(?<![\\w$.@])" + java.util.regex.Pattern.quote(name) + "(?![\\w$])").matcher(text);
            if (!at.find((int) start) || at.start() > end) return;
            long line = unit.getLineMap().getLineNumber(at.start());
            out.println("{\"path\":\"" + path + "\",\"name\":\"" + name + "\",\"line\":" + line + ",\"kind\":\"" + kind + "\"}");
        }

        long after(Tree tree) {
            return tree == null ? -1 : positions.getEndPosition(unit, tree);
        }

        @Override public Void visitClass(ClassTree tree, Void unused) {
            String name = tree.getSimpleName().toString();
            if (!name.isEmpty()) emit(tree, after(tree.getModifiers()), name, tree.getKind().toString().toLowerCase());
            return super.visitClass(tree, unused);
        }

        @Override public Void visitMethod(MethodTree tree, Void unused) {
            ClassTree owner = (ClassTree) getCurrentPath().getParentPath().getLeaf();
            boolean constructor = tree.getReturnType() == null;
            if (constructor && owner.getSimpleName().isEmpty()) return super.visitMethod(tree, unused);
            String name = constructor ? owner.getSimpleName().toString() : tree.getName().toString();
            long after = constructor ? after(tree.getModifiers()) : after(tree.getReturnType());
            emit(tree, after, name, "method");
            return super.visitMethod(tree, unused);
        }

        @Override public Void visitVariable(VariableTree tree, Void unused) {
            if (getCurrentPath().getParentPath().getLeaf() instanceof ClassTree) {
                boolean enumConstant = tree.getInitializer() instanceof NewClassTree
                    && positions.getStartPosition(unit, tree.getType()) < 0;
                emit(tree, enumConstant ? after(tree.getModifiers()) : after(tree.getType()), tree.getName().toString(), "field");
            }
            return super.visitVariable(tree, unused);
        }
    }
}
