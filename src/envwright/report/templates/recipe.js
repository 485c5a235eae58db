"use strict";
(function () {
  // A link into something folded opens it.
  function open(hash) {
    let node = hash.length > 1 && document.getElementById(hash.slice(1));
    if (!node) return;
    for (let at = node; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
    }
    node.scrollIntoView();
  }
  addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link) open(link.hash);
  });
  addEventListener("DOMContentLoaded", () => open(location.hash));
})();
