"""Model files, of arrays and JSON that run no code when read, and exports to ONNX and JSON."""

from rosenblatt.persistence.archive import ModelError
from rosenblatt.persistence.json import to_json
from rosenblatt.persistence.models import Model, load, load_model, save
from rosenblatt.persistence.onnx import to_onnx
from rosenblatt.persistence.states import TRUSTED_TYPES

__all__ = ["TRUSTED_TYPES", "Model", "ModelError", "load", "load_model", "save", "to_json", "to_onnx"]
