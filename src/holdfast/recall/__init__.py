"""Recall: from filters and questions to checked, ranked entries; it reads, and never writes but for recency."""
