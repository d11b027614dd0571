"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const tip = byId("tip");
  const entries = data.entries;

  // Nothing from the file ever becomes markup: text goes in as text nodes.
  function add(parent, name, attributes, text) {
    const svg = name === "svg" || parent instanceof SVGElement;
    const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    if (text !== undefined) e.textContent = text;
    parent.appendChild(e);
    return e;
  }

  const number = (x, digits) => x.toLocaleString("en-US", { maximumFractionDigits: digits });
  const rate = (x) => number(x, x < 1000 ? 1 : 0);
  const ms = (x) => number(x, x < 1 ? 3 : x < 10 ? 2 : x < 100 ? 1 : 0) + " ms";
  const sec = (x) => number(x, 1) + " s";
  const plain = (x) => number(x, 3);
  const short = (x) => (x >= 1e6 ? number(x / 1e6, 1) + "M" : x >= 1e4 ? number(x / 1e3, 0) + "k" : x >= 1e3 ? number(x / 1e3, 1) + "k" : number(x, 3));
  function percentile(nines) {
    return "p" + number(100 * (1 - Math.pow(10, -nines)), Math.max(1, Math.ceil(nines)));
  }

  // Scales: a place from 0 to 1 for a value, and where to put marks.
  function linear(lo, hi, wanted) {
    if (!(hi > lo)) hi = lo + 1;
    const rough = (hi - lo) / wanted, power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = power * [1, 2, 5, 10].find((m) => m * power >= rough);
    const ticks = [];
    for (let i = Math.ceil(lo / step); i * step <= hi * (1 + 1e-9); i++) ticks.push(i * step);
    return { at: (v) => (v - lo) / (hi - lo), ticks };
  }
  function logarithmic(lo, hi) {
    const from = Math.log10(lo), to = Math.max(Math.log10(hi), from + 0.1), ticks = [];
    const steps = to - from > 3 ? [1] : to - from > 1.2 ? [1, 3] : [1, 2, 5];
    for (let d = Math.floor(from); d <= Math.ceil(to); d++) {
      for (const s of steps) {
        const v = s * Math.pow(10, d);
        if (Math.log10(v) >= from - 1e-9 && Math.log10(v) <= to + 1e-9) ticks.push(v);
      }
    }
    return { at: (v) => (Math.log10(Math.max(v, lo)) - from) / (to - from), ticks };
  }
  function ordinal(values) {
    const n = values.length;
    return { at: (v) => (values.indexOf(v) + 0.5) / n, ticks: values };
  }

  function showTip(event, title, rows) {
    tip.replaceChildren();
    add(tip, "b", {}, title);
    for (const r of rows) {
      const line = add(tip, "div", {});
      if (r.look) add(line, "span", { class: "key " + r.look });
      add(line, "span", {}, r.name);
      add(line, "span", {}, r.value);
    }
    tip.hidden = false;
    const x = event.clientX + 14, y = event.clientY + 14;
    tip.style.left = Math.max(4, Math.min(x, innerWidth - tip.offsetWidth - 4)) + "px";
    tip.style.top = (y + tip.offsetHeight > innerHeight ? Math.max(4, event.clientY - tip.offsetHeight - 14) : y) + "px";
  }
  const hideTip = () => { tip.hidden = true; };

  // frame draws axes and returns places in pixels.
  function frame(box, label, x, y, xText, yText, height) {
    box.replaceChildren();
    const width = Math.max(240, box.clientWidth);
    const m = { left: 54, right: 16, top: 8, bottom: 26 };
    const svg = add(box, "svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": label });
    const w = width - m.left - m.right, h = height - m.top - m.bottom;
    const px = (v) => m.left + w * x.at(v), py = (v) => m.top + h * (1 - y.at(v));
    for (const t of y.ticks) {
      add(svg, "line", { class: "grid", x1: m.left, x2: m.left + w, y1: py(t), y2: py(t) });
      add(svg, "text", { x: m.left - 6, y: py(t) + 4, "text-anchor": "end" }, yText(t));
    }
    let free = -Infinity;
    for (const t of x.ticks) {
      const text = xText(t), half = text.length * 3.5;
      if (px(t) - half < free) continue;
      free = px(t) + half + 6;
      add(svg, "text", { x: Math.min(px(t), width - half), y: m.top + h + 18, "text-anchor": "middle" }, text);
    }
    add(svg, "line", { class: "axis", x1: m.left, x2: m.left + w, y1: m.top + h, y2: m.top + h });
    return { svg, px, py, left: m.left, top: m.top, w, h, width };
  }

  function nearest(sorted, v) {
    let best = sorted[0];
    for (const s of sorted) if (Math.abs(s - v) < Math.abs(best - v)) best = s;
    return best;
  }

  // lines draws series: {name, look, points: [[x, y, lo, hi]]}.
  function lines(id, spec) {
    const box = byId(id), series = spec.series.filter((s) => s.points.length > 0);
    if (series.length === 0) {
      box.replaceChildren();
      add(box, "p", { class: "quiet" }, "Nothing to draw: the file holds no such data.");
      return;
    }
    const f = frame(box, spec.label, spec.x, spec.y, spec.xTick, spec.yTick, spec.height || 250);
    for (const s of series) {
      const d = s.points.map((p, i) => (i ? "L" : "M") + f.px(p[0]).toFixed(1) + " " + f.py(p[1]).toFixed(1)).join("");
      add(f.svg, "path", { class: "line " + s.look, d });
      for (const p of s.points) {
        if (p.length > 2 && p[3] > p[2]) {
          add(f.svg, "line", { class: "range " + s.look, x1: f.px(p[0]), x2: f.px(p[0]), y1: f.py(p[2]), y2: f.py(p[3]) });
        }
        if (spec.dots || s.points.length === 1) add(f.svg, "circle", { class: "dot " + s.look, cx: f.px(p[0]), cy: f.py(p[1]), r: 5 });
      }
    }
    const marks = add(f.svg, "g", {});
    const xs = [...new Set(series.flatMap((s) => s.points.map((p) => p[0])))].sort((a, b) => a - b);
    const places = xs.map(f.px);
    const cover = add(f.svg, "rect", { x: f.left, y: f.top, width: f.w, height: f.h, fill: "transparent" });
    function hover(event) {
      const r = f.svg.getBoundingClientRect();
      const at = xs[places.indexOf(nearest(places, (event.clientX - r.left) * f.width / r.width))];
      marks.replaceChildren();
      add(marks, "line", { class: "cross", x1: f.px(at), x2: f.px(at), y1: f.top, y2: f.top + f.h });
      const rows = [];
      for (const s of series) {
        const own = s.points.map((p) => p[0]);
        const x = nearest(own, at), p = s.points[own.indexOf(x)];
        if (Math.abs(f.px(x) - f.px(at)) > 8) continue;
        add(marks, "circle", { class: "dot " + s.look, cx: f.px(x), cy: f.py(p[1]), r: 4 });
        const range = p.length > 2 && p[3] > p[2] ? ` (${spec.value(p[2])} to ${spec.value(p[3])})` : "";
        rows.push({ look: s.look, name: s.name, value: spec.value(p[1]) + range, y: p[1] });
      }
      showTip(event, spec.title(at), rows.sort((a, b) => b.y - a.y));
    }
    cover.addEventListener("pointermove", hover);
    cover.addEventListener("pointerdown", hover);
    cover.addEventListener("pointerleave", () => { marks.replaceChildren(); hideTip(); });
  }

  // A strategy keeps its colour in all charts; beyond eight the dashes differ.
  const names = [...new Set(entries.map((e) => e.name))];
  const looks = new Map(names.map((n, i) => [n, "c" + (i % 8) + (i < 8 ? "" : " d" + (1 + (Math.floor(i / 8) - 1) % 2))]));
  const hidden = new Set();

  function legend(id, shown) {
    const box = byId(id);
    box.replaceChildren();
    for (const n of names.filter((n) => shown.some((e) => e.name === n))) {
      const failed = shown.filter((e) => e.name === n).every((e) => !e.valid);
      const b = add(box, "button", { type: "button", "aria-pressed": String(!hidden.has(n)), title: "show or hide" });
      add(b, "span", { class: "key " + looks.get(n) });
      add(b, "span", {}, n + (failed ? ", audit failed" : ""));
      b.addEventListener("click", () => {
        if (!hidden.delete(n)) hidden.add(n);
        draw();
      });
    }
  }

  const visible = (list) => list.filter((e) => !hidden.has(e.name));
  const extent = (list) => list.reduce((a, v) => [Math.min(a[0], v), Math.max(a[1], v)], [Infinity, -Infinity]);
  const positive = (list) => extent(list.filter((v) => v > 0));

  function drawClients() {
    const counts = [...new Set(entries.map((e) => e.clients))].sort((a, b) => a - b);
    const modes = new Set(entries.map((e) => e.mode));
    const shown = visible(entries.filter((e) => e.valid));
    const keys = [...new Set(shown.map((e) => e.name + "\n" + e.mode))];
    const series = (value) => keys.map((key) => {
      const own = shown.filter((e) => e.name + "\n" + e.mode === key).sort((a, b) => a.clients - b.clients);
      return { name: own[0].name + (modes.size > 1 ? ", " + own[0].mode : ""), look: looks.get(own[0].name), points: own.map(value) };
    });
    byId("compare").hidden = entries.length < 2;
    // With one number of clients there is no curve: the strategies stand beside
    // each other instead.
    const one = counts.length === 1, place = one ? (e) => names.indexOf(e.name) : (e) => e.clients;
    const common = {
      x: ordinal(one ? names.map((_, i) => i) : counts), xTick: (v) => (one ? names[v] : String(v)), dots: true,
      title: (v) => (one ? names[v] : v + (v === 1 ? " client" : " clients")),
    };
    byId("cap-score").textContent = data.unit + (one ? " by strategy" : " by clients");
    byId("cap-p99").textContent = (one ? "p99 by strategy" : "p99 by clients") + ", ms (log scale)";
    lines("score", Object.assign({
      label: data.unit + " by number of clients", series: series((e) => [place(e), e.score, e.min, e.max]),
      y: linear(0, Math.max(0, ...shown.map((e) => e.max)), 5), yTick: short, value: rate,
    }, common));
    const [lo, hi] = positive(shown.map((e) => e.p99));
    lines("p99", Object.assign({
      label: "p99 latency by number of clients", series: series((e) => [place(e), e.p99]).map((s) => ({ ...s, points: s.points.filter((p) => p[1] > 0) })),
      y: logarithmic(lo / 1.5, hi * 1.2), yTick: plain, value: ms,
    }, common));
    legend("legend-clients", entries);
  }

  function drawGroup() {
    const all = entries.filter((e) => e.group === byId("group").value), shown = visible(all);
    const label = (e) => e.name + (e.valid ? "" : ", audit failed");
    const zip = (value) => shown.map((e) => ({ name: label(e), look: looks.get(e.name), points: e.t.map((t, i) => [t, value(e)[i]]) }));
    const end = Math.max(0, ...shown.flatMap((e) => e.t));
    const time = { x: linear(0, end, 6), xTick: sec, title: (t) => "at " + sec(t) };
    byId("cap-rate").textContent = data.unit + " over time";
    lines("rate", Object.assign({
      label: data.unit + " over time", series: zip((e) => e.o), y: linear(0, Math.max(0, ...shown.flatMap((e) => e.o)), 5), yTick: short, value: rate,
    }, time));
    lines("tail", Object.assign({
      label: "p99 latency over time", series: zip((e) => e.q), y: linear(0, Math.max(0, ...shown.flatMap((e) => e.q)), 5), yTick: plain, value: ms,
    }, time));
    const spectra = shown.map((e) => ({ name: label(e), look: looks.get(e.name), points: e.sp.filter((p) => p[1] > 0) }));
    const [lo, hi] = extent(spectra.flatMap((s) => s.points.map((p) => p[1])));
    const nines = Math.max(1, ...spectra.flatMap((s) => s.points.map((p) => p[0])));
    lines("spectrum", {
      label: "latency by percentile", series: spectra, height: 300, value: ms, yTick: plain, y: logarithmic(lo, hi),
      x: { at: (v) => v / nines, ticks: Array.from({ length: Math.floor(nines) + 1 }, (_, i) => i) },
      xTick: percentile, title: percentile,
    });
    legend("legend-group", all);
  }

  function drawHeat() {
    const e = entries[Number(byId("which").value)], box = byId("heat");
    if (!e || !e.heat) {
      box.replaceChildren();
      add(box, "p", { class: "quiet" }, "Nothing to draw: the file holds no latencies by interval.");
      return;
    }
    const { t, e: edges, c } = e.heat;
    const f = frame(box, "latency over time", linear(t[0], t[t.length - 1], 6), logarithmic(edges[0], edges[edges.length - 1]), sec, plain, 300);
    const most = Math.log1p(Math.max(...c.flat()));
    c.forEach((column, i) => column.forEach((n, j) => {
      if (n === 0) return;
      const x = f.px(t[i]), y = f.py(edges[j + 1]);
      const cell = add(f.svg, "rect", {
        class: "cell", x: x.toFixed(1), y: y.toFixed(1), width: Math.max(0.5, f.px(t[i + 1]) - x - 0.5).toFixed(1), height: Math.max(0.5, f.py(edges[j]) - y - 0.5).toFixed(1),
        "fill-opacity": (0.08 + 0.92 * Math.log1p(n) / most).toFixed(2),
      });
      const hover = (event) => showTip(event, `${sec(t[i])} to ${sec(t[i + 1])}`, [{ name: `${number(edges[j], 4)} to ${ms(edges[j + 1])}`, value: number(n, 0) }]);
      cell.addEventListener("pointermove", hover);
      cell.addEventListener("pointerdown", hover);
      cell.addEventListener("pointerleave", hideTip);
    }));
  }

  function draw() {
    drawClients();
    drawGroup();
    drawHeat();
  }

  function sortable(table) {
    table.querySelectorAll("th").forEach((th, column) => {
      const b = document.createElement("button");
      b.type = "button";
      b.textContent = th.textContent;
      th.replaceChildren(b);
      b.addEventListener("click", () => {
        const up = th.getAttribute("aria-sort") !== "ascending", sign = up ? 1 : -1;
        table.querySelectorAll("th").forEach((o) => o.removeAttribute("aria-sort"));
        th.setAttribute("aria-sort", up ? "ascending" : "descending");
        const body = table.tBodies[0];
        const keyed = [...body.rows].map((row) => {
          const cell = row.cells[Math.min(column, row.cells.length - 1)];
          return { row, v: cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v) };
        });
        keyed.sort((a, b) => sign * (typeof a.v === "number" && typeof b.v === "number" ? a.v - b.v : String(a.v).localeCompare(String(b.v))));
        keyed.forEach((k) => body.appendChild(k.row));
      });
    });
  }

  document.querySelectorAll("table.sortable").forEach(sortable);
  if (entries.length === 0) return;
  [...new Set(entries.map((e) => e.group))].forEach((g) => add(byId("group"), "option", { value: g }, g));
  entries.forEach((e, i) => add(byId("which"), "option", { value: i }, e.name + ", " + e.group));
  byId("group").value = entries[0].group;
  byId("group").addEventListener("change", drawGroup);
  byId("which").addEventListener("change", drawHeat);
  byId("charts").hidden = false;
  draw();
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    draw();
  });
})();
