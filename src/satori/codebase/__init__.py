"""One repository as a library object: sync it, search it, read it."""
