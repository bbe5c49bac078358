/**
 * The client of a Restwell service, for browsers and Node: one module that imports only types. It stores the entity tag
 * of every item it reads and sends it with the next write, so that no change of another caller is lost.
 */

import { followChanges, watchList } from './changes.ts'
import {
  createExchange,
  type Exchange,
  formatQuery,
  isProblem,
  openPage,
  Problem,
  retryDelay,
} from './exchange.ts'
import type {
  BatchResponse,
  ClientOptions,
  Collection,
  Collections,
  FileList,
  FileOptions,
  FileResource,
  MailMethods,
  Page,
  Session,
  Shapes,
  Version,
} from './types.ts'

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

/** Returns a client of the service at `base`; `served` are the values that a generated client knows. */
export function connect<S extends Shapes>(
  base: string | URL,
  given: ClientOptions = {},
  served: Pick<ClientOptions, 'apiVersion' | 'paths'> = {},
): Collections<S> & MailMethods {
  const paths = { ...served.paths, ...given.paths }
  const options = { ...served, ...given }
  const exchange = createExchange(options)
  const root = String(new URL(base, openPage?.baseURI)).replace(/\/?$/, '/')
  const tags = new Map<string, string>()
  // A tag is sent only where it is remembered.
  if (options.sendsTags === false) tags.set = () => tags
  const { batch = 'batch', jobs = 'jobs', webhooks = 'webhooks' } = paths
  const members: Record<string, unknown> = Object.assign(Object.create(null), {
    batch: (build: (batch: never) => void) => sendBatch({ exchange, tags }, { root, path: batch }, build),
    '/': withSubCollections(root.slice(0, -1), {}, { exchange, tags, keyed: true }),
    session: () => readSession(exchange, root),
    // These requests are the same in every version of the interface, and take no parameters.
    ...mailMethods(createExchange({ ...options, apiVersion: '' }), root, paths),
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
  }) as Collections<S> & MailMethods
}

interface Connection {
  readonly exchange: Exchange
  /** The entity tag of each item that was read, by its URI; an empty one must be read before a write. */
  readonly tags: Map<string, string>
  /** Whether POST takes an Idempotency-Key. Responses with a secret are not stored. */
  readonly keyed: boolean
  /** Whether the names are those of queries. */
  readonly reads?: true
}

/**
 * Every other name is an action or, of `queries`, a query, called with its input, or a sub-collection or file, called
 * with an id alone.
 */
function withSubCollections<Methods extends object>(
  uri: URL | string,
  collection: Methods,
  connection: Connection,
): Methods {
  return new Proxy(collection, {
    get(own, name) {
      if (typeof name !== 'string' || name === 'then' || name in own) return Reflect.get(own, name)
      if (name === 'queries') return withSubCollections(uri, {}, { ...connection, reads: true })
      return (first: unknown, second?: object) => {
        const onItem = typeof first !== 'object'
        const place = onItem ? `${uri}/${segmentOf(first)}/${name}` : `${uri}/${name}`
        const input = onItem ? second : first
        if (input) return callAction(connection, place, input)
        const at = new URL(place)
        const { list, query, count, aggregate, all, changes, watch, create, createMany } = collectionAt(
          at,
          connection,
        )
        const methods = { list, query, count, aggregate, all, changes, watch, create, createMany }
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
      const tag = tags.get(item)
      if (!tag) throw error
      return send({ 'if-match': tag })
    })
    tags.set(item, '')
  }

  const page = async <Entry = Row>(from: string, condition?: object): Promise<Page<Entry>> => {
    const response = await exchange(from, condition && { method: 'QUERY', sent: condition })
    const next = linkOf(response, 'next')
    return Object.assign((await response.json()) as Entry[], {
      next: next === undefined ? undefined : () => page<Entry>(String(new URL(next, uri)), condition),
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
      const target = `${uri}/-/aggregate${formatQuery({ ...query, ...groups })}`
      return (await (await exchange(target)).json()) as never[]
    },
    async *all(query = {}) {
      let current: Page<Row> | undefined = await collection.list(query)
      while (current) {
        yield* current
        current = await current.next?.()
      }
    },
    changes: ({ after, ...filter } = {}) =>
      followChanges(exchange, { uri: uri + formatQuery(filter), after }),
    watch: (query = {}) =>
      watchList(exchange, async () => {
        const response = await exchange(uri + formatQuery(query))
        const changes = linkOf(response, 'monitor')
        return { items: (await response.json()) as Row[], changes: String(new URL(changes ?? '', uri)) }
      }),
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

/** The target of the link with the relation. */
function linkOf(response: Response, relation: string): string | undefined {
  const links = response.headers.get('link') ?? ''
  return new RegExp(`<([^>]*)>\\s*;\\s*rel="${relation}"`).exec(links)?.[1]
}

/** The content is empty when the caller may write the item and not read it. */
async function readRow(response: Response, id: string): Promise<Row> {
  const text = await response.text()
  return text ? (JSON.parse(text) as Row) : { id }
}

function absent(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error
}

/** Returns the content of the response, if any, and updates the known entity tags of changed items. */
async function callAction(
  { exchange, tags, keyed, reads }: Connection,
  uri: string,
  sent: object,
): Promise<unknown> {
  const headers = { accept: 'application/json, */*;q=0.9' }
  if (reads) {
    // Parameters cannot express lists of objects.
    const isPlain = Object.values(sent).every((value) => typeof value !== 'object')
    const asked = isPlain ? uri + formatQuery(sent) : uri
    return readResult(await exchange(asked, isPlain ? { headers } : { method: 'QUERY', headers, sent }))
  }
  const response = await exchange(uri, { method: 'POST', headers, sent, keyed })
  const see = (item: string, tag: string) => tags.has(item) && tags.set(item, tag)
  see(parentOf(uri), '')
  const { headers: fields } = response
  see(String(new URL(fields.get('content-location') ?? '', uri)), fields.get('etag') ?? '')
  return readResult(response)
}

/** The content, if any. Only a file has a name. */
async function readResult(response: Response): Promise<unknown> {
  const disposition = response.headers.get('content-disposition')
  if (disposition) {
    const blob = await response.blob()
    // RFC 6266 §4.3: the extended form first. The service sends no % in the plain one.
    const [, name = ''] = /\*=UTF-8''(\S+)/.exec(disposition) ?? /="(.*)"/.exec(disposition) ?? []
    return new File([blob], decodeURIComponent(name), { type: blob.type })
  }
  const text = await response.text()
  return text ? JSON.parse(text) : undefined
}

/** A service without accounts has no sessions. */
async function readSession(exchange: Exchange, root: string): Promise<Session | undefined> {
  const response = await exchange(`${root}-/session`).catch(unlessAbsent)
  if (!response) return undefined
  const { signedIn, ...session } = (await response.json()) as Session & { readonly signedIn: boolean }
  if (!signedIn) return undefined
  const signOut = async () => void (await exchange(`${root}sign-out`, { method: 'POST' }))
  const id = session.account?.slice(session.account.lastIndexOf('/') + 1)
  return { ...session, id: id && decodeURIComponent(id), signOut }
}

function unlessAbsent(error: unknown): undefined {
  if (!isProblem(error, 'not-found')) throw error
}

/** Calls `build` with a builder for each collection, and sends what it added to the path of batches. */
async function sendBatch(
  { exchange, tags }: Omit<Connection, 'keyed'>,
  { root, path: own }: { readonly root: string; readonly path: string },
  build: (batch: never) => void,
): Promise<readonly BatchResponse[]> {
  const requests: ({ readonly method?: string; readonly path: string } & Record<string, unknown>)[] = []
  const collections = new Proxy({}, { get: (_, name) => collectionOf(String(name)) })
  const collectionOf = (name: string) => {
    const at = new URL(name, root)
    const item = (id: string) => `${at}/${encodeURIComponent(id)}`
    const add = (method: string | undefined, uri: string, body?: unknown) => {
      const path = new URL(uri).pathname
      // An earlier request of the batch may have changed it.
      const tag = requests.some((earlier) => earlier.path === path) ? '' : tags.get(uri)
      const headers = tag ? { headers: { 'if-match': tag } } : {}
      const id = String(requests.length)
      requests.push({ id, ...(method && { method }), path, ...headers, body, bind: bindingsIn(body) })
      return { id: placeholder + id }
    }
    return {
      create: (body: unknown) => add('POST', String(at), body),
      replace: (id: string, body: unknown) => void add('PUT', item(id), body),
      patch: (id: string, body: unknown) => void add('PATCH', item(id), body),
      remove: (id: string) => void add('DELETE', item(id)),
      assert: (id: string) => void add(undefined, item(id)),
    }
  }
  build(collections as never)
  const response = await exchange(root + own, { method: 'POST', sent: { requests }, keyed: true })
  for (const { method, path } of requests) {
    // The next write of the item reads it first.
    const uri = String(new URL(path, root))
    if (method && tags.has(uri)) tags.set(uri, '')
  }
  return ((await response.json()) as { responses: BatchResponse[] }).responses
}

/** Begins the ids of items that earlier requests of the batch make. */
const placeholder = 'urn:batch:'

/** The places in the body that have such an id, as JSON Pointers. */
function bindingsIn(body: unknown, pointer = ''): Record<string, string> {
  if (typeof body === 'string' && body.startsWith(placeholder)) {
    return { [pointer]: body.slice(placeholder.length) }
  }
  if (typeof body !== 'object' || body === null) return {}
  const found = Object.entries(body).map(([name, value]) =>
    bindingsIn(value, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  )
  return Object.assign({}, ...found)
}

/** Reads the job until it has ended, less and less often. */
async function endOfJob(get: (id: string) => Promise<unknown>, id: string): Promise<unknown> {
  for (let pause = 200; ; pause = Math.min(pause * 1.5, 5000)) {
    const job = (await get(id)) as { readonly endedAt?: string }
    if (job.endedAt) return job
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

const parentOf = (uri: string) => uri.slice(0, uri.lastIndexOf('/'))

/** The fields that say what the content is. */
function describeContent(content: Blob, { name }: FileOptions = {}): Record<string, string> {
  const filename = name ?? ('name' in content ? String(content.name) : undefined)
  const type = { 'content-type': content.type || 'application/octet-stream' }
  if (filename === undefined) return type
  // RFC 8187 §3.2.1
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16)}`,
  )
  return { ...type, 'content-disposition': `attachment; filename*=UTF-8''${encoded}` }
}

/** A write changes the item, whose entity tag must then be read again. */
function fileOf(item: string, uri: string, { exchange, tags }: Connection): FileResource {
  const write = async (send: (condition: Record<string, string>) => Promise<Response>) => {
    const tag = tags.get(uri)
    const response = await send(tag ? { 'if-match': tag } : {})
    tags.set(uri, response.headers.get('etag') ?? '')
    tags.set(item, '')
  }
  return {
    async get() {
      const response = await exchange(uri, { headers: { accept: '*/*' } })
      tags.set(uri, response.headers.get('etag') ?? '')
      return response.blob()
    },
    put: (content, options) =>
      write((condition) => {
        const headers = { ...describeContent(content, options), ...condition }
        if (options?.resume) return sendInParts(exchange, uri, { headers, content })
        return exchange(uri, { method: 'PUT', headers, content, idempotent: true })
      }),
    remove: () => write((headers) => exchange(uri, { method: 'DELETE', headers, idempotent: true })),
  }
}

/** Octets of a part, and attempts in succession that may fail. */
const partOctets = 8_000_000
const maxFailures = 5

/** Sends the content as a resumable upload (draft-ietf-httpbis-resumable-upload); the response is that of the PUT. */
async function sendInParts(
  exchange: Exchange,
  uri: string,
  { headers, content }: { readonly headers: Record<string, string>; readonly content: Blob },
): Promise<Response> {
  const begin = {
    ...headers,
    'upload-draft-interop-version': '8',
    'upload-complete': '?0',
    'upload-length': String(content.size),
  }
  const begun = await exchange(uri, { method: 'PUT', headers: begin, content: content.slice(0, 0) })
  const upload = String(new URL(begun.headers.get('location') ?? '', uri))
  let offset = 0
  for (let failures = 0; ; ) {
    const part = content.slice(offset, offset + partOctets)
    const isLast = offset + part.size === content.size
    const position = {
      'content-type': 'application/partial-upload',
      'upload-offset': String(offset),
      'upload-complete': isLast ? '?1' : '?0',
    }
    try {
      const sent = await exchange(upload, { method: 'PATCH', headers: position, content: part })
      if (isLast) return sent
      offset += part.size
      failures = 0
    } catch (error) {
      failures += 1
      // A conflict of offsets and an overload pass.
      const isRefused = error instanceof Problem && ![408, 409, 429].includes(error.status)
      if ((isRefused && error.status < 500) || failures > maxFailures) throw error
      await new Promise((resolve) => setTimeout(resolve, retryDelay(undefined, failures)))
      const state = await exchange(upload, { method: 'HEAD' })
      if (state.headers.get('upload-complete') === '?1') return state
      offset = Number(state.headers.get('upload-offset'))
    }
  }
}

/** The methods of the file at the URI, and of the list that may be there. */
function fileAt(uri: string, connection: Connection): FileResource & FileList {
  const item = parentOf(uri)
  return {
    ...fileOf(item, uri, connection),
    async add(content, options) {
      const headers = describeContent(content, options)
      const response = await connection.exchange(uri, { method: 'POST', headers, content, keyed: true })
      connection.tags.set(item, '')
      return response.headers.get('location') ?? ''
    },
    file: (href) => fileOf(item, `${uri}/${href.slice(href.lastIndexOf('/') + 1)}`, connection),
  }
}

/** The methods for links in mails. Their requests have no Idempotency-Key, so they are not repeated. */
function mailMethods(
  exchange: Exchange,
  root: string,
  paths: NonNullable<ClientOptions['paths']>,
): MailMethods {
  const request = (path: string) => async (sent: object) => {
    await exchange(root + path, { method: 'POST', sent })
  }
  const use = (path: string) => (secret: string, sent: object) =>
    request(`${path}/${segmentOf(secret)}`)(sent)
  const resets = paths['password-resets'] ?? 'password-resets'
  const verifications = paths.verifications ?? 'verifications'
  return {
    requestPasswordReset: request(resets),
    resetPassword: use(resets),
    requestVerification: request(verifications),
    confirmAddress: use(verifications),
    acceptInvitation: use(paths.invitations ?? 'invitations'),
  }
}

/** Refuses what no item can have as its id: the URI would name another resource. */
function segmentOf(id: unknown): string {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError(`'${id}' is no id of an item.`)
  return encodeURIComponent(id)
}
