/** The parts that features add to a Model: what they have made of their options. */

export type ModelParts = ReadonlyMap<ModelPart<unknown>, unknown>

/** The key of a part, which only the folder of its feature has. */
export class ModelPart<Value> {
  /** As the part of a model that is being made. */
  with(value: Value): ModelParts {
    return new Map<ModelPart<unknown>, unknown>([[this, value]])
  }

  of({ parts }: { readonly parts: ModelParts }): Value {
    if (!parts.has(this)) throw new Error('A model without a feature has no part of it')
    // Only `with` adds it.
    return parts.get(this) as Value
  }
}
