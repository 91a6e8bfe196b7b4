"""Upkeep: compaction, forgetting with a receipt, export and load, verification and status."""
