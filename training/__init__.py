"""How the default embedder is made: corpus, mining, training, evaluation and export. Not part of the package."""
