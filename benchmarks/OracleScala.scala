// scalac's answer for each call of a Scala tree, in the format "sites" of `benchmarks.oracles`.
//
//     scalac -d DIR benchmarks/OracleScala.scala && java -Xss8m -cp "DIR:LIB/*" OracleScala OUT ROOT FILES
//
// For Scala 2.11, whose jars are in LIB. It types the files and writes every application whose callee's name stands in
// the source: what the compiler makes (implicit views, for comprehensions, setters) is left out. A constructor, and the
// `apply` that a case class is given, are answered with the class.

import java.io.{File, PrintWriter}
import scala.tools.nsc.{Global, Settings}
import scala.tools.nsc.reporters.StoreReporter

object OracleScala {
  def main(arguments: Array[String]): Unit = {
    val settings = new Settings
    settings.usejavacp.value = true
    settings.Yrangepos.value = true
    settings.nowarn.value = true
    settings.stopAfter.value = List("typer")
    val reporter = new StoreReporter
    val global = new Global(settings, reporter)
    import global._
    val root = new File(arguments(1)).getCanonicalPath + "/"
    val run = new global.Run
    run.compile(arguments.toList.drop(2))
    val rows = new scala.collection.mutable.TreeSet[String]

    def bytes(content: Array[Char], offset: Int): Int = new String(content, 0, offset).getBytes("UTF-8").length
    def written(content: Array[Char], offset: Int, name: String): Boolean =
      offset >= 0 && offset + name.length <= content.length && new String(content, offset, name.length) == name
    def relative(path: String): Option[String] = {
      val whole = new File(path).getCanonicalPath
      if (whole.startsWith(root)) Some(whole.drop(root.length)) else None
    }

    // What stands in the source for a symbol: a constructor and what a case class is given are their class.
    def defined(symbol: Symbol): Symbol =
      if (symbol.isConstructor) symbol.owner
      else if (symbol.isSynthetic && symbol.name.toString == "apply") symbol.owner.companionClass
      else symbol

    def answer(place: Int, name: String, content: Array[Char], path: String, callee: Symbol): Unit = {
      val target = defined(callee)
      if (target == NoSymbol || !written(content, place, name)) return
      val site = s"$path\t${bytes(content, place)}"
      val source = if (target.pos.isDefined) Some(target.pos.source) else None
      source.flatMap(file => relative(file.file.path)) match {
        case Some(file) =>
          val there = target.pos.source.content
          if (!target.isSynthetic && written(there, target.pos.point, target.name.decoded.trim))
            rows += s"$site\t$file\t${bytes(there, target.pos.point)}\t$name"
        case None => rows += s"$site\t<external>\t-1\t$name"
      }
    }

    for (unit <- run.units) {
      val content = unit.source.content
      val path = relative(unit.source.file.path).getOrElse("")
      val traverser = new Traverser {
        def named(tree: Tree): Option[(Int, String)] = tree match {
          case Select(_, name) if tree.pos.isDefined => Some((tree.pos.point, name.decoded))
          case Ident(name) if tree.pos.isDefined => Some((tree.pos.point, name.decoded))
          case _ => None
        }
        def called(function: Tree): Unit = function match {
          case TypeApply(inner, _) => called(inner)
          case Select(New(kind), _) =>
            val plain = kind match { case typed: TypeTree if typed.original != null => typed.original; case other => other }
            val name = plain match { case AppliedTypeTree(inner, _) => inner; case other => other }
            for ((place, text) <- named(name)) answer(place, text, content, path, function.symbol)
          case Select(inner, name) if name.toString == "apply" && !written(content, function.pos.point, "apply") =>
            val own = inner match { case TypeApply(part, _) => part; case other => other }
            val method = own.symbol != null && own.symbol.isMethod && !own.symbol.isAccessor
            for ((place, text) <- named(own)) answer(place, text, content, path, if (method) own.symbol else function.symbol)
          case Select(Super(_, _), name) if name == nme.CONSTRUCTOR => ()
          case Select(_, _) | Ident(_) =>
            if (function.symbol != null && function.symbol.isConstructor)
              answer(function.pos.point, "this", content, path, function.symbol)
            else for ((place, text) <- named(function)) answer(place, text, content, path, function.symbol)
          case _ => ()
        }
        override def traverse(tree: Tree): Unit = {
          tree match {
            case Apply(function, _) if function.pos.isDefined && function.symbol != null => called(function)
            case _ => ()
          }
          super.traverse(tree)
        }
      }
      traverser.traverse(unit.body)
    }
    val out = new PrintWriter(arguments(0))
    rows.foreach(out.println)
    out.close()
    val errors = reporter.infos.filter(_.severity.id == 2)
    println(s"${rows.size} answers, ${errors.size} errors")
    errors.take(5).foreach(error => println(s"${error.pos.source.path}:${error.pos.line} ${error.msg}"))
  }
}
