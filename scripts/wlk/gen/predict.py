# SPDX-License-Identifier: Apache-2.0
"""The package with a block's model as predictor for a testbench: typed functions around the calls
of dpi/include/warplock/model.h. A field of its structs is a port of the module, by its name."""

from . import model
from .model import CARE, GOT, IN, OUT, THERE, UNKNOWN, ZERO
from .sv import Harness

CALLS = ["open", "param", "start", "put", "get", "close"]
CALLS += [f"predict_{name}" for name in "eval tick settle snapshot restore release".split()]


class Predictor:
    """The package of one configuration."""

    def __init__(self, harness: Harness, package: str | None = None) -> None:
        self.harness = harness
        self.package = package or f"wlk_predict_{harness.table.name}_pkg"
        self.ports = {d: [p for p in harness.ports if p.direction == d] for d in ("in", "out")}

    def text(self) -> str:
        """The whole file."""
        h, table = self.harness, self.harness.table
        return f"""// SPDX-License-Identifier: Apache-2.0
// {model.note(table)}
// Model of block {table.name} as predictor: docs/model-module.md; spec: {table.spec}.
// config: {table.text(h.cfg)}
package {self.package};

{model.imports(CALLS)}
  // Inputs of a cycle, by the names of the module's ports. 2-state: an X is 0.
{self._struct("in", "in_t")}
  // Outputs of a cycle, and for each bit of them whether it is defined.
{self._struct("out", "out_t")}
{self._rules()}{self._open()}
{self._cycle()}
{self._moving()}
endpackage
"""

    def _struct(self, direction: str, name: str) -> str:
        """The type; the clock is no part of it."""
        kinds = [f"bit [{p.width - 1}:0]" if p.width > 1 else "bit" for p in self.ports[direction]]
        longest = max(map(len, kinds))
        lines = [
            f"    {kind:{longest}} {port.name};\n"
            for kind, port in zip(kinds, self.ports[direction], strict=True)
        ]
        return f"  typedef struct packed {{\n{''.join(lines)}  }} {name};\n"

    def _rules(self) -> str:
        """Names of the protocol rules."""
        rules = self.harness.table.rules
        texts = [
            f'    if (broken[{n}]) text = {{text, " {rule["name"]}"}};\n'
            for n, rule in enumerate(rules)
        ]
        return f"""\
  // The protocol rules in what tick() returns, by name.
  function automatic string rules(int unsigned broken);
    string text;
    text = (broken == 0) ? "" : " rules:";
{"".join(texts)}    return text;
  endfunction
"""

    def _open(self) -> str:
        start = f"wlk_model_start(model, unknown ? 64'd{UNKNOWN} : 64'd{ZERO})"
        return f"""\
  // A predictor; `name` stands in messages. `unknown`: so is what no reset reaches, at
  // power-up; else it is 0. null after one line on stderr: the library does not fit the package.
  function automatic chandle open(string name, bit unknown = 1'b1);
    chandle model;
{model.opening(self.harness, "name", 4)}    if ({start} != 0) begin
      wlk_model_close(model);
      return null;
    end
    return model;
  endfunction

  // The last call for a predictor. Its snapshots stay.
  function automatic void close(chandle model);
    wlk_model_close(model);
  endfunction
"""

    def _cycle(self) -> str:
        return f"""\
  // Outputs for these inputs in the state as it is. Bits whose `care` is 0 are
  // undefined, and 0 here. Changes nothing: call it as often as you like in a cycle.
  function automatic void eval(chandle model, in_t in, output out_t out, output out_t care);
    put_in(model, in);
    if (wlk_predict_eval(model) != 0) $fatal(1, "eval: no predictor");
    out  = get_out(model, 64'd{OUT});
    care = get_out(model, 64'd{CARE});
  endfunction

  // The clock edge with these inputs; returns the protocol rules that they break, rule n as bit n.
  function automatic int unsigned tick(chandle model, in_t in);
    int unsigned broken;
    put_in(model, in);
    if (wlk_predict_tick(model, broken) != 0) $fatal(1, "tick: no predictor");
    return broken;
  endfunction

  // Before the edge, what the design shows for these inputs, in the bits that are 1 in `shown`.
  // Of several states that are possible after power-up those are dropped that contradict it. 0: all
  // do, which is a mismatch; all stay.
  function automatic bit settle(chandle model, in_t in, out_t got, out_t shown = '1);
    put_in(model, in);
    put_out(model, 64'd{GOT}, got);
    put_out(model, 64'd{THERE}, shown);
    return wlk_predict_settle(model) != 0;
  endfunction

  // The state as it is, for restore() into this predictor or another one of the package, any number
  // of times. Ends with release_snapshot().
  function automatic chandle snapshot(chandle model);
    return wlk_predict_snapshot(model);
  endfunction

  // 0 after one line on stderr: no snapshot, or one of another block or configuration.
  function automatic bit restore(chandle model, chandle taken);
    return wlk_predict_restore(model, taken) == 0;
  endfunction

  function automatic void release_snapshot(chandle taken);
    wlk_predict_release(taken);
  endfunction
"""

    def _moving(self) -> str:
        """Between structs and words of a record."""
        outs = [f"w{n}" for n in range(self.harness.layout.out_words)]
        lines = [f"    to.{p.name} = {model.bits(p, f'w{p.word}')};\n" for p in self.ports["out"]]
        unused = [*model.holes(self.harness, "w"), "unused_rest"][::-1]
        taken = model.moves("wlk_model_get", "side", outs, "unused_rest", 4) + "".join(lines)
        taken += model.assigned("    unused_bits = ^", unused)
        return f"""\
  function automatic void put_in(chandle model, in_t from);
{self._put("in", f"64'd{IN}")}  endfunction

  function automatic void put_out(chandle model, longint unsigned side, out_t from);
{self._put("out", "side")}  endfunction

  function automatic out_t get_out(chandle model, longint unsigned side);
    out_t to;
    bit unused_bits;
{_declared([*outs, "unused_rest"])}    unused_rest = 64'd0;
{taken}    return to;
  endfunction
"""

    def _put(self, direction: str, side: str) -> str:
        """The words of a struct, and what puts them."""
        words = self.harness.words(direction, "from.")
        names = [f"w{n}" for n in range(len(words))]
        lines = [model.assigned(f"    {n} = ", word) for n, word in zip(names, words, strict=True)]
        return (
            _declared(names)
            + "".join(lines)
            + model.moves("wlk_model_put", side, names, "64'd0", 4)
        )


def _declared(names: list[str]) -> str:
    return "".join(f"    longint unsigned {name};\n" for name in names)
