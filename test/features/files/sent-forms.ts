/** Content of the type multipart/form-data (RFC 7578). */

import type { Reply, SendRequest } from '../../service.ts'
import { png } from './gallery.ts'

export type Part = readonly [name: string, content: string | Buffer, file?: { name: string; type?: string }]

export const formFields = { 'content-type': 'multipart/form-data; boundary=b' }

export function formOf(parts: readonly Part[], boundary = 'b'): Buffer {
  const encoded = parts.map(([name, content, sent]) => {
    const filename = sent ? `; filename="${sent.name}"` : ''
    const type = sent?.type ? `\r\nContent-Type: ${sent.type}` : ''
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename}${type}\r\n\r\n`
    return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')])
  })
  return Buffer.concat([...encoded, Buffer.from(`--${boundary}--\r\n`)])
}

export const image: Part = ['image', png, { name: 'a.png', type: 'image/png' }]

export function send(
  request: SendRequest,
  line: string,
  parts: readonly Part[],
  fields = {},
): Promise<Reply> {
  return request(line, { ...formFields, ...fields }, formOf(parts))
}
