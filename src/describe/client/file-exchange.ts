/** Reads and writes the files of an item. */

import type { FileList, FileOptions, FileResource } from './file.ts'

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
  const write = async (method: string, headers: Record<string, string>, content?: Blob) => {
    const tag = tags.get(uri)
    const condition: Record<string, string> = tag ? { 'if-match': tag } : {}
    const sent = content ? { content } : {}
    const response = await exchange(uri, {
      method,
      headers: { ...headers, ...condition },
      idempotent: true,
      ...sent,
    })
    tags.set(uri, response.headers.get('etag') ?? '')
    tags.set(item, '')
  }
  return {
    async get() {
      const response = await exchange(uri, { headers: { accept: '*/*' } })
      tags.set(uri, response.headers.get('etag') ?? '')
      return response.blob()
    },
    put: (content, options) => write('PUT', describeContent(content, options), content),
    remove: () => write('DELETE', {}),
  }
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
