/* page.js: search, filters and sorting of the cases of a report; put into the page itself by page.py. Without it the
   page shows all cases in their order. SPDX-License-Identifier: BSD-2-Clause */
"use strict";
(() => {
  const table = document.querySelector("table.results");
  if (!table) return;
  const heads = [...table.tHead.rows[0].cells];
  const rows = [...table.tBodies[0].rows];
  const text = (row, k) => row.cells[k].textContent;
  const make = (name, attributes = {}, words = "") => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.textContent = words;
    return node;
  };

  /* ---- sorting: a button in each header; empty cells last, equal ones in the order of the study */
  const number = (row, k) => parseFloat(row.cells[k].dataset.v ?? text(row, k));
  const order = (k, numeric, sign) => (a, b) => {
    if (!numeric) return sign * text(a, k).localeCompare(text(b, k));
    const x = number(a, k), y = number(b, k);
    if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y);
    return sign * (x - y);
  };
  const sort = (k) => {
    const head = heads[k], down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach((h) => h.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    table.classList.add("sorted");
    const sorted = [...rows].sort(order(k, head.classList.contains("number"), down ? -1 : 1));
    table.tBodies[0].append(...sorted);
  };
  heads.forEach((head, k) => {
    const button = make("button", { type: "button", title: head.title || head.textContent }, head.textContent);
    button.addEventListener("click", () => sort(k));
    head.replaceChildren(button);
  });

  /* ---- filters: a search over all cells, and a choice for each column by which cases differ */
  const form = make("form", { class: "filter", role: "search", "aria-label": "filter the cases" });
  const labelled = (words, control) => {
    const label = make("label", {}, words + " ");
    label.append(control);
    form.append(label);
    return control;
  };
  const search = labelled("search", make("input", { type: "search", autocomplete: "off" }));
  const facets = heads.flatMap((head, k) => {
    if (head.dataset.facet === undefined) return [];
    const name = head.textContent, choice = labelled(name, make("select"));
    choice.append(make("option", { value: "" }, "all"));
    for (const entry of new Set(rows.map((row) => text(row, k)))) choice.append(make("option", { value: entry }, entry));
    return [{ k, name, choice }];
  });
  const reset = make("button", { type: "reset" }, "all cases");
  const count = make("output", { "aria-live": "polite" });
  form.append(reset, count);
  const box = document.querySelector("nav");
  box.after(form);

  const fits = (row) => {
    const words = search.value.toLowerCase().split(/\s+/);
    const whole = row.textContent.toLowerCase();
    const said = [...row.cells].map((cell) => cell.textContent).join(" ").toLowerCase();
    return words.every((w) => said.includes(w) || whole.includes(w)) && facets.every((f) => !f.choice.value || text(row, f.k) === f.choice.value);
  };

  /* In a matrix, methods and sets such as "L2 = 1, h = 0.1" that are not chosen are hidden. */
  const chosen = (label, sets) => facets.every(({ name, choice }) => {
    if (!choice.value) return true;
    if (name === "method") return sets || (label + ", ").startsWith(choice.value + ", ");
    const key = name === "step" ? "h" : name, part = label.split(", ").find((p) => p.startsWith(key + " = "));
    return !part || part === key + " = " + choice.value;
  });
  const filter_matrix = (matrix) => {
    const sets_down = matrix.dataset.down === "sets", head = matrix.tHead.rows[0];
    const column = [...head.cells].map((cell, k) => !k || chosen(cell.textContent, !sets_down));
    for (const row of matrix.rows) {
      row.hidden = row !== head && !chosen(row.cells[0].textContent, sets_down);
      [...row.cells].forEach((cell, k) => { cell.hidden = !column[k]; });
    }
  };
  const apply = () => {
    let left = 0;
    for (const row of rows) left += !(row.hidden = !fits(row));
    document.querySelectorAll("table.matrix[data-down]").forEach(filter_matrix);
    count.textContent = left + " of " + rows.length + " cases";
  };
  form.addEventListener("input", apply);
  form.addEventListener("reset", () => setTimeout(apply));
  form.addEventListener("submit", (event) => event.preventDefault());
  apply();
})();
