# SPDX-License-Identifier: Apache-2.0
"""What every part stands on: errors, options, files, progress, reports, set-up."""
