"""The trust report: whether the maps show what this model computes. Its module `report` does not import torch."""
