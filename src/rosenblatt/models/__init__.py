"""Learners in files: one file each, of arrays and JSON, that is read without running anything in it."""

from rosenblatt.models.archive import ModelError
from rosenblatt.models.storing import Model, load, load_model, save

__all__ = ["Model", "ModelError", "load", "load_model", "save"]
