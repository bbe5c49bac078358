/** Accepted connections get their responses when the port closes (docs/reference/http/limits.md, Operation). */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../eventually.ts'
import { echo, serveRaw } from './raw.ts'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

test('a connection whose first request arrives after the port has closed gets its response', async () => {
  const service = await serveRaw(echo, { drain: 60_000, grace: 300 })
  const client = await service.open()
  const stopped = service.stop()
  // With the grace of the open port over, nothing new is accepted; this one is not cut off.
  await eventually(() =>
    fetch(service.url).then(
      () => false,
      () => true,
    ),
  )
  await client.send(get)
  const responses = await client.rest()
  assert.deepEqual(
    responses.map(({ status, fields }) => [status, fields.connection]),
    [[200, 'close']],
  )
  await stopped
})

test('hundreds of connections while the port closes are served or refused, never reset', async () => {
  const service = await serveRaw(echo, { drain: 10_000, grace: 20 })
  let answered = 0
  const lost: string[] = []
  const client = async () => {
    for (;;) {
      try {
        const response = await fetch(service.url, { headers: { connection: 'close' } })
        await response.text()
        answered += 1
      } catch (error) {
        const cause = (error as Error).cause as NodeJS.ErrnoException
        if (cause.code === 'ECONNREFUSED') return
        lost.push(`${cause.code}: ${cause.message}`)
        return
      }
    }
  }
  const clients = Array.from({ length: 100 }, client)
  await eventually(() => answered >= 200)
  await service.stop()
  await Promise.all(clients)
  assert.deepEqual(lost, [])
})
