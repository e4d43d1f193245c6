const cookieBytesMax = 8_192;

/** The value of a cookie in a request's header; undefined without one. */
export function cookieNamed(header: string | undefined, name: string): string | undefined {
  if (header === undefined || header.length > cookieBytesMax) return undefined;
  const start = `${name}=`;
  for (const part of header.split(";")) {
    const text = part.trim();
    if (text.startsWith(start)) return text.slice(start.length);
  }
  return undefined;
}
