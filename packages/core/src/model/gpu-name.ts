/** Whether a request or a quota for `asked` covers a device of `model`: the same model, or a variant of it [U2]. */
export function modelMatches(asked: string, model: string): boolean {
  return asked === "*" || model === asked || (model.startsWith(asked) && model[asked.length] === "-");
}
