# SPDX-License-Identifier: Apache-2.0
"""What stands behind scripts/warplock."""
