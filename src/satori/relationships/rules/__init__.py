"""One language's rules a module or package: from units and call sites to proved targets and named abstentions."""
