# SPDX-License-Identifier: Apache-2.0
"""Verdicts for the commits of a hardware repository (docs/regression.md)."""
