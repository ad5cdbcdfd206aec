# SPDX-License-Identifier: Apache-2.0
"""What is generated: C, SV, documents, kernels."""
