// Before anything is painted: the chosen appearance. A classic script, since modules wait for the document; what the
// choice means is in theme.js and style.css.

try {
  const chosen = localStorage.getItem('turnstream.theme');
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // Without storage nothing was chosen.
}
