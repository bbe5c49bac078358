/** The types of the client. This file has nothing else, so that its text can stand in a `.d.ts`. */

/** What a collection holds, takes and can be asked by. */
export interface Shape {
  readonly row: { readonly id: string }
  readonly create: object
  readonly replace: object
  readonly patch: object
  /** The fields to filter by, with the types of their values. */
  readonly filter: object
  /** The references to embed, with the items they lead to. */
  readonly embed: object
  /** What `create` returns, where that is more than the row. */
  readonly created?: object
}

export type Shapes = { readonly [collection: string]: Shape }

/** The collections of the service this client is for. */
export type Service = Shapes

export type Client<S extends Shapes = Service> = { readonly [N in keyof S]: Collection<S[N]> }

/**
 * The methods of a collection. F are the fields and E the references that a query selects. Where
 * the caller may write an item and not read it, a write returns only its `id`.
 */
export interface Collection<S extends Shape = Shape> {
  /** One page, in the order asked for. */
  list<const F extends FieldName<S> = never, const E extends EmbedName<S> = never>(
    query?: Query<S, F, E>,
  ): Promise<Page<Item<S, F, E>>>
  /** Every item that may be seen, page after page: `for await (const item of api.items.all())`. */
  all<const F extends FieldName<S> = never, const E extends EmbedName<S> = never>(
    query?: Query<S, F, E>,
  ): AsyncGenerator<Item<S, F, E>, void, undefined>
  /** One page of what the method QUERY finds: `any`, `all` and `not` combine conditions. */
  query<const F extends FieldName<S> = never, const E extends EmbedName<S> = never>(
    condition: Condition<S['filter']>,
    query?: Query<S, F, E>,
  ): Promise<Page<Item<S, F, E>>>
  /** The number of items that may be seen and match. */
  count(query?: Filter<S['filter']> & Search): Promise<number>
  get<const F extends FieldName<S> = never, const E extends EmbedName<S> = never>(
    id: string,
    selection?: Selection<F, E>,
  ): Promise<Item<S, F, E>>
  /** Sent with an Idempotency-Key, so that a retry creates nothing twice. */
  create(item: S['create']): Promise<CreatedOf<S>>
  /** Creates all of the items or none, where the resource declares `bulk`. */
  createMany(items: readonly S['create'][]): Promise<readonly S['row'][]>
  /** Replaces the whole item if it is still as last seen; else throws a Conflict. */
  replace(id: string, item: S['replace']): Promise<S['row']>
  /** Changes some fields if the item is still as last seen; null removes. Else throws a Conflict. */
  patch(id: string, changes: S['patch']): Promise<S['row']>
  remove(id: string): Promise<void>
}

export type FieldName<S extends Shape> = keyof S['row'] & string
export type EmbedName<S extends Shape> = keyof S['embed'] & string
export type CreatedOf<S extends Shape> = S extends { readonly created: infer C } ? C : S['row']

/** A row with the selected fields (all where none is named) and the embedded items. */
export type Item<S extends Shape, F extends FieldName<S>, E extends EmbedName<S>> = ([F] extends [
  never,
]
  ? S['row']
  : Pick<S['row'], F | 'id' | (E & FieldName<S>)>) &
  ([E] extends [never] ? unknown : { readonly _embedded?: { readonly [N in E]?: S['embed'][N] } })

/** An array of items; `next` gets the page after it, and is undefined on the last. */
export interface Page<Row> extends Array<Row> {
  next: (() => Promise<Page<Row>>) | undefined
}

export interface Selection<F extends string, E extends string> {
  readonly fields?: readonly F[]
  readonly embed?: readonly E[]
}

export interface Search {
  /** Words that the declared search fields must contain. */
  readonly q?: string
}

export type Query<S extends Shape, F extends string = never, E extends string = never> = Filter<
  S['filter']
> &
  Search &
  Selection<F, E> & {
    readonly sort?: Order<S['row']> | readonly Order<S['row']>[]
    readonly limit?: number
  }

export type Order<Row> = (keyof Row & string) | `-${keyof Row & string}`

/** A value to equal, or operators with theirs; `'author.name'` looks into what is referred to. */
export type Filter<F> = { readonly [N in keyof F]?: F[N] | Comparison<F[N]> } & {
  readonly [path: `${string}.${string}`]: unknown
}

/** The content of a QUERY: conditions on fields, and combinations of conditions. */
export type Condition<F> = Filter<F> & {
  readonly any?: readonly Condition<F>[]
  readonly all?: readonly Condition<F>[]
  readonly not?: Condition<F>
}

// In brackets, so that a choice is one type here and `in` takes several of its values.
export type Comparison<V> = [V] extends [readonly (infer Item)[]]
  ? { readonly has?: Item; readonly missing?: boolean }
  : {
      readonly ne?: V
      readonly in?: readonly V[]
      readonly lt?: V
      readonly lte?: V
      readonly gt?: V
      readonly gte?: V
      readonly missing?: boolean
    } & ([V] extends [string] ? { readonly contains?: string; readonly starts?: string } : unknown)

export interface ClientOptions {
  /** The value of the field Authorization, or what makes it anew for each request. */
  readonly authorization?: string | (() => string | Promise<string>)
  /** How often a request is sent again that can be without harm; 3 where it is not said. */
  readonly retries?: number
  /** What sends requests, instead of the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/** Where in the content something is at fault, and why. */
export interface ContentFault {
  readonly pointer: string
  readonly rule: string
  readonly detail: string
}
