"""Capture: what a caller says becomes entries: session found or made, validated, redacted, appended, indexed."""
