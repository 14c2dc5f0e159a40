"""Measuring retrieval: question sets, engines (Satori and the naive baseline) and the figures they are judged by.

It never tunes anything and holds no set: sets are JSON files, trees are given by the caller.
"""
