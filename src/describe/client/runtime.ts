/**
 * The client of a Restwell service: one module without imports, for browsers and Node. It stores the
 * entity tag of every item it reads and sends it with the next write, so that no change of another
 * caller is lost. It retries requests that are safe to repeat.
 */

import { callAction } from './call-action.ts'
import { endOfJob } from './end-of-job.ts'
import { fileAt } from './file-exchange.ts'
import { followChanges } from './follow-changes.ts'
import { formatQuery, segmentOf, targetOf } from './format-query.ts'
import type { Version } from './item-version.ts'
import { mailMethods } from './mail-requests.ts'
import type { ClientOptions, ContentFault } from './options.ts'
import { randomKey, retryDelay } from './repeat-request.ts'
import { sendBatch } from './send-batch.ts'
import type { Client, Collection, Page, Service, Shapes } from './types.ts'

/**
 * An error response of the service, with the members of its problem (RFC 9457).
 * @example
 * import { client, Problem } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const api = client<typeof definition>('http://localhost:3000')
 * try {
 *   await api.notes.create({ title: '' })
 * } catch (error) {
 *   if (!(error instanceof Problem)) throw error
 *   for (const { pointer, detail } of error.errors ?? []) console.log(pointer, detail)
 * }
 */
export class Problem extends Error {
  readonly type: string = 'about:blank'
  readonly title: string = ''
  readonly status: number
  readonly detail: string | undefined
  readonly instance: string | undefined
  readonly errors: readonly ContentFault[] | undefined

  constructor(status: number, members: object) {
    super(`${status}`)
    this.name = 'Problem'
    Object.assign(this, members)
    this.status = status
    this.message = [this.title, this.detail].filter(Boolean).join(': ') || `Status ${status}`
  }
}

/**
 * The item has changed since this client last read it (status 412).
 * @example
 * import { client, Conflict } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const api = client<typeof definition>('http://localhost:3000')
 * const [note] = await api.notes.list({ limit: 1 })
 * try {
 *   if (note) await api.notes.patch(note.id, { done: true })
 * } catch (error) {
 *   if (error instanceof Conflict) console.log(error.current, error.sent)
 *   else throw error
 * }
 */
export class Conflict extends Problem {
  /** The current item; undefined when it was deleted. The next write is based on it. */
  readonly current: unknown
  /** The content that this client sent. */
  readonly sent: unknown

  constructor(problem: Problem, current: unknown, sent: unknown) {
    super(problem.status, { ...problem, name: 'Conflict' })
    this.current = current
    this.sent = sent
  }
}

/** Returns a client of the service at `base`; by default of the service that served this module. */
export function client<S extends Shapes = Service>(
  base: string | URL = new URL('.', import.meta.url),
  options: ClientOptions = {},
): Client<S> {
  const exchange = createExchange(options)
  const root = String(base).replace(/\/?$/, '/')
  const tags = new Map<string, string>()
  const { batch = 'batch', jobs = 'jobs', webhooks = 'webhooks' } = options.paths ?? {}
  const members: Record<string, unknown> = Object.assign(Object.create(null), {
    batch: (build: () => void) => sendBatch({ exchange, tags, root, path: batch }, build),
    // These requests are the same in every version of the interface, and take no parameters.
    ...mailMethods({
      exchange: createExchange({ ...options, apiVersion: '' }),
      root,
      paths: options.paths ?? {},
    }),
  })
  // Only the service knows its collections.
  return new Proxy(members, {
    get(_, name) {
      // A member `then` would make the client a thenable, which `await` calls.
      if (typeof name !== 'string' || name === 'then') return undefined
      if (!(name in members)) {
        const at = new URL(name, root)
        const connection = { exchange, tags, keyed: name !== 'tokens' && name !== webhooks }
        const own = collectionAt(at, connection)
        if (name === jobs) Object.assign(own, { ended: (id: string) => endOfJob(own.get, id) })
        members[name] = withSubCollections(at, own, connection)
      }
      return members[name]
    },
  }) as Client<S>
}

interface Connection {
  readonly exchange: Exchange
  /** The entity tag of each item that was read, by its URI; an empty one must be read before a write. */
  readonly tags: Map<string, string>
  /** Whether POST takes an Idempotency-Key. Responses with a secret are not stored. */
  readonly keyed: boolean
}

/** Every other name is an action, called with its input, or a sub-collection or file, called with an id alone. */
function withSubCollections<Methods extends object>(
  uri: URL,
  collection: Methods,
  connection: Connection,
): Methods {
  return new Proxy(collection, {
    get(own, name) {
      if (typeof name !== 'string' || name === 'then' || name in own) return Reflect.get(own, name)
      return (first: unknown, second?: object) => {
        const onItem = typeof first !== 'object'
        const place = onItem ? `${uri}/${segmentOf(first)}/${name}` : `${uri}/${name}`
        const input = onItem ? second : first
        if (input) return callAction(connection, place, input)
        const at = new URL(place)
        const { list, query, count, aggregate, all, changes, create, createMany } = collectionAt(
          at,
          connection,
        )
        const methods = { list, query, count, aggregate, all, changes, create, createMany }
        return withSubCollections(at, { ...methods, ...fileAt(place, connection) }, connection)
      }
    },
  })
}

function collectionAt(uri: URL, { exchange, tags, keyed }: Connection): Collection {
  const at = (id: string) => `${uri}/${segmentOf(id)}`
  /** Stores the entity tag. An empty one means that the item must be read before it is written. */
  const see = (item: string, response: Response) => {
    tags.delete(item)
    tags.set(item, response.headers.get('etag') ?? '')
    // A Map keeps the order of insertion, so the first key is the oldest.
    if (tags.size > 1000) tags.delete(tags.keys().next().value as string)
  }

  const read = async (item: string, selection: object = {}): Promise<Row> => {
    const response = await exchange(item + formatQuery(selection))
    see(item, response)
    return (await response.json()) as Row
  }

  const write = async (id: string, method: string, sent?: unknown): Promise<Row> => {
    const item = at(id)
    if (tags.get(item) === '') await read(item)
    const tag = tags.get(item)
    const patched = method === 'PATCH'
    const headers: Record<string, string> = tag ? { 'if-match': tag } : {}
    if (patched) headers['content-type'] = 'application/merge-patch+json'
    try {
      const response = await exchange(item, { method, headers, sent, keyed: keyed && patched })
      if (method === 'DELETE') tags.delete(item)
      else see(item, response)
      return await readRow(response, id)
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 412) throw error
      throw new Conflict(error, await read(item).catch(absent), sent)
    }
  }

  /** The other members stay, so an entity tag is sent only where it is required (428). */
  const changeSet = async (method: string, [id, set, member]: readonly [string, string, string]) => {
    const item = at(id)
    const uri = `${item}/${set}/${segmentOf(member)}`
    const send = (headers: Record<string, string>) => exchange(uri, { method, headers, idempotent: true })
    await send({}).catch(async (error: unknown) => {
      if (!(error instanceof Problem) || error.status !== 428) throw error
      await read(item)
      return send({ 'if-match': tags.get(item) ?? '' })
    })
    tags.set(item, '')
  }

  const page = async <Entry = Row>(from: string, condition?: object): Promise<Page<Entry>> => {
    const response = await exchange(from, condition && { method: 'QUERY', sent: condition })
    const next = /<([^>]*)>\s*;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    // Location is the equivalent GET, so the next page is a GET too (RFC 10008 §2.4).
    const same = response.headers.has('location') ? undefined : condition
    return Object.assign((await response.json()) as Entry[], {
      next: next === undefined ? undefined : () => page<Entry>(String(new URL(next, uri)), same),
    })
  }

  const post = (sent: unknown) => exchange(String(uri), { method: 'POST', sent, keyed })

  const collection: Collection = {
    list: (query = {}) => page(uri + formatQuery(query)),
    query: (condition, query = {}) => page(uri + formatQuery(query), condition),
    async count(query = {}) {
      const headers = { prefer: 'count=exact' }
      const response = await exchange(uri + formatQuery(query), { method: 'HEAD', headers })
      return Number(response.headers.get('total-count'))
    },
    async aggregate({ groupBy, ...query }) {
      const groups = groupBy === undefined || groupBy.length === 0 ? {} : { 'group-by': groupBy }
      return (await (await exchange(uri + formatQuery({ ...query, ...groups }))).json()) as never[]
    },
    async *all(query = {}) {
      let current: Page<Row> | undefined = await collection.list(query)
      while (current) {
        yield* current
        current = await current.next?.()
      }
    },
    changes: ({ after, ...filter } = {}) => followChanges(exchange, uri + formatQuery(filter), after),
    get: (id, selection) => read(at(id), selection),
    async create(sent) {
      const response = await post(sent)
      const location = response.headers.get('location') ?? ''
      if (location) see(String(new URL(location, uri)), response)
      return readRow(response, decodeURIComponent(location.slice(location.lastIndexOf('/') + 1)))
    },
    createMany: async (sent) => (await (await post(sent)).json()) as Row[],
    replace: (id, sent) => write(id, 'PUT', sent),
    patch: (id, sent) => write(id, 'PATCH', sent),
    remove: (id) => write(id, 'DELETE').then(() => undefined),
    addElement: (...member) => changeSet('PUT', member),
    removeElement: (...member) => changeSet('DELETE', member),
    history: (id, query = {}) => page<Version>(`${at(id)}/history${formatQuery(query)}`),
    async version(id, version) {
      const response = await exchange(`${at(id)}/history/${segmentOf(version)}`)
      return (await response.json()) as Row
    },
  }
  return collection
}

type Row = Shapes[string]['row']

/** The content is empty when the caller may write the item and not read it. */
async function readRow(response: Response, id: string): Promise<Row> {
  const text = await response.text()
  return text ? (JSON.parse(text) as Row) : { id }
}

function absent(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error
}

interface RequestOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly sent?: unknown
  /** Content that is no JSON. */
  readonly content?: Blob
  /** Safe to repeat: `keyed` by an Idempotency-Key that is sent, `idempotent` by itself. */
  readonly keyed?: boolean
  readonly idempotent?: boolean
}

type Exchange = (uri: string, sending?: RequestOptions) => Promise<Response>

function createExchange(options: ClientOptions): Exchange {
  const { authorization, retries = 3, fetch: send = (request) => fetch(request) } = options
  return async (uri, { method = 'GET', headers = {}, sent, content, keyed, idempotent } = {}) => {
    const fields: Record<string, string> = { accept: 'application/json', ...headers }
    if (sent !== undefined) fields['content-type'] ??= 'application/json'
    if (keyed) fields['idempotency-key'] = `"${randomKey()}"`
    const body = content ?? (sent === undefined ? null : JSON.stringify(sent))
    const isRead = ['GET', 'HEAD', 'QUERY'].includes(method)
    const target = targetOf(uri, options, isRead)
    const repeatable = keyed === true || idempotent === true || isRead
    for (let left = repeatable ? retries : 0; ; left--) {
      const value = typeof authorization === 'function' ? await authorization() : authorization
      if (value !== undefined) fields.authorization = value
      const sending = send(new Request(target, { method, headers: fields, body }))
      const response = await (left > 0 ? sending.catch(() => undefined) : sending)
      if (response?.ok) return response
      const wait = left > 0 ? retryDelay(response, retries - left) : undefined
      if (response && wait === undefined) throw await readProblem(response)
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }
}

async function readProblem(response: Response): Promise<Problem> {
  const json = /json/.test(response.headers.get('content-type') ?? '')
  return new Problem(response.status, json ? ((await response.json()) as object) : {})
}
