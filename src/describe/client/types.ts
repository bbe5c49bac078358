/** The types of the client. This file has nothing else, so that its text can stand in a `.d.ts`. */

/** What a collection holds, takes and can be asked by. */
export interface Shape {
  readonly row: { readonly id: string }
  readonly create: object
  readonly replace: object
  readonly patch: object
  /** The fields to filter by, with the types of their values. */
  readonly filter: object
}

export type Shapes = { readonly [collection: string]: Shape }

/** The collections of the service this client is for. */
export type Service = Shapes

export type Client<S extends Shapes = Service> = { readonly [N in keyof S]: Collection<S[N]> }

export interface Collection<S extends Shape = Shape> {
  /** One page, in the order asked for. */
  list(query?: Query<S>): Promise<Page<S['row']>>
  /** Every item that may be seen, page after page: `for await (const item of api.items.all())`. */
  all(query?: Query<S>): AsyncGenerator<S['row'], void, undefined>
  get(id: string): Promise<S['row']>
  /** Sent under an Idempotency-Key, so that sending it again creates nothing twice. */
  create(item: S['create']): Promise<S['row']>
  /** The whole item anew, where it is still as last seen; else a Conflict. */
  replace(id: string, item: S['replace']): Promise<S['row']>
  /** Some fields of the item, where it is still as last seen; null removes. Else a Conflict. */
  patch(id: string, changes: S['patch']): Promise<S['row']>
  remove(id: string): Promise<void>
}

/** An array of items; `next` gets the page after it, and is undefined on the last. */
export interface Page<Row> extends Array<Row> {
  next: (() => Promise<Page<Row>>) | undefined
}

export type Query<S extends Shape> = Filter<S['filter']> & {
  readonly sort?: Order<S['row']> | readonly Order<S['row']>[]
  readonly limit?: number
  readonly fields?: readonly (keyof S['row'] & string)[]
  readonly embed?: readonly (keyof S['row'] & string)[]
  /** Words to look for. */
  readonly q?: string
}

export type Order<Row> = (keyof Row & string) | `-${keyof Row & string}`

/** A value to equal, or operators with theirs; `'author.name'` looks into what is referred to. */
export type Filter<F> = { readonly [N in keyof F]?: F[N] | Comparison<F[N]> } & {
  readonly [path: `${string}.${string}`]: unknown
}

export type Comparison<V> = V extends readonly (infer Item)[]
  ? { readonly has?: Item; readonly missing?: boolean }
  : {
      readonly ne?: V
      readonly in?: readonly V[]
      readonly lt?: V
      readonly lte?: V
      readonly gt?: V
      readonly gte?: V
      readonly missing?: boolean
    } & (V extends string ? { readonly contains?: string; readonly starts?: string } : unknown)

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
