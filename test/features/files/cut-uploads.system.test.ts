/** Uploads that are cut, slow to begin or asked for first (RFC 9110 §10.1.1): a partial file is never visible. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { cases } from '../../cases.ts'
import { eventually } from '../../eventually.ts'
import { serve } from '../../service.ts'
import { asPng, gallery, newPicture, png } from './gallery.ts'

const large = Buffer.concat([png, Buffer.alloc(300_000, 'x')])

function head(path: string, more = ''): string {
  return `PUT ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\nContent-Length: ${large.length}\r\n${more}\r\n`
}

// Less than the time after which the service would give up a connection that is open but silent.
const timeout = 30_000

test('an upload that is cut at any octet leaves no file and no octets', { timeout }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'restwell-cut-'))
  {
    await using s = await serve(gallery, { files: `file:${folder}` })
    const item = await newPicture(s.request)
    for (let count = 0; count < cases(200); count += 1) {
      const socket = connect(s.port, '127.0.0.1')
      await once(socket, 'connect')
      socket.write(head(`${item}/image`))
      const cut = Math.floor(Math.random() * large.length)
      if (cut > 0) await new Promise((resolve) => socket.write(large.subarray(0, cut), resolve))
      socket.destroy()
      assert.equal((await s.request(`GET ${item}/image`)).status, 404)
    }
    assert.equal((await s.request(`PUT ${item}/image`, asPng, large)).status, 201)
    assert.ok((await s.request(`GET ${item}/image`)).octets.equals(large))
    await eventually(async () => (await readdir(join(folder, 'incoming'))).length === 0)
  }
  await rm(folder, { recursive: true })
})

test('100 is sent only where the header fields are acceptable', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const first = async (path: string) => {
    const socket = connect(s.port, '127.0.0.1')
    socket.write(head(path, 'Expect: 100-continue\r\n'))
    const [data] = (await once(socket, 'data')) as [Buffer]
    return { socket, line: data.toString('latin1').split('\r\n')[0] }
  }
  const refused = await first(`${item}/locked`)
  assert.match(refused.line ?? '', / 413 /)
  refused.socket.destroy()
  const asked = await first(`${item}/image`)
  assert.equal(asked.line, 'HTTP/1.1 100 Continue')
  asked.socket.write(large)
  const [data] = (await once(asked.socket, 'data')) as [Buffer]
  assert.match(data.toString('latin1'), /^HTTP\/1.1 201 /)
  asked.socket.destroy()
})
