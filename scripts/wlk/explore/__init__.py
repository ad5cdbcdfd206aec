# SPDX-License-Identifier: Apache-2.0
"""Explores the design space of the Muon document: which collector for which work (docs/explore.md)."""
