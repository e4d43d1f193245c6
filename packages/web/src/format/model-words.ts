/** A model of a price list: `*` is any that the list does not name. */
export function pricedModel(model: string): string {
  return model === "*" ? "any other" : model;
}

/** A model of what was charged: `*` is that of a guarantee of GPUs of any model. */
export function chargedModel(model: string): string {
  return model === "*" ? "any model" : model;
}
