export type Theme = "system" | "light" | "dark";

const key = "tessera-theme";

export function themeChosen(): Theme {
  const kept = localStorage.getItem(key);
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** Without a choice the page follows the system. */
export function chooseTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(key);
  else localStorage.setItem(key, theme);
  applyTheme();
}

export function applyTheme(): void {
  const theme = themeChosen();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
