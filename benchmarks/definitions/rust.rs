//! Lists the definitions that `syn` sees, as JSON lines {path, name, line, kind}.
//! Usage: a crate with syn (full, visit), proc-macro2 (span-locations) and serde_json, this file as src/main.rs;
//! `cargo run --release < files > definitions.jsonl`.
//! By Satori's rules: items, fields, variants, impl members; no locals, no values inside functions.
use std::io::Read;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

struct Lister<'a> {
    path: &'a str,
    depth: usize,
}

impl Lister<'_> {
    fn emit(&self, name: &syn::Ident, kind: &str) {
        let line = name.span().start().line;
        let entry = serde_json::json!({"path": self.path, "name": name.to_string().trim_start_matches("r#"), "line": line, "kind": kind});
        println!("{entry}");
    }
}

impl<'ast> Visit<'ast> for Lister<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.emit(&item.sig.ident, "function");
        self.depth += 1;
        visit::visit_item_fn(self, item);
        self.depth -= 1;
    }
    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.emit(&item.sig.ident, "method");
        self.depth += 1;
        visit::visit_impl_item_fn(self, item);
        self.depth -= 1;
    }
    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.emit(&item.sig.ident, "method");
        self.depth += 1;
        visit::visit_trait_item_fn(self, item);
        self.depth -= 1;
    }
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.emit(&item.ident, "struct");
        let depth = std::mem::take(&mut self.depth);
        visit::visit_item_struct(self, item);
        self.depth = depth;
    }
    fn visit_item_union(&mut self, item: &'ast syn::ItemUnion) {
        self.emit(&item.ident, "struct");
        visit::visit_item_union(self, item);
    }
    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.emit(&item.ident, "enum");
        visit::visit_item_enum(self, item);
    }
    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.emit(&variant.ident, "constant");
        visit::visit_variant(self, variant);
    }
    fn visit_field(&mut self, field: &'ast syn::Field) {
        if let Some(name) = &field.ident {
            self.emit(name, "property");
        }
        visit::visit_field(self, field);
    }
    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.emit(&item.ident, "trait");
        let depth = std::mem::take(&mut self.depth);
        visit::visit_item_trait(self, item);
        self.depth = depth;
    }
    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let depth = std::mem::take(&mut self.depth);
        visit::visit_item_impl(self, item);
        self.depth = depth;
    }
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.emit(&item.ident, "module");
        let depth = std::mem::take(&mut self.depth);
        visit::visit_item_mod(self, item);
        self.depth = depth;
    }
    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.emit(&item.ident, "type");
        visit::visit_item_type(self, item);
    }
    fn visit_impl_item_type(&mut self, item: &'ast syn::ImplItemType) {
        self.emit(&item.ident, "type");
        visit::visit_impl_item_type(self, item);
    }
    fn visit_trait_item_type(&mut self, item: &'ast syn::TraitItemType) {
        self.emit(&item.ident, "type");
        visit::visit_trait_item_type(self, item);
    }
    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        if self.depth == 0 && item.ident != "_" {
            self.emit(&item.ident, "constant");
        }
        self.depth += 1;
        visit::visit_item_const(self, item);
        self.depth -= 1;
    }
    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        if self.depth == 0 {
            self.emit(&item.ident, "constant");
        }
        visit::visit_item_static(self, item);
    }
    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.emit(&item.ident, "constant");
        visit::visit_impl_item_const(self, item);
    }
    fn visit_trait_item_const(&mut self, item: &'ast syn::TraitItemConst) {
        self.emit(&item.ident, "constant");
        visit::visit_trait_item_const(self, item);
    }
    fn visit_foreign_item_fn(&mut self, item: &'ast syn::ForeignItemFn) {
        self.emit(&item.sig.ident, "function");
    }
    fn visit_foreign_item_static(&mut self, item: &'ast syn::ForeignItemStatic) {
        self.emit(&item.ident, "constant");
    }
    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        if let Some(name) = &item.ident {
            self.emit(name, "macro");
        }
    }
}

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).expect("paths on standard input");
    for path in input.lines() {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        match syn::parse_file(&text) {
            Ok(file) => Lister { path, depth: 0 }.visit_file(&file),
            Err(error) => println!("{}", serde_json::json!({"path": path, "failed": error.to_string()})),
        }
    }
    let _ = proc_macro2::Span::call_site().span();
}
