/** Downloads at the same time: buffers that are used again never mix the octets of two responses. */

import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { serve } from '../../service.ts'
import { asPng, gallery, newPicture, png } from './gallery.ts'

const files = 4
const size = 1_300_000

test('pipelined, slow and cut downloads beside each other have the octets of their own file', async () => {
  await using s = await serve(gallery)
  const uris: string[] = []
  const contents: Buffer[] = []
  for (let index = 0; index < files; index += 1) {
    const octets = Buffer.concat([png, randomBytes(size)])
    const uri = `${await newPicture(s.request)}/image`
    assert.equal((await s.request(`PUT ${uri}`, asPng, octets)).status, 201)
    uris.push(uri)
    contents.push(octets)
  }
  const expected = contents.map((octets) => hash('sha256', octets))
  const ask = () => askForAll(s.port, uris)
  for (let round = 0; round < 3; round += 1) {
    const slow = ask()
    slow.pause()
    const cut = ask()
    await once(cut, 'data')
    cut.destroy()
    const fast = await Promise.all([digestsOf(ask()), digestsOf(ask())])
    assert.deepEqual(fast, [expected, expected])
    assert.deepEqual(await digestsOf(slow), expected)
  }
})

/** One connection with all requests at once. */
function askForAll(port: number, uris: readonly string[]): Socket {
  const socket = connect(port, '127.0.0.1')
  const last = uris.length - 1
  for (const [index, uri] of uris.entries()) {
    socket.write(`GET ${uri} HTTP/1.1\r\nHost: a\r\n${index === last ? 'Connection: close\r\n' : ''}\r\n`)
  }
  return socket
}

/** The digest of the content of each response on the connection. */
async function digestsOf(socket: Socket): Promise<readonly string[]> {
  const octets = Buffer.concat(await Array.fromAsync(socket))
  const digests: string[] = []
  for (let at = 0; at < octets.length; ) {
    const start = octets.indexOf('\r\n\r\n', at) + 4
    const head = octets.toString('latin1', at, start)
    assert.match(head, /^HTTP\/1.1 200 /)
    at = start + Number(/^content-length: (\d+)/im.exec(head)?.[1])
    digests.push(hash('sha256', octets.subarray(start, at)))
  }
  return digests
}
