/** The types of the client, and no code: the declarations of a generated client have this text. */

/** The types of a collection: its items, the content of writes, its filters. */
export interface Shape {
  readonly row: { readonly id: string }
  readonly create: object
  readonly replace: object
  readonly patch: object
  /** The fields to filter by, with the types of their values. */
  readonly filter: object
  /** The relations to embed: a reference has the shape of its target, an inverse and a set an array of shapes. */
  readonly embed: object
  /** The names of the sets of references whose members can be added and removed one by one. */
  readonly sets: string
  /** The members that rows can be grouped by; absent where no item of a group has a value. */
  readonly groups: object
  /** The values that can be computed from a group. */
  readonly aggregates: object
  /** The result of `create`, when it has more members than the row. */
  readonly created?: object
  readonly below?: { readonly [name: string]: Shape }
  readonly actions?: { readonly [name: string]: ActionShape }
  readonly queries?: { readonly [name: string]: ActionShape }
  /** The names of the fields for one file. */
  readonly files?: string
  /** The names of the lists of files. */
  readonly fileLists?: string
  /** Whether its items are jobs. */
  readonly isJob?: true
}

export type Shapes = { readonly [collection: string]: Shape }

/** The collections of a client, each as a property, and its batches. */
export type Collections<S extends Shapes> = {
  readonly [N in keyof S as Exclude<N, '/'>]: Collection<S[N]> &
    SubCollections<S[N]> &
    Actions<S[N]> &
    Queries<S[N]> &
    FileResources<S[N]> &
    JobMethods<S[N]>
} & (S extends { readonly '/': infer Own }
  ? {
      /** The actions of the service itself, and `queries`: `api['/'].quote({ lines })`. */
      readonly '/': Actions<Own> & Queries<Own>
    }
  : unknown) & {
    /** Sends the requests that the function adds: all of them have an effect, or none. */
    readonly batch: (build: (batch: Batch<S>) => void) => Promise<readonly BatchResponse[]>
    /** Who is signed in; undefined: the caller is anonymous, or the service has no accounts. */
    readonly session: () => Promise<Session | undefined>
  }

/**
 * Who the client is for the service: the account and its roles, by the session of the pages or by `authorization`.
 * @example
 * import { client } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const me = await client<typeof definition>('http://localhost:3000').session()
 * if (me?.roles.includes('admin')) console.log('Show the menu of administrators', me.account)
 */
export interface Session {
  /** The URI of the account; null where there is none, or the caller may not read it. */
  readonly account: string | null
  /** The last segment of that URI. */
  readonly id: string | undefined
  readonly roles: readonly string[]
  /** When the session or the token ends; absent with a password. */
  readonly expiresAt?: string
  /** Ends the session of the pages, in the browser that has it. */
  signOut(): Promise<void>
}

/** The shape of a sub-collection: its items may be created without the reference F. */
export type Below<S extends Shape, F extends string> = Omit<S, 'create' | 'below' | 'actions' | 'queries'> & {
  readonly create: Omit<S['create'], F> & Partial<Pick<S['create'], F & keyof S['create']>>
}

/** For each inverse of a resource a function from the id of an item to the items that refer to it. */
export type SubCollections<S extends Shape> = S extends { readonly below: infer B }
  ? {
      readonly [N in keyof B]: (
        id: string,
      ) => SubCollection<B[N] extends Shape ? B[N] : never> & Actions<B[N]>
    }
  : unknown

/**
 * The methods of a sub-collection, such as the tasks of a project. `create` sets the reference.
 * @example
 * import { client } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const api = client<typeof definition>('http://localhost:3000')
 * await api.projects.tasks('apollo').create({ title: 'Write the report' })
 */
export type SubCollection<S extends Shape = Shape> = Pick<
  Collection<S>,
  'list' | 'all' | 'query' | 'count' | 'aggregate' | 'changes' | 'watch' | 'create' | 'createMany'
>

/**
 * The methods of a collection. F are the fields and E the relations that a query selects. When the
 * caller may write an item but not read it, a write returns only its `id`.
 * @example
 * import { client } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const { notes } = client<typeof definition>('http://localhost:3000')
 * for await (const { id, title } of notes.all({ done: false, fields: ['title'] })) console.log(id, title)
 */
export interface Collection<S extends Shape = Shape> {
  /** Returns a page of the list. */
  list<const F extends FieldName<S> = never, const E extends EmbedName<S> = never>(
    query?: Query<S, F, E>,
  ): Promise<Page<Item<S, F, E>>>
  /** Iterates over all visible items: `for await (const item of api.items.all())`. */
  all<const F extends FieldName<S> = never, const E extends EmbedName<S> = never>(
    query?: Query<S, F, E>,
  ): AsyncGenerator<Item<S, F, E>, void, undefined>
  /** Returns a page of a QUERY request, in which `any`, `all` and `not` combine conditions. */
  query<const F extends FieldName<S> = never, const E extends EmbedName<S> = never>(
    condition: Condition<S['filter']>,
    query?: Query<S, F, E>,
  ): Promise<Page<Item<S, F, E>>>
  /** Returns the number of visible items that match. */
  count(query?: Filter<S['filter']> & Search): Promise<number>
  /** Returns a row for each group of the visible items that match; one row without `groupBy`. */
  aggregate<const A extends AggregateName<S>, const G extends GroupName<S> = never>(
    query: AggregateQuery<S, A, G>,
  ): Promise<readonly AggregateRow<S, A, G>[]>
  /** Follows the changes of the visible items that match, and connects again by itself. */
  changes(query?: Filter<S['filter']> & ChangesQuery): AsyncGenerator<Change<S['row']>, void, undefined>
  /** A page of the list that stays current while it has a subscriber. Changes of embedded items alone are not noticed. */
  watch<const F extends FieldName<S> = never, const E extends EmbedName<S> = never>(
    query?: Query<S, F, E>,
  ): Watch<Item<S, F, E>>
  get<const F extends FieldName<S> = never, const E extends EmbedName<S> = never>(
    id: string,
    selection?: Selection<F, E>,
  ): Promise<Item<S, F, E>>
  /** Creates an item, with an Idempotency-Key, so that a retry does not create a second one. */
  create(item: S['create']): Promise<CreatedOf<S>>
  /** Creates all of the items or none. The resource must declare `bulk`. */
  createMany(items: readonly S['create'][]): Promise<readonly S['row'][]>
  /** Replaces the item if it has not changed since it was last read; else throws a Conflict. */
  replace(id: string, item: S['replace']): Promise<S['row']>
  /** Changes some fields (null removes one) if the item has not changed; else throws a Conflict. */
  patch(id: string, changes: S['patch']): Promise<S['row']>
  remove(id: string): Promise<void>
  /** Add an item to a set of references, and remove it; the other members stay, even if other callers change them. */
  addElement(id: string, set: S['sets'], member: string): Promise<void>
  removeElement(id: string, set: S['sets'], member: string): Promise<void>
  /** Returns a page of the item's versions, newest first. The resource must declare `history`. */
  history(id: string, query?: { readonly limit?: number }): Promise<Page<Version>>
  /** Returns the item as it was in a version of its history. */
  version(id: string, version: string): Promise<S['row']>
}

export type FieldName<S extends Shape> = keyof S['row'] & string
/** The relations to embed: names, and paths of up to three names such as `'task.project'`. */
export type EmbedName<S extends Shape> = {
  [N in RelationName<S>]: N | `${N}.${ShortEmbedName<Related<S, N>>}`
}[RelationName<S>]
export type ShortEmbedName<S extends Shape> = {
  [N in RelationName<S>]: N | `${N}.${RelationName<Related<S, N>>}`
}[RelationName<S>]
export type RelationName<S extends Shape> = keyof S['embed'] & string
/** The shape of the items that a relation leads to. */
export type Related<
  S extends Shape,
  N extends RelationName<S>,
> = S['embed'][N] extends readonly (infer T extends Shape)[]
  ? T
  : S['embed'][N] extends Shape
    ? S['embed'][N]
    : never
export type CreatedOf<S extends Shape> = S extends { readonly created: infer C } ? C : S['row']

/** A row with the selected fields (by default all) and the embedded items. */
export type Item<S extends Shape, F extends FieldName<S>, E extends string> = ([F] extends [never]
  ? S['row']
  : Pick<S['row'], F | 'id' | (FirstName<E> & FieldName<S>)>) &
  Embedding<S, E>

/** The embedded items. An inverse embeds the first 50; `_links` leads to all where there are more. */
export type Embedding<S extends Shape, E extends string> = [E] extends [never]
  ? unknown
  : {
      readonly _embedded?: {
        readonly [N in FirstName<E> & RelationName<S>]?: EmbeddedValue<S, N, FurtherNames<E, N>>
      }
      readonly _links?: { readonly [N in FirstName<E> & RelationName<S>]?: { readonly href: string } }
    }
export type EmbeddedValue<
  S extends Shape,
  N extends RelationName<S>,
  E extends string,
> = S['embed'][N] extends readonly unknown[]
  ? readonly Item<Related<S, N>, never, E>[]
  : Item<Related<S, N>, never, E>
export type FirstName<E extends string> = E extends `${infer N}.${string}` ? N : E
export type FurtherNames<E extends string, N extends string> = E extends `${N}.${infer Rest}` ? Rest : never

/**
 * An array of items; `next` loads the following page and is undefined on the last.
 * @example
 * import { client } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const { notes } = client<typeof definition>('http://localhost:3000')
 * const first = await notes.list({ sort: '-createdAt', limit: 20 })
 * const second = await first.next?.()
 */
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

/**
 * Filters, search, selection, order and page size of a list.
 * @example
 * import { client } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const { notes } = client<typeof definition>('http://localhost:3000')
 * await notes.list({ done: false, title: { contains: 'milk' }, sort: '-updatedAt', limit: 10 })
 */
export type Query<S extends Shape, F extends string = never, E extends string = never> = Filter<S['filter']> &
  Search &
  Selection<F, E> & {
    readonly sort?: Order<SortName<S>> | readonly Order<SortName<S>>[]
    readonly limit?: number
  }

export type GroupName<S extends Shape> = keyof S['groups'] & string
export type AggregateName<S extends Shape> = keyof S['aggregates'] & string

/**
 * The values to compute, the groups, and the filters, search and order.
 * @example
 * import { client } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const { notes } = client<typeof definition>('http://localhost:3000')
 * const rows = await notes.aggregate({ aggregate: ['count'], groupBy: ['done'], sort: '-count' })
 */
export type AggregateQuery<S extends Shape, A extends string, G extends string> = Filter<S['filter']> &
  Search & {
    readonly aggregate: readonly A[]
    readonly groupBy?: readonly G[]
    /** One of the groups or aggregates; `-` before a name means descending. */
    readonly sort?: AggregateOrder<A | G> | readonly AggregateOrder<A | G>[]
  }

export type AggregateOrder<Name extends string> = NoInfer<Name | `-${Name}`>

export type AggregateRow<S extends Shape, A extends string, G extends string> = Pick<
  S['aggregates'],
  A & keyof S['aggregates']
> &
  Pick<S['groups'], G & keyof S['groups']>

export type Order<Name extends string> = Name | `-${Name}`

/** A field, or a path of up to three names through references, such as `'project.name'`. */
export type SortName<S extends Shape> =
  | FieldName<S>
  | { [N in ReferenceName<S>]: `${N}.${ShortSortName<Related<S, N>>}` }[ReferenceName<S>]
export type ShortSortName<S extends Shape> =
  | FieldName<S>
  | { [N in ReferenceName<S>]: `${N}.${FieldName<Related<S, N>>}` }[ReferenceName<S>]
export type ReferenceName<S extends Shape> = {
  [N in RelationName<S>]: S['embed'][N] extends readonly unknown[] ? never : N
}[RelationName<S>]

/** A value to equal, or operators; `'author.name'` filters by a field of a related item. */
export type Filter<F> = { readonly [N in keyof F]?: F[N] | Comparison<F[N]> } & {
  readonly [path: `${string}.${string}`]: unknown
}

/** The content of a QUERY: conditions on fields, and combinations of conditions. */
export type Condition<F> = Filter<F> & {
  readonly any?: readonly Condition<F>[]
  readonly all?: readonly Condition<F>[]
  readonly not?: Condition<F>
}

// In brackets, so that a union of choices is not distributed.
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

/** An action or a query of an item or of the collection: its input, and what its response shows. */
export interface ActionShape {
  readonly on: 'item' | 'collection' | 'service'
  readonly input: object
  readonly result: unknown
}

/**
 * A method for each action: `api.tasks.assign(id, { person })`, `api.tasks.import({ titles })`. An action
 * without input takes `{}`. It is sent with an Idempotency-Key, so that a retry does not repeat its effect.
 * It returns the declared result; without one the item that the action made, or its own item, and undefined where there
 * is none to show.
 */
export type Actions<S> = S extends { readonly actions: infer A }
  ? { readonly [N in keyof A]: ActionMethod<A[N]> }
  : unknown

/**
 * A method for each query: `api.orders.queries.revenue({ from, to })`, and with the id of the item first for one on an
 * item. It is a GET, or a QUERY where a member of the input has several values.
 */
export type Queries<S> = S extends { readonly queries: infer Q }
  ? { readonly queries: { readonly [N in keyof Q]: ActionMethod<Q[N]> } }
  : unknown

export type ActionMethod<A> = A extends ActionShape
  ? A['on'] extends 'item'
    ? (id: string, input: A['input']) => Promise<A['result']>
    : (input: A['input']) => Promise<A['result']>
  : never

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

/** The method of jobs that other collections do not have: returns the job when it has ended; `status` says how. */
export type JobMethods<S> = S extends { readonly isJob: true; readonly row: infer Row }
  ? { ended(id: string): Promise<Row> }
  : unknown

/**
 * A file of an item, such as `api.tasks.cover(id)`. Writes are rejected with a Problem (412) when the
 * file has changed since this client last read or wrote it.
 */
export interface FileResource {
  /** Returns the content with its media type. */
  get(): Promise<Blob>
  /** Stores the content. With `resume` it is sent in parts, and an upload that was cut continues where it stopped. */
  put(content: Blob, options?: FileOptions & { readonly resume?: boolean }): Promise<void>
  remove(): Promise<void>
}

/** A list of files of an item, such as `api.tasks.photos(id)`. The item shows which files it has. */
export interface FileList {
  /** Adds the content at the end; returns the `href` of the new file. */
  add(content: Blob, options?: FileOptions): Promise<string>
  /** The file of the list with this `href` or id. */
  file(href: string): FileResource
}

export interface FileOptions {
  /** By default that of a File. */
  readonly name?: string
}

/** For each field for files a function from the id of an item to its file, or to its list of files. */
export type FileResources<S> = (S extends { readonly files: infer F extends string }
  ? { readonly [N in F]: (id: string) => FileResource }
  : unknown) &
  (S extends { readonly fileLists: infer F extends string }
    ? { readonly [N in F]: (id: string) => FileList }
    : unknown)

/**
 * The methods of a service with mail. A secret is the last part of the link in a mail; it works once. A used or
 * expired one is rejected with a Problem (404).
 */
export interface MailMethods {
  /** Requests a mail with a link to set a new password. Resolves alike whether or not the login has an account. */
  requestPasswordReset(content: { readonly login: string }): Promise<void>
  /** Sets the password, and ends all sessions and tokens of the account. */
  resetPassword(secret: string, content: { readonly password: string }): Promise<void>
  /**
   * Requests a mail with a link that proves an address. With Basic credentials and `currentPassword`, another
   * address than that of the account becomes its login when the link is used.
   */
  requestVerification(content: { readonly login: string; readonly currentPassword?: string }): Promise<void>
  /** Proves the address, or completes a sign-up by mail, with the password of the account. */
  confirmAddress(secret: string, content: { readonly password?: string }): Promise<void>
  /** Creates the account of the invitation, with a password and the other fields that accounts require. */
  acceptInvitation(
    secret: string,
    content: { readonly password: string; readonly [field: string]: unknown },
  ): Promise<void>
}

/**
 * A change of an item. A deleted item has left the filter, or what the caller may read. `reset` has
 * no `href`: read the list again.
 * @example
 * import { client } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const { notes } = client<typeof definition>('http://localhost:3000')
 * for await (const { type, href, item } of notes.changes({ done: false })) {
 *   console.log(type, href, item?.title)
 *   break
 * }
 */
export interface Change<Row> {
  /** For `after`, to continue here. */
  readonly id: string
  /** The same for every reader and at every reading, to recognise a change that was processed. */
  readonly event?: string
  /** Such as `notes.created`, `notes.updated`, `notes.deleted`, or `reset`. */
  readonly type: string
  readonly href?: string
  readonly version?: string
  readonly at?: string
  readonly item?: Row
}

/**
 * A list that stays current: items appear, change, move and leave as in a list that is read now, also when the caller may
 * no longer see them. It is followed while it is iterated or has a subscriber.
 * @example
 * import { client } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const { notes } = client<typeof definition>('http://localhost:3000')
 * const open = notes.watch({ done: false, sort: 'title', limit: 20 })
 * const leave = open.subscribe(() => console.log(open.snapshot()?.length))
 * leave()
 */
export interface Watch<Item> extends AsyncIterable<readonly Item[]> {
  /** Calls the function after each change of the list; returns the function that ends this. */
  readonly subscribe: (listener: () => void) => () => void
  /** The list as it was last read; undefined before. Throws the Problem that ended it. */
  readonly snapshot: () => readonly Item[] | undefined
}

export interface ChangesQuery {
  /** The `id` of the last change that was processed; without it the changes begin now. */
  readonly after?: string
  /** Words that the declared search fields must contain. */
  readonly q?: string
}

/**
 * A version of an item: when it was made, by whom, and the values that it changed. `from` is absent
 * where the item had no value, `to` where it has none any more.
 * @example
 * import { client } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const { notes } = client<typeof definition>('http://localhost:3000')
 * const [note] = await notes.list({ limit: 1 })
 * const [latest] = note ? await notes.history(note.id, { limit: 1 }) : []
 * console.log(latest?.at, latest?.by, latest?.changes.title?.from)
 */
export interface Version {
  /** For `version`, to read the item as it was. */
  readonly version: string
  readonly at: string
  /** The account, where the caller may read it. */
  readonly by?: string
  /** `created`, `updated`, or the name of a transition or action. */
  readonly kind: string
  readonly changes: { readonly [field: string]: { readonly from?: unknown; readonly to?: unknown } }
}

/**
 * How a client authenticates, retries and sends requests.
 * @example
 * import { readFile } from 'node:fs/promises'
 * import type { ClientOptions } from 'restwell/client'
 *
 * const options: ClientOptions = {
 *   authorization: async () => `Bearer ${await readFile('token.txt', 'utf8')}`,
 * }
 */
export interface ClientOptions {
  /** The value of the header field Authorization, or a function that returns it for each request. */
  readonly authorization?: string | (() => string | Promise<string>)
  /** How often a request that is safe to repeat is retried; 3 by default. */
  readonly retries?: number
  /**
   * Whether a write has the entity tag of the item as this client last read it, so that it fails with a `Conflict`
   * where others changed the item; true by default. With false, the last write wins.
   */
  readonly sendsTags?: boolean
  /** Whether writes are only tried: they return and throw what the write would, and change nothing. */
  readonly dryRun?: boolean
  /** The older version of the interface to use, such as `v1`; the client of `/client.js?api-version=v1` knows it. */
  readonly apiVersion?: string
  /** The paths that the definition of the service moves, such as `{ jobs: 'runs' }`; those of `/client.js` know them. */
  readonly paths?: {
    readonly [N in
      | 'batch'
      | 'jobs'
      | 'webhooks'
      | 'password-resets'
      | 'verifications'
      | 'invitations']?: string
  }
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/**
 * A fault in the content of a request: its JSON Pointer, the rule it breaks, and what to do.
 * @example
 * import { type ContentFault, Problem } from 'restwell/client'
 *
 * function faultsOf(error: unknown): readonly ContentFault[] {
 *   return error instanceof Problem ? (error.errors ?? []) : []
 * }
 */
export interface ContentFault {
  readonly pointer: string
  readonly rule: string
  readonly detail: string
}
