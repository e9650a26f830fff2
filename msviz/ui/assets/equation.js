// A weight's equation as MathML: readable for eyes and for screen readers, without a library.
//
// A symbol comes in a tiny notation: letters, `^{…}` and `_{…}`. Terms carry a role (which similarity they measure),
// shown by colour and named in the legend under the equation.

const MATHML = "http://www.w3.org/1998/Math/MathML";

function math(tag, children = [], role = "") {
  const made = document.createElementNS(MATHML, tag);
  if (role) made.setAttribute("class", `role-${role}`);
  made.append(...children);
  return made;
}

function symbol(text) {
  const row = [];
  let at = 0;
  const group = () => {  // the text between { and its matching }
    let depth = 0, from = at + 1;
    for (; at < text.length; at++) {
      if (text[at] === "{") depth += 1;
      if (text[at] === "}" && --depth === 0) break;
    }
    return symbol(text.slice(from, at++));
  };
  while (at < text.length) {
    const mark = text[at];
    if ((mark === "^" || mark === "_") && text[at + 1] === "{") {
      at += 1;
      row.push(math(mark === "^" ? "msup" : "msub", [row.pop() ?? math("mrow"), group()]));
    } else {
      const tag = /\d|\./.test(mark) ? "mn" : /\p{L}/u.test(mark) ? "mi" : "mo";
      at += 1;
      let letters = mark;
      while (tag === "mn" && /[\d.]/.test(text[at] ?? "")) letters += text[at++];
      const piece = math(tag, [letters]);
      if (tag === "mo") piece.setAttribute("stretchy", "false");
      row.push(piece);
    }
  }
  return math("mrow", row);
}

function equationNodes(equation) {
  const sum = (terms, write) => math("mrow", terms.flatMap((term, at) => {
    const plus = at ? [math("mo", [term.value < 0 && write === value ? "" : "+"])] : [];
    return [...plus, math("mrow", [write(term)], term.role)];
  }));
  const value = (term) => math("mn", [Number.isInteger(term.value) ? num(term.value, 0) : num(term.value, 3)]);
  const bare = (write) => {  // a sum that is multiplied needs its parentheses
    const held = equation.factor.length && equation.numerator.length > 1;
    return held ? math("mrow", [math("mo", ["("]), sum(equation.numerator, write), math("mo", [")"])]) : sum(equation.numerator, write);
  };
  const side = (write) => {
    const fraction = equation.denominator.length
      ? math("mfrac", [sum(equation.numerator, write), sum(equation.denominator, write)])
      : bare(write);
    const factors = equation.factor.flatMap((term) => [math("mrow", [write(term)], term.role), math("mo", ["·"])]);
    return math("mrow", [...factors, fraction]);
  };
  // Three pieces, so that a narrow page can break the line before an equals sign.
  const piece = (...children) => { const made = math("math", children); made.setAttribute("display", "block"); return made; };
  const equals = () => math("mo", ["="]);
  return [
    piece(symbol(equation.name), equals(), side((term) => symbol(term.symbol))),
    piece(equals(), side(value)),
    piece(equals(), math("mn", [equation.result], "result")),
  ];
}
