/** The types of batches. Types only, because the text of this file is part of a `.d.ts`. */

/** The content of the writes to a collection. */
export interface Written {
  readonly create: object
  readonly replace: object
  readonly patch: object
}

/** The writes of a batch, by collection. */
export type Batch<S> = { readonly [N in keyof S]: S[N] extends Written ? BatchCollection<S[N]> : never }

/** Each method adds a request to the batch. */
export interface BatchCollection<S extends Written> {
  /** The `id` of the new item can be used in later requests of the batch, and nowhere else. */
  create(item: S['create']): { readonly id: string }
  replace(id: string, item: S['replace']): void
  patch(id: string, changes: S['patch']): void
  remove(id: string): void
  /** Requires that the item exists, unchanged since this client last read it. */
  assert(id: string): void
}

/** The response to a request of a batch. */
export interface BatchResponse {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  /** The item, where the caller may read it. */
  readonly body?: unknown
}
