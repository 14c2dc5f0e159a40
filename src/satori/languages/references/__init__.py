"""What each language's files say about names defined elsewhere: one module a language, over the same parse tree."""
