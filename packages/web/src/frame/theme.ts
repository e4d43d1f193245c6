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

/** From what is seen now to its opposite. */
export function switchTheme(): void {
  const chosen = themeChosen();
  const isDark = chosen === "dark" || (chosen === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  chooseTheme(isDark ? "light" : "dark");
}

export function applyTheme(): void {
  const theme = themeChosen();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
