// Runs before anything is drawn, so that the page does not flash in the wrong colours.
(() => {
  const kept = localStorage.getItem("clew-theme");
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
})();
