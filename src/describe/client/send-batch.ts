/** Sends several writes as one request. */

import type { BatchResponse } from './batch-types.ts'

type SendBatch = (
  uri: string,
  sending: { readonly method: string; readonly sent: object; readonly keyed: boolean },
) => Promise<Response>

interface BatchRequest {
  readonly method?: string
  readonly path: string
  readonly [member: string]: unknown
}

interface BatchContext {
  readonly exchange: SendBatch
  readonly tags: Map<string, string>
  /** The URI of the service, with a slash at its end. */
  readonly root: string
  /** The path of the batch below it. */
  readonly path: string
}

/** Calls `build` with a builder for each collection, and sends what it added. */
export async function sendBatch(
  { exchange, tags, root, path: own }: BatchContext,
  build: (batch: never) => void,
): Promise<readonly BatchResponse[]> {
  const requests: BatchRequest[] = []
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
