# SPDX-License-Identifier: Apache-2.0
"""What a failure is shrunk to is as legal as what it was shrunk from: good RTL passes with it."""

import pytest
from programs import typed
from wlk.base.errors import Status

pytestmark = [pytest.mark.slow, pytest.mark.needs("rtl")]
TABLE = """\
format = 1
block.name = "credits"
block.module = "credits"
block.model_version = 1
block.clock = "clock"
block.reset = "reset"
block.prefix = ""
block.spec = "README.md"
block.doc = "a counter of credits"
param = []
field = [
  { name = "reset", dir = "in", width = 1, doc = "reset" },
  { name = "give", dir = "in", width = 1, doc = "one credit more" },
  { name = "take", dir = "in", width = 1, doc = "one credit less; only while there is one" },
  { name = "alarm", dir = "out", width = 1, doc = "a credit was taken that was not there" },
]
config.default = ""
"""
# Takes are legal by the model's state alone: no input tells how many credits there are.
MODEL = """\
#include "warplock/credits_ports.h"
#define MODEL      credits
#define MODEL_CAPS CREDITS
#include "frame/model.h"
struct wlk_credits_state {
    uint32_t n;
};
#include "frame/structs.h"
#include "legalise.h"
static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, out_t *out, out_t *care) {
    (void)cfg, (void)st, (void)in;
    SHOW(alarm, 0);
}
static void edge(const cfg_t *cfg, state_t *st, const in_t *in) {
    (void)cfg;
    st->n = (st->n + in->give - in->take) & 15u;
}
static void clear(const cfg_t *cfg, state_t *st) {
    (void)cfg;
    st->n = 0;
}
static void legalise(const cfg_t *cfg, const state_t *st, in_t *in, bool draining) {
    (void)cfg, (void)draining;
    in->take = in->take && st->n > 0;
    in->give = in->give && st->n < 14;
}
WLK_LEGALISE(legalise);
WLK_STRUCTS_MODEL();
"""
RTL = """\
module credits(input clock, reset, give, take, output logic alarm);
  logic [3:0] n;
  always_ff @(posedge clock) begin
    n <= reset ? 4'd0 : n + 4'(give) - 4'(take);
    alarm <= !reset && take && (n == 0 || n == {});
  end
endmodule
"""


def test_shrunk_stimulus_of_own_block_passes_in_good_rtl(tmp_path):
    block = tmp_path / "credits"
    block.mkdir()
    (block / "block.toml").write_text(TABLE)
    (block / "model.c").write_text(MODEL)
    (block / "README.md").write_text("Credits.\n")
    for name, count in (("good", 0), ("bad", 5)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "credits.sv").write_text(RTL.format(count))
    words = ("--blocks", block)
    for name, code in (("good", 0), ("bad", Status.FUNCTIONAL_MISMATCH)):
        short = ("--seeds", "1", "--cycles", "2000", "--reports", tmp_path / "reports")
        typed("lockstep", "credits", "--rtl", tmp_path / name, *short, *words, code=code)
    (stimulus,) = (tmp_path / "reports").rglob("stimulus.wlv")
    for name, code in (("bad", Status.FUNCTIONAL_MISMATCH), ("good", Status.OK)):
        typed("vectors", "play", stimulus, "--rtl", tmp_path / name, *words, code=code)
