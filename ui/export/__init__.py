"""What a reader takes away: files of numbers, the menu that offers them, the offline report."""
