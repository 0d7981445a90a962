"""What every page stands in: the checkpoint and selection in force, navigation, sidebar, cards, tables."""
