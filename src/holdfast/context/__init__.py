"""Context: what is handed to an agent, chosen, quoted as data and kept within a token budget."""
