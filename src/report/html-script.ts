/**
 * The script of every HTML report: filters, folding, and everything open on paper. The page says all that it has to
 * say without it; it reads nothing but attributes that the page itself wrote.
 */
export const htmlScript = `
(() => {
  const bar = document.getElementById("filters");
  const cards = [...document.querySelectorAll("[data-group]")];
  const folds = [...document.querySelectorAll("details")];
  if (bar) {
    bar.hidden = false;
    const boxes = [...bar.querySelectorAll("input[type=checkbox]")];
    const search = bar.querySelector("input[type=search]");
    const status = document.getElementById("status");
    const sections = [...document.querySelectorAll("section[data-cards]")];
    const filter = () => {
      const off = new Set(boxes.filter((box) => !box.checked).map((box) => box.name + ":" + box.value));
      const words = search.value.trim().toLowerCase();
      let shown = 0;
      for (const card of cards) {
        card.hidden = off.has("group:" + card.dataset.group) || off.has("impact:" + card.dataset.impact) ||
          !card.dataset.name.toLowerCase().includes(words);
        if (!card.hidden) shown += 1;
      }
      for (const section of sections) section.hidden = !section.querySelector("[data-group]:not([hidden])");
      status.textContent = shown === cards.length ? "" : shown + " of " + cards.length + " shown";
    };
    bar.addEventListener("input", filter);
    document.getElementById("open").addEventListener("click", () => { for (const card of cards) card.open = true; });
    document.getElementById("close").addEventListener("click", () => { for (const card of cards) card.open = false; });
    filter();
  }
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = folds.filter((fold) => !fold.open);
    for (const fold of closed) fold.open = true;
  });
  addEventListener("afterprint", () => { for (const fold of closed) fold.open = false; });
})();
`;
