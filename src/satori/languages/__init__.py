"""One language a module: grammar, definition rules, declared capability."""
