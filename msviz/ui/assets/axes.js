// What the cells of a matrix are, and where they lie. In a small batch a cell is a pair; a large batch shows the means of
// blocks within the classes, or one block cell by cell (views/blocks.py). A rank is a point's place in class order.

function makeAxis({ window: shown, order, labels }, side) {
  const [start, stop] = shown[side];
  const from = shown.means ? shown.starts : Array.from({ length: stop - start }, (_, k) => start + k);
  const until = from.map((_, k) => from[k + 1] ?? stop), label = from.map((rank) => labels[order[rank]]);
  return {
    from, until, label, count: from.length,
    breaks: label.map((own, k) => (k > 0 && own !== label[k - 1] ? 1 : 0)),
    cellOf: (rank) => (rank === undefined || rank < start || rank >= stop ? -1 : shown.means ? from.findLastIndex((first) => first <= rank) : rank - start),
  };
}

function makeAxes(head) {
  const rows = makeAxis(head, "rows"), columns = makeAxis(head, "columns"), { means, starts } = head.window;
  return { rows, columns, means, zoomed: Boolean(starts) && !means, key: JSON.stringify([rows.label, columns.label]) };
}

// Pixels of both axes on a square canvas: `starts` and `size` in css pixels, `index` the cell of every device pixel.
function layCells({ rows, columns }, css, ratio, strip) {
  const most = Math.max(rows.count, columns.count), gap = most > 64 ? 2 : 4;
  const gaps = Math.max(...[rows, columns].map(({ breaks }) => breaks.reduce((a, b) => a + b, 0))) * gap;
  const size = most ? (css - strip - gaps) / most : 0, pixels = Math.round(css * ratio);
  const lay = ({ count, breaks, label }) => {
    const starts = [], index = new Int16Array(pixels).fill(-1), edge = new Uint8Array(pixels);
    let at = strip;
    for (let k = 0; k < count; k++) { at += breaks[k] * gap; starts.push(at); at += size; }
    for (let k = 0; k < count; k++) {
      const from = Math.round(starts[k] * ratio), to = Math.round((starts[k] + size) * ratio);
      for (let p = from; p < to; p++) index[p] = k;
      if (size >= 8) edge[Math.max(from, to - 1)] = 1;  // a hairline between cells that are large enough
    }
    return { count, label, starts, index, edge, end: count ? starts[count - 1] + size : strip };
  };
  return { css, ratio, size, pixels, rows: lay(rows), columns: lay(columns) };
}

// The class markers along the top and the left: one a cell, or one a class where cells are small.
function drawStrips(paint, bench, g, strip) {
  const { looks } = bench.head, each = g.size >= 9, css = bench.css;
  const stamp = (look, x, y, radius) => {
    const d = outline(look.shape, x, y, radius), path = Object.assign(new Path2D(d), { d });  // d: for snapshot.js
    paint.fillStyle = css(`--class-${look.color}`);
    paint.fill(path);
    paint.strokeStyle = css("--ink");
    paint.lineWidth = 0.8;
    paint.stroke(path);
  };
  for (const axis of [g.columns, g.rows]) {
    const down = axis === g.rows, across = strip / 2 - (each ? 0 : 3);
    for (let k = 0; k < axis.count;) {
      let until = k + 1;
      while (!each && until < axis.count && axis.label[until] === axis.label[k]) until++;
      const look = looks[axis.label[k]], from = axis.starts[k], to = axis.starts[until - 1] + g.size;
      if (!each) {
        paint.fillStyle = css(`--class-${look.color}`);
        if (down) paint.fillRect(strip - 4, from, 2.5, to - from);
        else paint.fillRect(from, strip - 4, to - from, 2.5);
      }
      const middle = (from + to) / 2, radius = each ? Math.min(5, g.size * 0.36) : 5;
      stamp(look, down ? across : middle, down ? middle : across, radius);
      k = until;
    }
  }
}
