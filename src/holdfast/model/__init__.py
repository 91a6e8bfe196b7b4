"""Frozen values that every stage shares; nothing here touches a disk, a clock or a setting."""
