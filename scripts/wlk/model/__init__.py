# SPDX-License-Identifier: Apache-2.0
"""Model C: the C in which a model is written, read as a netlist (docs/model-c.md)."""

# Functions that reading a model adds: they derive a cycle first where the model has one.
OUTPUTS, EDGE = "wlk_outputs", "wlk_edge"
