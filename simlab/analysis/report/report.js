"use strict";
// Tables sort by their heads and filter by text and by the values of one column. Without this script they just stand there.
(function () {
  const order = new Intl.Collator(undefined, { numeric: true });

  function value(row, column) {
    const cell = row.cells[column];
    const number = cell.dataset.number;
    return number === undefined ? cell.textContent.trim() : number === "" ? NaN : Number(number);
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") {
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
      return a - b;
    }
    return order.compare(String(a), String(b));
  }

  function sort(table, head, column) {
    const down = head.getAttribute("aria-sort") === "ascending";
    const rows = Array.from(table.tBodies[0].rows).map((row, place) => ({ row, place, key: value(row, column) }));
    rows.sort((a, b) => {
      const missing = Number.isNaN(a.key) - Number.isNaN(b.key);
      return missing || (down ? -1 : 1) * compare(a.key, b.key) || a.place - b.place;
    });
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    table.tBodies[0].append(...rows.map((each) => each.row));
  }

  function filter(box) {
    const table = box.querySelector("table");
    const words = (box.querySelector("input")?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const select = box.querySelector("select");
    const column = select ? Number(select.dataset.column) : -1;
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      const chosen = !select || !select.value || row.cells[column].dataset.value === select.value;
      row.hidden = !(chosen && words.every((word) => text.includes(word)));
      shown += row.hidden ? 0 : 1;
    }
    const count = box.querySelector(".count");
    if (count) count.textContent = `${shown} of ${table.tBodies[0].rows.length} rows`;
  }

  for (const box of document.querySelectorAll(".table")) {
    const table = box.querySelector("table");
    Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.title = "Sort by this column";
      head.replaceChildren(button);
      button.addEventListener("click", () => sort(table, head, column));
    });
    const controls = box.querySelector(".controls");
    if (!controls) continue;
    controls.hidden = false;
    for (const control of controls.querySelectorAll("input, select")) {
      control.addEventListener("input", () => filter(box));
    }
    filter(box);
  }
})();
