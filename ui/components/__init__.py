"""Small custom views without a Node build; import the wrapper wanted, e.g. `from ui.components.next_word import next_word`."""
