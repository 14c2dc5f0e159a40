"""Identity: from a file's facts to symbols with stable keys."""
