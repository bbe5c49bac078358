/** Reads and writes a file of an item. */

import type { FileResource } from './file.ts'

interface FileConnection {
  readonly tags: Map<string, string>
  exchange(
    uri: string,
    options?: { method?: string; headers?: Record<string, string>; content?: Blob; idempotent?: boolean },
  ): Promise<Response>
}

// RFC 8187 §3.2.1
const percentEncode = (character: string) => `%${character.charCodeAt(0).toString(16)}`

/** A write changes the item, whose entity tag must then be read again. */
export function fileAt(uri: string, { exchange, tags }: FileConnection): FileResource {
  const item = uri.slice(0, uri.lastIndexOf('/'))
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
    put(content, { name = 'name' in content ? String(content.name) : undefined } = {}) {
      const headers: Record<string, string> = { 'content-type': content.type || 'application/octet-stream' }
      if (name !== undefined) {
        headers['content-disposition'] =
          `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, percentEncode)}`
      }
      return write('PUT', headers, content)
    },
    remove: () => write('DELETE', {}),
  }
}
