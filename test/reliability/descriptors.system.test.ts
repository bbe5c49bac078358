/** More connections than the process may have file descriptors: some are refused, and all else works. */

import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { someOf } from '../cases.ts'
import { folderOf, type RunningCommand, root, running } from '../commands/command.ts'
import { eventually } from '../eventually.ts'
import { admin, clientOf } from './worker-service.ts'

const descriptors = 256
const attempts = 800

for (const workers of someOf([1, 2], 1)) {
  const processes = workers === 1 ? 'one process' : `${workers} workers`
  test(`${processes} with ${descriptors} file descriptors refuse connections beyond them and serve the rest (RFC 9110 §15.6.4)`, async (t) => {
    const command = await startLimited(t, workers)
    const request = await clientOf(t, command.port)
    const { sockets, refusals } = openHalf(t, command.port)
    await eventually(() => refusals.length >= attempts - workers * descriptors)
    const ada = { name: 'Ada', email: 'ada@example.org', password: 'analytical engine' }
    const created = await request('POST /users', admin, ada)
    assert.equal(created.status, 201, created.text)
    assert.equal((await request('GET /users', admin)).status, 200)
    // Reading /proc needs a descriptor.
    assert.equal((await request('GET /metrics', admin)).status, 200)
    const texts = refusals.filter((text) => text !== '')
    // The primary closes connections that no worker can accept, without a response.
    if (workers === 1) assert.ok(texts.length > 0)
    for (const text of texts) {
      assert.match(text, /^HTTP\/1\.1 503 .*\r\n/)
      assert.match(text, /\r\nRetry-After: [1-5]\r\n/)
      assert.match(text, /\r\nConnection: close\r\n/)
    }
    for (const socket of sockets) socket.destroy()
    const later = await clientOf(t, command.port)
    assert.equal((await later('GET /users', admin)).status, 200)
    assert.equal(await command.stop(), 0)
    const log = await command.stderr
    assert.doesNotMatch(log, /"event":"(?:crash|bug|worker-restarted|store-unavailable)"/)
  })
}

async function startLimited(t: TestContext, workers: number): Promise<RunningCommand> {
  const database = `file:${join(await folderOf(t), 'service.db')}`
  const address = ['--host', '127.0.0.1', '--port', '0', '--workers', String(workers)]
  const command = await running(['serve', join(root, 'examples/shop.ts'), ...address], {
    descriptors,
    environment: {
      DATABASE_URL: database,
      RESTWELL_ADMIN: 'admin@example.org:correct horse battery',
      RESTWELL_SAMPLE: 'off',
      RESTWELL_RATE: 'off',
    },
  })
  t.after(() => command.process.kill('SIGKILL'))
  return command
}

/** Connections with half a request each. `refusals` has the text that each closed connection received. */
function openHalf(t: TestContext, port: number) {
  const refusals: string[] = []
  const sockets = Array.from({ length: attempts }, (): Socket => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write('GET / HTTP/1.1\r\nHo'))
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (part) => {
      text += part
    })
    socket.on('error', () => undefined)
    socket.once('close', () => refusals.push(text))
    return socket
  })
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  return { sockets, refusals }
}
