/** Where a role holds, in words. */
export function placeWord(account: string): string {
  return account === "" ? "the platform" : account;
}
