"""Frozen view-models: plain numbers, arrays and messages, one file a picture. No screen, no words in any language.

`scene` evaluates a state once; every view-model is made from scenes.
"""
