"""Embedders and completers, one vendor a file. Importing this loads none of them."""
