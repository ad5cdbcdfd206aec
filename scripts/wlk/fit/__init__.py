# SPDX-License-Identifier: Apache-2.0
"""Which configuration, and which block, RTL or a recording is of: what its ports leave open."""
