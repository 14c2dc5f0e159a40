// Which definition each Kotlin call binds to, as the compiler's frontend resolves it: the oracle of benchmarks.callgraph
// for Kotlin, a plugin for kotlinc 2.4.
//
//   kotlinc -cp kotlin-compiler.jar -Xcontext-parameters -d oracle.jar benchmarks/OracleKotlin.kt
//   jar uf oracle.jar META-INF/services/org.jetbrains.kotlin.compiler.plugin.CompilerPluginRegistrar
//   ORACLE_ROOT=TREE ORACLE_OUT=FILE kotlinc -Xplugin=oracle.jar -d OUT SOURCES...
//
// The service file holds one line, `oracle.OracleRegistrar`. Lines are those that `benchmarks.oracles` reads as "sites":
// path, byte of the callee's name, path and byte of the definition's name (`<external>` and -1 for what is outside),
// name; tabs between. A primary constructor is its class. Errors (missing libraries) leave calls out.

package oracle

import java.io.File
import org.jetbrains.kotlin.compiler.plugin.CompilerPluginRegistrar
import org.jetbrains.kotlin.compiler.plugin.ExperimentalCompilerApi
import org.jetbrains.kotlin.config.CompilerConfiguration
import org.jetbrains.kotlin.diagnostics.DiagnosticReporter
import org.jetbrains.kotlin.diagnostics.nameIdentifier
import org.jetbrains.kotlin.fir.FirSession
import org.jetbrains.kotlin.fir.analysis.checkers.MppCheckerKind
import org.jetbrains.kotlin.fir.analysis.checkers.context.CheckerContext
import org.jetbrains.kotlin.fir.analysis.checkers.declaration.DeclarationCheckers
import org.jetbrains.kotlin.fir.analysis.checkers.declaration.FirDeclarationChecker
import org.jetbrains.kotlin.fir.analysis.checkers.expression.ExpressionCheckers
import org.jetbrains.kotlin.fir.analysis.checkers.expression.FirExpressionChecker
import org.jetbrains.kotlin.fir.analysis.extensions.FirAdditionalCheckersExtension
import org.jetbrains.kotlin.fir.declarations.FirDeclaration
import org.jetbrains.kotlin.fir.declarations.FirDeclarationOrigin
import org.jetbrains.kotlin.fir.declarations.FirEnumEntry
import org.jetbrains.kotlin.fir.declarations.FirFile
import org.jetbrains.kotlin.fir.declarations.FirNamedFunction
import org.jetbrains.kotlin.fir.declarations.FirProperty
import org.jetbrains.kotlin.fir.declarations.FirRegularClass
import org.jetbrains.kotlin.fir.declarations.FirTypeAlias
import org.jetbrains.kotlin.fir.expressions.FirCall
import org.jetbrains.kotlin.fir.expressions.FirDelegatedConstructorCall
import org.jetbrains.kotlin.fir.expressions.FirFunctionCall
import org.jetbrains.kotlin.fir.expressions.FirImplicitInvokeCall
import org.jetbrains.kotlin.fir.extensions.FirExtensionRegistrar
import org.jetbrains.kotlin.fir.extensions.FirExtensionRegistrarAdapter
import org.jetbrains.kotlin.fir.moduleData
import org.jetbrains.kotlin.fir.references.FirReference
import org.jetbrains.kotlin.fir.references.toResolvedCallableSymbol
import org.jetbrains.kotlin.fir.resolve.getContainingClassSymbol
import org.jetbrains.kotlin.fir.resolve.providers.firProvider
import org.jetbrains.kotlin.fir.symbols.SymbolInternals
import org.jetbrains.kotlin.fir.symbols.impl.FirCallableSymbol
import org.jetbrains.kotlin.fir.symbols.impl.FirConstructorSymbol
import org.jetbrains.kotlin.fir.unwrapFakeOverrides
import org.jetbrains.kotlin.KtSourceElement
import org.jetbrains.kotlin.KtFakeSourceElementKind

object Answers {
    private val root = File(System.getenv("ORACLE_ROOT")).canonicalFile
    private val out = File(System.getenv("ORACLE_OUT")).printWriter()
    private val definitions = File(System.getenv("ORACLE_OUT") + ".definitions").printWriter()
    private val offsets = HashMap<String, IntArray?>()
    private val written = HashSet<String>()

    /** The byte that a character of the file begins at; line breaks are one character to the compiler. */
    private fun byteOf(path: String, position: Int): Int {
        val known = offsets.getOrPut(path) {
            val text = File(root, path).takeIf { it.isFile }?.readText() ?: return@getOrPut null
            val found = ArrayList<Int>(text.length + 1)
            var total = 0
            for (at in text.indices) {
                val c = text[at]
                val folded = c == '\r' && text.getOrNull(at + 1) == '\n'
                if (!folded) found.add(total)
                total += if (c.code < 0x80) 1 else if (c.code < 0x800 || c.isSurrogate()) 2 else 3
            }
            found.add(total)
            found.toIntArray()
        }
        return known?.getOrNull(position) ?: -1
    }

    fun relative(path: String?): String? =
        path?.let { File(it).canonicalFile }?.takeIf { it.startsWith(root) }?.relativeTo(root)?.invariantSeparatorsPath

    @Synchronized
    fun define(path: String, place: Int, kind: String, name: String) {
        val line = "$path\t${byteOf(path, place)}\t$kind\t$name"
        if (written.add(line)) definitions.println(line)
        definitions.flush()
    }

    @Synchronized
    fun write(path: String, site: Int, target: String?, place: Int, name: String) {
        val start = byteOf(path, site)
        if (start < 0) return
        val to = if (target == null) "<external>\t-1" else "$target\t${byteOf(target, place)}"
        val line = "$path\t$start\t$to\t$name"
        if (written.add(line)) out.println(line)
        out.flush()
    }
}

@OptIn(SymbolInternals::class)
class CallChecker : FirExpressionChecker<FirCall>(MppCheckerKind.Common) {
    context(context: CheckerContext, reporter: DiagnosticReporter)
    override fun check(expression: FirCall) {
        val reference: FirReference = when (expression) {
            is FirImplicitInvokeCall -> return
            is FirFunctionCall -> expression.calleeReference
            is FirDelegatedConstructorCall -> expression.calleeReference
            else -> return
        }
        val file = context.containingFileSymbol?.fir ?: return
        val path = Answers.relative(file.sourceFile?.path) ?: return
        val source = reference.source ?: return
        // What the compiler adds (delegates, increments) stands where something else was written.
        if (source.kind is KtFakeSourceElementKind) return
        val symbol = reference.toResolvedCallableSymbol()?.unwrapFakeOverrides() ?: return
        val name = if (symbol is FirConstructorSymbol) "<init>" else symbol.name.asString()
        // A local function has no file of its own.
        val home = containerOf(symbol) ?: file.takeIf { symbol.origin is FirDeclarationOrigin.Source }
        val target = Answers.relative(home?.sourceFile?.path)
        val place = if (target == null) -1 else placeOf(symbol, context.session)
        Answers.write(path, source.startOffset, target, place, name)
    }

    private fun containerOf(symbol: FirCallableSymbol<*>): FirFile? =
        symbol.moduleData.session.firProvider.getFirCallableContainerFile(symbol)

    private fun placeOf(symbol: FirCallableSymbol<*>, session: FirSession): Int {
        if (symbol is FirConstructorSymbol && symbol.isPrimary) return nameAt(symbol.getContainingClassSymbol()?.source)
        if (symbol is FirConstructorSymbol) {
            val source = symbol.source ?: return -1
            val text = source.text() ?: return -1
            return source.startOffset + (Regex("\\bconstructor\\b").find(text)?.range?.first ?: return -1)
        }
        return nameAt(symbol.source)
    }

    private fun nameAt(source: KtSourceElement?): Int {
        source ?: return -1
        val name = source.treeStructure.nameIdentifier(source.lighterASTNode) ?: return -1
        // Offsets of a light tree are its own; a name's place in the declaration is what counts.
        return source.startOffset + (name.startOffset - source.lighterASTNode.startOffset)
    }

    private fun KtSourceElement.text(): String? = treeStructure.toString(lighterASTNode).toString()
}

/** Beside the calls, in ORACLE_OUT.definitions: path, byte of the name, kind, name of what is written. */
@OptIn(SymbolInternals::class)
class DefinitionChecker : FirDeclarationChecker<FirDeclaration>(MppCheckerKind.Common) {
    context(context: CheckerContext, reporter: DiagnosticReporter)
    override fun check(declaration: FirDeclaration) {
        val source = declaration.source ?: return
        val written = source.kind !is KtFakeSourceElementKind || source.kind == KtFakeSourceElementKind.PropertyFromParameter
        if (!written || declaration.origin !is FirDeclarationOrigin.Source) return
        val path = Answers.relative(context.containingFileSymbol?.fir?.sourceFile?.path) ?: return
        val (kind, name) = when (declaration) {
            is FirRegularClass -> "class" to declaration.name.asString()
            is FirTypeAlias -> "alias" to declaration.name.asString()
            is FirEnumEntry -> "entry" to declaration.name.asString()
            is FirNamedFunction -> "function" to declaration.name.asString()
            is FirProperty -> (if (declaration.symbol.callableId == null) return else "property") to declaration.name.asString()
            else -> return
        }
        val found = source.treeStructure.nameIdentifier(source.lighterASTNode) ?: return
        Answers.define(path, source.startOffset + found.startOffset - source.lighterASTNode.startOffset, kind, name)
    }
}

class Checkers(session: FirSession) : FirAdditionalCheckersExtension(session) {
    override val expressionCheckers: ExpressionCheckers = object : ExpressionCheckers() {
        override val callCheckers: Set<FirExpressionChecker<FirCall>> = setOf(CallChecker())
    }
    override val declarationCheckers: DeclarationCheckers = object : DeclarationCheckers() {
        override val basicDeclarationCheckers: Set<FirDeclarationChecker<FirDeclaration>> = setOf(DefinitionChecker())
    }
}

class Extensions : FirExtensionRegistrar() {
    override fun ExtensionRegistrarContext.configurePlugin() {
        +::Checkers
    }
}

@OptIn(ExperimentalCompilerApi::class)
class OracleRegistrar : CompilerPluginRegistrar() {
    override val pluginId: String get() = "oracle"
    override val supportsK2: Boolean get() = true

    override fun ExtensionStorage.registerExtensions(configuration: CompilerConfiguration) {
        FirExtensionRegistrarAdapter.registerExtension(Extensions())
    }
}
