# SPDX-License-Identifier: Apache-2.0
export GPGPUSIM_CONFIG=$1
