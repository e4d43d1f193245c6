import { useEffect, useState } from "react";

/** Changes when what colours stand for changes: by the user's choice or that of the system. */
export function useTheme(): string {
  const [theme, setTheme] = useState(themeNow);
  useEffect(() => {
    const look = () => setTheme(themeNow());
    const chosen = new MutationObserver(look);
    chosen.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", look);
    return () => {
      chosen.disconnect();
      system.removeEventListener("change", look);
    };
  }, []);
  return theme;
}

function themeNow(): string {
  return (
    document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")
  );
}
