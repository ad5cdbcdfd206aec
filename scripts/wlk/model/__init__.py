# SPDX-License-Identifier: Apache-2.0
"""Model C: the C in which a model is written, read as a netlist (docs/model-c.md)."""
