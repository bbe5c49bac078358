/** Event streams through real reverse proxies: events are not held back, and clients resume. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, resource, service, text } from 'restwell'
import { eventually } from '../../eventually.ts'
import { faultProxy } from '../../fault-proxy.ts'
import { serve } from '../../service.ts'
import { type EventReader, follow } from './event-reader.ts'
import { reverseProxies } from './reverse-proxy.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const definition = service({
  title: 'Notes',
  resources: { notes: resource({ title: text() }, { access: open }) },
})

for (const { name, reason, start } of reverseProxies) {
  test(`a stream through ${name} is not held back, and resumes without loss`, {
    skip: reason ?? false,
  }, async () => {
    await using s = await serve(definition)
    await using connection = await faultProxy(s.port)
    await using proxy = await start(connection.port)
    await using stream = await follow(proxy.port, '/notes')
    assert.equal(stream.fields['content-type'], 'text/event-stream')
    assert.equal(stream.fields['cache-control'], 'no-store')
    await s.request('POST /notes', {}, { title: 'A' })
    const first = await stream.next()
    assert.equal(first?.data.item.title, 'A')
    await connection.cut()
    await stream.ended
    await s.request('POST /notes', {}, { title: 'B' })
    await connection.mend()
    await using again = await connect(proxy.port, first?.id ?? '')
    await s.request('POST /notes', {}, { title: 'C' })
    assert.deepEqual(
      (await again.take(2)).map(({ data }) => data.item.title),
      ['B', 'C'],
    )
  })
}

/** Connects as soon as the service can be reached. */
function connect(port: number, id: string): Promise<EventReader> {
  return eventually(async () => {
    const stream = await follow(port, '/notes', { 'last-event-id': id })
    if (stream.status === 200) return stream
    stream.close()
    return undefined
  })
}
