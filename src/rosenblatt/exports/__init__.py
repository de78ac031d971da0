"""Learners for programs without this library: as an ONNX graph, or as JSON to compute with by hand."""

from rosenblatt.exports.onnx import to_onnx
from rosenblatt.exports.plain import to_json

__all__ = ["to_json", "to_onnx"]
