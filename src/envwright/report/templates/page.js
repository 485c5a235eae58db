"use strict";
(function () {
  const root = document.documentElement;
  const PAPER = 680; // pixels of a sheet

  // --- charts: figures whose colours are names of the style sheet ---------------------------

  const figures = new Map();
  for (const script of document.querySelectorAll("script[data-figure]")) {
    figures.set(script.dataset.figure, JSON.parse(script.textContent));
  }

  function coloured(value, styles) {
    if (typeof value === "string") {
      return value.startsWith("var(") ? styles.getPropertyValue(value.slice(4, -1)).trim() : value;
    }
    if (Array.isArray(value)) return value.map((each) => coloured(each, styles));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, coloured(v, styles)]));
    }
    return value;
  }

  function draw(id) {
    const node = document.getElementById(id);
    const { data, layout } = coloured(figures.get(id), getComputedStyle(root));
    layout.width = Math.min(node.clientWidth, widest);
    node.dataset.width = node.clientWidth;
    return Plotly.react(node, data, layout, { displayModeBar: false, scrollZoom: false });
  }

  let widest = Infinity;

  function drawAll() {
    for (const id of figures.keys()) draw(id);
  }

  /* One after the other, so that the page answers meanwhile. */
  function drawInTurn(ids) {
    if (!ids.length) {
      root.dataset.charts = "drawn";
      return;
    }
    draw(ids[0]);
    setTimeout(() => drawInTurn(ids.slice(1)), 0);
  }

  const resized = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.dataset.width && Number(target.dataset.width) !== target.clientWidth) {
        requestAnimationFrame(() => draw(target.id));
      }
    }
  });
  for (const id of figures.keys()) resized.observe(document.getElementById(id));

  // --- light and dark -----------------------------------------------------------------------

  function setTheme(theme) {
    root.dataset.theme = theme;
    drawAll();
  }

  function kept() {
    try { return localStorage.getItem("envwright-theme"); } catch (e) { return null; }
  }

  document.getElementById("theme").addEventListener("click", () => {
    const theme = root.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("envwright-theme", theme); } catch (e) { /* not kept then */ }
    setTheme(theme);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
    if (!kept()) setTheme(event.matches ? "dark" : "light");
  });
  let before = "light";
  addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    widest = PAPER;
    setTheme("light");
  });
  addEventListener("afterprint", () => {
    widest = Infinity;
    setTheme(before);
  });

  // --- divergences: a slider over the steps -------------------------------------------------

  function cell(tag, text, kind) {
    const made = document.createElement(tag);
    made.textContent = text;
    if (kind) made.className = kind;
    return made;
  }

  function fieldRow(row) {
    const tr = document.createElement("tr");
    if (row.differs) tr.className = "differs";
    const name = cell("th", row.field);
    name.scope = "row";
    if (row.meaning) name.append(" ", cell("span", row.meaning, "what"));
    tr.append(name, cell("td", row.reference, "n"), cell("td", row.twin, "n"), cell("td", row.gap, "n"));
    return tr;
  }

  function describe(frame, parting) {
    if (frame.step < 0) return "start";
    const action = frame.action ? `, action ${frame.action}` : "";
    const told = frame.note || (parting ? "first difference" : frame.differs ? "they differ" : "they agree");
    return `after step ${frame.step}${action}: ${told}`;
  }

  function openViewer(node) {
    const { images, frames, parting } = JSON.parse(node.querySelector("script").textContent);
    const slider = node.querySelector("input");
    const output = node.querySelector("output");
    const body = node.querySelector("tbody");
    const play = node.querySelector('[data-do="play"]');
    let timer = 0;

    function show(at) {
      const frame = frames[at];
      for (const image of node.querySelectorAll("img[data-side]")) {
        const place = frame[image.dataset.side];
        image.classList.toggle("absent", place === null);
        if (place !== null) image.src = images[place];
        image.alt = `${image.dataset.side} ${frame.step < 0 ? "at the start" : `after step ${frame.step}`}`;
      }
      const text = describe(frame, at === parting);
      body.replaceChildren(...frame.rows.map(fieldRow));
      node.querySelector(".left-out").textContent =
        frame.left_out ? `${frame.left_out} more numbers are left out` : "";
      output.textContent = text;
      slider.setAttribute("aria-valuetext", text);
      slider.value = at;
    }

    function stop() {
      clearInterval(timer);
      timer = 0;
      play.setAttribute("aria-pressed", "false");
    }

    slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
    play.addEventListener("click", () => {
      if (timer) return stop();
      play.setAttribute("aria-pressed", "true");
      if (Number(slider.value) === frames.length - 1) show(0);
      timer = setInterval(() => {
        const next = Number(slider.value) + 1;
        if (next >= frames.length) stop(); else show(next);
      }, 200);
    });
    node.querySelector('[data-do="part"]').addEventListener("click", () => { stop(); show(parting); });
    const overlay = node.querySelector('[data-do="overlay"]');
    if (overlay) {
      overlay.addEventListener("click", () => {
        overlay.setAttribute("aria-pressed", String(node.classList.toggle("overlaid")));
      });
    }
    show(parting);
  }

  document.querySelectorAll("[data-viewer]").forEach(openViewer);

  // --- which environment is being read ---------------------------------------------------------

  const links = new Map([...document.querySelectorAll(".top-nav a")].map((a) => [a.hash.slice(1), a]));
  const spy = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const link = links.get(target.id);
      if (isIntersecting) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "-20% 0px -70% 0px" });
  for (const id of links.keys()) spy.observe(document.getElementById(id));

  drawInTurn([...figures.keys()]);
})();
