"""What a learner uses: the operations of a head with their numbers, mistakes, checks of the learner's code, lessons."""
