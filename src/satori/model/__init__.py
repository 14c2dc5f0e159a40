"""The words that every part agrees on: spans, definitions, symbols, chunks."""
