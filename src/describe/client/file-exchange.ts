/** Reads and writes the files of an item. */

import type { FileList, FileOptions, FileResource } from './file.ts'
import { retryDelay } from './repeat-request.ts'

interface FileConnection {
  readonly tags: Map<string, string>
  exchange(
    uri: string,
    options?: {
      method?: string
      headers?: Record<string, string>
      content?: Blob
      keyed?: boolean
      idempotent?: boolean
    },
  ): Promise<Response>
}

// RFC 8187 §3.2.1
const percentEncode = (character: string) => `%${character.charCodeAt(0).toString(16)}`

const parentOf = (uri: string) => uri.slice(0, uri.lastIndexOf('/'))

/** The fields that say what the content is. */
function describeContent(content: Blob, { name }: FileOptions = {}): Record<string, string> {
  const filename = name ?? ('name' in content ? String(content.name) : undefined)
  const type = { 'content-type': content.type || 'application/octet-stream' }
  if (filename === undefined) return type
  const encoded = encodeURIComponent(filename).replace(/['()*]/g, percentEncode)
  return { ...type, 'content-disposition': `attachment; filename*=UTF-8''${encoded}` }
}

/** A write changes the item, whose entity tag must then be read again. */
function fileOf(item: string, uri: string, { exchange, tags }: FileConnection): FileResource {
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
  exchange: FileConnection['exchange'],
  uri: string,
  { headers, content }: { readonly headers: Record<string, string>; readonly content: Blob },
): Promise<Response> {
  const begin = {
    'upload-draft-interop-version': '8',
    'upload-complete': '?0',
    'upload-length': String(content.size),
  }
  const begun = await exchange(uri, {
    method: 'PUT',
    headers: { ...headers, ...begin },
    content: content.slice(0, 0),
  })
  const upload = String(new URL(begun.headers.get('location') ?? '', uri))
  let offset = 0
  for (let failures = 0; ; ) {
    const part = content.slice(offset, offset + partOctets)
    const isLast = offset + part.size === content.size
    const position = { 'upload-offset': String(offset), 'upload-complete': isLast ? '?1' : '?0' }
    const type = { 'content-type': 'application/partial-upload' }
    try {
      const sent = await exchange(upload, {
        method: 'PATCH',
        headers: { ...type, ...position },
        content: part,
      })
      if (isLast) return sent
      offset += part.size
      failures = 0
    } catch (error) {
      failures += 1
      if (isRefused(error) || failures > maxFailures) throw error
      await new Promise((resolve) => setTimeout(resolve, retryDelay(undefined, failures)))
      const state = await exchange(upload, { method: 'HEAD' })
      if (state.headers.get('upload-complete') === '?1') return state
      offset = Number(state.headers.get('upload-offset'))
    }
  }
}

/** Whether the service has refused the content. A conflict of offsets and an overload pass. */
function isRefused(error: unknown): boolean {
  const status = typeof error === 'object' && error !== null && 'status' in error ? Number(error.status) : 0
  return status >= 400 && status < 500 && ![408, 409, 429].includes(status)
}

/** The methods of the file at the URI, and of the list that may be there. */
export function fileAt(uri: string, connection: FileConnection): FileResource & FileList {
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
