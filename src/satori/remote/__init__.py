"""Services that the user chose, over HTTP: bounded, retried with care, with keys that never show."""
