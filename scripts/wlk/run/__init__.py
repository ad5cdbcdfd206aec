# SPDX-License-Identifier: Apache-2.0
"""The work of the commands: builds, runs of the harness and the tools, and what they answer."""
