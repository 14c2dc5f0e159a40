"""What one file's bytes say by themselves, extracted once and cached by content."""
