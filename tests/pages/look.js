// SPDX-License-Identifier: Apache-2.0
// What browser.py asks of a page. Answers are lists; colours are as the browser computes them.
globalThis.look = (() => {
  const all = selector => [...document.querySelectorAll(selector)];
  const words = text => text.trim().replace(/\s+/g, " ").slice(0, 60);
  const name = node => `<${node.localName} class="${node.getAttribute("class") ?? ""}"> ${words(node.textContent)}`;
  const style = (node, part) => getComputedStyle(node, part);

  // [text, element, colour] of each text that is shown, from the top.
  function* texts() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    while (walker.nextNode()) {
      const node = walker.currentNode, isText = node.nodeType === Node.TEXT_NODE, owner = isText ? node.parentElement : node;
      if (owner.localName === "title" || !owner.checkVisibility()) continue;
      if (isText && words(node.data)) yield [words(node.data), owner, style(owner)[owner.closest("svg") ? "fill" : "color"]];
      if (isText) continue;
      if (node.placeholder) yield [node.placeholder, node, style(node, "::placeholder").color];
      for (const part of ["::before", "::after"])
        if (/\S/.test(style(node, part).content.replace(/^none$|"/g, ""))) yield [style(node, part).content, node, style(node, part).color];
    }
  }

  // [colour, opacity] of what lies under an element, the nearest first, and the element's own opacity.
  function under(node) {
    const layers = [];
    let opacity = 1;
    for (; node; node = node.parentElement) {
      const own = Number(style(node).opacity);
      opacity *= own;
      for (const layer of layers) layer[1] *= own;
      layers.push([style(node).backgroundColor, own]);
    }
    layers.push([canvas(), 1]);
    return [layers.filter(([colour]) => !/, 0\)$/.test(colour)), opacity];
  }

  // What a page without a colour of its own is painted on.
  function canvas() {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.backgroundColor = "Canvas";
    const colour = style(probe).backgroundColor;
    probe.remove();
    return colour;
  }

  function head() {
    const found = [], [first] = texts();
    if (document.compatMode !== "CSS1Compat") found.push("quirks mode: something stands before DOCTYPE");
    if (!first?.[1].closest("h1")) found.push(`the first line is no heading: ${first?.[0] ?? "the page is empty"}`);
    return found;
  }

  // Unfold what is folded, for all that follows.
  function open() {
    for (const each of all("details")) each.open = true;
  }

  const scrolls = node => node && (["auto", "scroll"].includes(style(node).overflowX) || scrolls(node.parentElement));

  function layout() {
    const root = document.documentElement, wide = root.clientWidth, found = [];
    if (root.scrollWidth > wide) {
      const end = node => Math.max(node.getBoundingClientRect().right, node.getBoundingClientRect().left + node.scrollWidth);
      const out = all("body *").filter(node => end(node) > wide && !scrolls(node));
      found.push(`is ${root.scrollWidth} px wide: ${out.slice(-1).map(name)}`);
    }
    for (const text of all("svg text")) {
      const box = text.getBoundingClientRect(), frame = text.ownerSVGElement.getBoundingClientRect();
      const isCut = box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
      if (box.width && isCut) found.push(`a picture's text is cut: ${words(text.textContent)}`);
    }
    return found;
  }

  // [text, colour, opacity, layers] of a text of each look.
  function looks() {
    const found = new Map();
    for (const [text, node, colour] of texts()) {
      const [layers, opacity] = under(node), key = JSON.stringify([colour, opacity, layers]);
      found.set(key, [text, colour, opacity, layers]);
    }
    return [...found.values()];
  }

  // [[name, colour] ..., layers] of each legend.
  const legends = () => all(".key").map(key => {
    const entries = [...key.querySelectorAll("span")].filter(span => span.querySelectorAll("rect").length === 1);
    return [entries.map(span => [words(span.textContent), style(span.querySelector("rect")).fill]), under(key)[0]];
  });

  return {head, open, layout, looks, legends};
})();
