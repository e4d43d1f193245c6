/** Text as one word of a shell line. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
