"""What the store tells about itself: events, metrics and JSON log lines; never what it remembers."""
