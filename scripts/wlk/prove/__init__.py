# SPDX-License-Identifier: Apache-2.0
"""Proofs that two netlists are equal: reading, miters, engines."""
