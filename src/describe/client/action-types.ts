/** The types of actions. Types only, because the text of this file is part of a `.d.ts`. */

/** An action on an item or on the collection: its input, and the item that its response shows. */
export interface ActionShape {
  readonly on: 'item' | 'collection'
  readonly input: object
  readonly result: unknown
}

/**
 * A method for each action: `api.tasks.assign(id, { person })`, `api.tasks.import({ titles })`. An action
 * without input takes `{}`. It is sent with an Idempotency-Key, so that a retry does not repeat its effect.
 * The result is the item that the action made, or its own item; undefined where there is none to show.
 */
export type Actions<S> = S extends { readonly actions: infer A }
  ? { readonly [N in keyof A]: ActionMethod<A[N]> }
  : unknown

export type ActionMethod<A> = A extends ActionShape
  ? A['on'] extends 'item'
    ? (id: string, input: A['input']) => Promise<A['result']>
    : (input: A['input']) => Promise<A['result']>
  : never
