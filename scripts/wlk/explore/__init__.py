# SPDX-License-Identifier: Apache-2.0
"""The design space of the Muon document: which collector for which work (docs/explore.md)."""
