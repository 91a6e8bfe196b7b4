"""The edge: what comes in is validated, redacted and given a scope; nothing after this stage asks again."""
