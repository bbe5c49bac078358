/** A failover to an asynchronous standby that lost the end of the change log, under a node that stays up. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { resource, service, text } from '../../src/index.ts'
import { startCluster } from '../cluster.ts'
import { eventually } from '../eventually.ts'
import { access, type Note } from '../features/logic/after-hooks.ts'
import { serve } from '../service.ts'

test('what is written after a failover that lost the end of the log runs hooks and is in events', async () => {
  const ran = new Set<string>()
  const notes = resource({ title: text() }, { access, bulk: true })
  const hook = ({ title }: Note) => void ran.add(title)
  const definition = service(
    { title: 'Notes', resources: { notes } },
    { notes: { after: { created: hook } } },
  )
  const cluster = await startCluster()
  try {
    const url = cluster.freshUrl()
    const standby = await cluster.standby()
    const both = url.replace(`:${cluster.port}/`, `:${cluster.port},127.0.0.1:${standby.port}/`)
    await using s = await serve(definition, { database: both })
    const create = async (name: string, count: number) => {
      const titles = Array.from({ length: count }, (_, n) => `${name}${n}`)
      const items = titles.map((title) => ({ title }))
      await eventually(async () => (await s.request('POST /notes', {}, items)).status < 300)
      return titles
    }
    const kept = await create('kept', 5)
    await eventually(() => kept.every((title) => ran.has(title)))
    await eventually(async () => {
      const client = new pg.Client({ connectionString: standby.urlOf(url).replace(/\?.*/, '') })
      await client.connect()
      const schema = new URL(url).searchParams.get('schema')
      const found = await client.query(`select 1 from "${schema}"."_changes" where "position" >= 5`)
      await client.end()
      return found.rowCount !== 0
    })
    await standby.stop()
    // More than the positions that a sequence reserves in the write-ahead log.
    const lost = await create('lost', 150)
    await eventually(() => lost.every((title) => ran.has(title)))
    const events = (await s.request('GET /events?limit=1000')).json
    const id = events.at(-1).id
    await cluster.stop()
    await standby.start()
    const client = new pg.Client({ connectionString: standby.urlOf(url).replace(/\?.*/, '') })
    await client.connect()
    await client.query('select pg_promote()')
    await client.end()
    const written = await create('new', 20)
    await eventually(() => written.every((title) => ran.has(title)))
    const [first] = (await s.request(`GET /events?last-event-id=${id}`)).json
    assert.equal(first.type, 'reset')
    const resumed = (await s.request(`GET /events?last-event-id=${events[2].id}`)).json
    const titles = resumed.map(({ item }: { item: Note }) => item.title)
    assert.deepEqual(titles, [...kept.slice(3), ...written])
    assert.ok(s.observations.some(({ kind }) => kind === 'database-set-back'))
  } finally {
    await cluster.end()
  }
})
