"""Answers from the clusters that a question touches: plan, then execute."""
