// Runs before the first paint, so that nobody who works in the dark sees a white flash. A file, because the policy of the
// page allows no inline script.
(() => {
  const chosen = localStorage.getItem("laurel-color-scheme");
  const isDark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
})();
