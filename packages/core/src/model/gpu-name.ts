/** Whether a wish or a quota for `asked` covers a device of `model`: the same, or a variant of it. */
export function modelMatches(asked: string, model: string): boolean {
  return asked === "*" || model === asked || (model.startsWith(asked) && model[asked.length] === "-");
}
