"""Downloads: files of numbers, the menu that offers them, the offline report."""
