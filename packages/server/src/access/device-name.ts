const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** What a person recognises a browser by, from what it says of itself: `Firefox on Linux`. Order matters: many name others. */
export function deviceName(agent: string | undefined): string {
  const found = (list: typeof browsers) => list.find(([pattern]) => pattern.test(agent ?? ""))?.[1];
  const [browser, system] = [found(browsers) ?? "A browser", found(systems)];
  return system === undefined ? browser : `${browser} on ${system}`;
}
