"""Text as search sees it: words of a question, runs without spaces, tokens counted, snippets."""
