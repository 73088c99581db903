#!/usr/bin/python3
"""test_page.py: the page of a report in a browser: search, filters and sorting; headings, names of controls, contrast
and the order of the focus; widths; nothing in the browser's console; and its size for a hundred cases. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
# first: it skips the test where modules are missing
from drawing import PENDULUM, folder, ok, run_here, run_tests

import json
import os
import re
import shutil
import subprocess

from constella import page

ALL = bool(os.environ.get("CONSTELLA_TEST_ALL"))
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
(folder / "pendula.yaml").write_text(PENDULUM)
STUDY = {
    "study": "conservation",
    "title": "Nine lengths",
    "system": {"file": "pendula.yaml", "parameters": {"L2": [1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3]}},
    "end": 4,
    "steps": [0.1, 0.05],
    "methods": ["rattle", "rk4"],
}
result = run_here(STUDY, "page.h5")
TEXT = page.page(result)

PROBE = r"""
<script>
const told = {errors: []}, all = (s, n = document) => [...n.querySelectorAll(s)];
const shown = (n) => n.getClientRects().length > 0;
const rows = () => all("table.results tbody tr").filter(shown), cell = (row, k) => row.cells[k].textContent;
const heads = all("table.results thead th").map((h) => h.textContent);
const fire = (node, value) => { node.value = value; node.dispatchEvent(new Event("input", {bubbles: true})); };
const choice = (name) => all("form.filter label").find((l) => l.textContent.startsWith(name)).querySelector("select, input");
const out = () => document.querySelector("form.filter output").textContent;
told.all = [rows().length, out()];
fire(choice("method"), "rattle"); told.method = [rows().length, out(), rows().every((r) => cell(r, heads.indexOf("method")) === "rattle")];
const matrix = document.querySelector("table.matrix");
told.matrix = [matrix.dataset.down, all("tbody tr", matrix).filter(shown).length, all("thead th", matrix).filter(shown).map((n) => n.textContent)];
fire(choice("L2"), "1.5"); told.two = [rows().length, all("tbody tr", matrix).filter(shown).map((n) => n.cells[0].textContent)];
document.querySelector("form.filter").reset(); 
setTimeout(() => {
  told.reset = rows().length;
  fire(choice("search"), "RK4 2.25"); told.search = rows().map((r) => cell(r, heads.indexOf("L2")));
  fire(choice("search"), "<nothing>"); told.nothing = [rows().length, out()];
  fire(choice("search"), "");
  const k = heads.indexOf("energy_max"), button = all("table.results thead button")[k];
  const numbers = () => rows().map((r) => Number(r.cells[k].dataset.v));
  button.click(); told.up = numbers(); button.click(); told.down = numbers();
  told.sort = all("table.results th[aria-sort]").map((h) => h.getAttribute("aria-sort"));
  told.headings = all("h1, h2, h3").map((h) => Number(h.tagName[1]));
  told.unnamed = all("input, select, button, [role=region]").filter((n) => !(n.closest("label") || n.textContent.trim() || n.getAttribute("aria-label"))).map((n) => n.outerHTML.slice(0, 80));
  told.images = all("img").filter((n) => !n.alt).length;
  told.language = document.documentElement.lang;
  const focus = all("a[href], button, input, select, summary, [tabindex]").filter(shown);
  told.positive = focus.filter((n) => n.tabIndex > 0).length;
  told.reachable = all(".scroll, pre").filter((n) => shown(n) && (n.scrollWidth > n.clientWidth + 1 || n.scrollHeight > n.clientHeight + 1)).every((n) => n.tabIndex === 0);
  told.focus = focus.slice(0, 9).map((n) => n.tagName);
  const light = (c) => { const f = (x) => (x /= 255) <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]); };
  const parse = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const behind = (n) => { let over = [255, 255, 255]; const path = []; for (let m = n; m; m = m.parentElement) path.unshift(m);
    for (const m of path) { const c = parse(getComputedStyle(m).backgroundColor), a = c.length > 3 ? c[3] : 1; over = over.map((x, i) => x * (1 - a) + c[i] * a); } return over; };
  told.pale = [...new Set(all("body *").filter((n) => shown(n) && [...n.childNodes].some((c) => c.nodeType === 3 && c.data.trim())).map((n) => {
    const a = light(parse(getComputedStyle(n).color)), b = light(behind(n)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return ratio < 4.5 ? n.tagName + " " + n.textContent.slice(0, 20) + " " + ratio.toFixed(2) : ""; }))].filter(Boolean);
  told.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  document.title = "told " + JSON.stringify(told);
}, 0);
</script>
"""


def look(width):
    """What the probe tells of the page at a width, and the lines of the console."""
    file = folder / "probe.html"
    file.write_text(TEXT.replace("</body>", PROBE + "</body>"), encoding="utf-8")
    line = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'browser'}"]
    line += [f"--window-size={width},900", "--virtual-time-budget=3000", "--enable-logging=stderr", "--dump-dom", file.as_uri()]
    done = subprocess.run(line, capture_output=True, text=True, timeout=600)
    said = re.search(r"<title>told (\{.*?\})</title>", done.stdout, re.S)
    text = said[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") if said else "{}"
    return json.loads(text), [s for s in done.stderr.splitlines() if "CONSOLE" in s]


def test_contents():
    ok(TEXT.count("<tr") > 36 and 'data-down="sets"' in TEXT, "contents: 18 sets are down, not across")
    heads = re.findall(r"<th[^>]* data-facet>(.*?)</th>", TEXT)
    ok(set(heads[:3]) == {"L2", "method", "step"}, "contents: filters for what differs", heads)
    cells = re.findall(r'<td class="number" data-v="([^"]*)">([^<]*)</td>', TEXT)
    wrong = [c for c in cells if c[1] != "–" and abs(float(c[0]) - float(c[1])) > 6e-3 * abs(float(c[0])) + 6e-4]
    ok(len(cells) > 100 and not wrong, "contents: numbers to sort by are those that are shown", wrong[:5])
    ok(not re.search(r"(src|href)=\"(?!#|data:)", TEXT), "contents: nothing from elsewhere")


def test_size():
    if not ALL:
        return ok(True, "size # SKIP runs with CONSTELLA_TEST_ALL")
    steps = [0.1 / k for k in range(1, 26)]
    many = run_here({**STUDY, "system": "double-pendulum", "end": 1, "steps": steps, "methods": ["rattle", "shake", "rk4", "midpoint"]}, "many.h5")
    size = len(page.page(many).encode())
    ok(len(many.chosen) == 100 and size < 2e6, f"size: {size / 1e6:.2f} MB for 100 cases")


def test_browser():
    if not ALL or not BROWSER:
        return ok(True, "browser # SKIP runs with CONSTELLA_TEST_ALL, where chromium is installed")
    for width in (1280, 500):
        told, console = look(width)
        where = f"browser, {width} wide: "
        ok(not console, where + "nothing in the console", console)
        ok(told.get("all") == [36, "36 of 36 cases"], where + "all cases", told)
        ok(told["method"] == [18, "18 of 36 cases", True], where + "one method", told["method"])
        ok(told["matrix"] == ["sets", 18, ["energy", "rattle"]], where + "and the matrix too", told["matrix"])
        ok(told["two"] == [2, ["L2 = 1.5, h = 0.1", "L2 = 1.5, h = 0.05"]], where + "and one length", told["two"])
        ok(told["reset"] == 36 and told["search"] == ["2.25", "2.25"], where + "search", told["search"])
        ok(told["nothing"] == [0, "0 of 36 cases"], where + "what is nowhere", told["nothing"])
        up = told["up"]
        ok(len(up) == 36 and up == sorted(up) and told["down"] == sorted(up)[::-1] and told["sort"] == ["descending"], where + "sorting", told["sort"])
        levels = told["headings"]
        ok(levels[0] == 1 and levels.count(1) == 1 and all(b - a <= 1 for a, b in zip(levels, levels[1:])), where + "headings", levels)
        ok(not told["unnamed"] and not told["images"] and told["language"] == "en", where + "everything has a name", told["unnamed"])
        ok(not told["positive"] and told["reachable"] and told["focus"][0] == "A", where + "the focus follows the page", told["focus"])
        ok(not told["pale"], where + "contrast of at least 4.5", told["pale"])
        ok(told["wide"] <= 0, where + "nothing sticks out", told["wide"])


run_tests(globals())
