/** URLs of PostgreSQL: several hosts, a schema, limits; and which host is chosen. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parsePostgresUrl, withoutPassword } from '../../src/store/postgres/connection/database-url.ts'
import { openPostgresStore } from '../../src/store/postgres/open-postgres.ts'
import { freePort } from '../cluster.ts'
import { postgres } from '../postgres.ts'
import { schema, table, text } from '../store/tables.ts'

describe('a PostgreSQL URL', () => {
  it('may name several hosts, and each becomes a URL', () => {
    const { hosts } = parsePostgresUrl('postgres://u:p@a:1,b:2,c/db?sslmode=disable&pool=3')
    assert.deepEqual(hosts, [
      'postgres://u:p@a:1/db?sslmode=disable',
      'postgres://u:p@b:2/db?sslmode=disable',
      'postgres://u:p@c/db?sslmode=disable',
    ])
  })

  it('has a schema, a pool and a limit for statements, within bounds', () => {
    const url = 'postgres://h/db?schema=shop&pool=1000&statement_timeout=600000'
    const { schema: name, pool, statementLimit } = parsePostgresUrl(url)
    assert.deepEqual([name, pool, statementLimit], ['shop', 1000, 600_000])
    assert.throws(() => parsePostgresUrl('postgres://h/db?pool=0'), /from 1 to 1000/)
    assert.throws(() => parsePostgresUrl('postgres://h/db?pool=1001'), /from 1 to 1000/)
    assert.throws(() => parsePostgresUrl('postgres://h/db?pool=x'), /from 1 to 1000/)
    assert.throws(() => parsePostgresUrl('postgres://h/db?statement_timeout=600001'), /600000/)
  })

  it('is refused if it requests a read-only host', () => {
    const url = 'postgres://h/db?target_session_attrs='
    assert.throws(() => parsePostgresUrl(`${url}standby`), /read-write or primary/)
    assert.equal(parsePostgresUrl(`${url}primary`).hosts.length, 1)
  })

  it('is never shown with its password', () => {
    assert.equal(withoutPassword('postgres://u:s3cret@h/db'), 'postgres://u@h/db')
    assert.equal(withoutPassword('postgres://h/db?password=s3cret&x=1'), 'postgres://h/db?password=&x=1')
    for (const url of ['postgres://u:s3cret@h:x/db', 'postgres://u:s3cret@h/db?pool=x']) {
      assert.throws(
        () => parsePostgresUrl(url),
        (error: Error) => !error.message.includes('s3cret'),
      )
    }
  })
})

describe('several hosts', () => {
  const things = schema(table('things', [text('a')]))
  const open = (url: string) => openPostgresStore({ url, schema: things, observe: () => undefined })

  it('the first reachable and writable host is chosen', async () => {
    const cluster = await postgres()
    const nobody = await freePort()
    const hosts = `127.0.0.1:${nobody},127.0.0.1:${cluster.port}`
    const url = cluster.freshUrl().replace(`127.0.0.1:${cluster.port}`, hosts)
    const store = await open(url)
    assert.equal(await store.count('things', { kind: 'always' }), 0)
    await store.close()
  })

  it('one that is set to read only is refused', async () => {
    const cluster = await postgres()
    const url = cluster.freshUrl()
    const readOnly = `${url}&options=-c%20default_transaction_read_only%3Don`
    await assert.rejects(open(readOnly), /accepts no writes/)
  })

  it('one that does not wait for its disk is refused', async () => {
    const cluster = await postgres()
    const url = `${cluster.freshUrl()}&options=-c%20synchronous_commit%3Doff`
    await assert.rejects(open(url), /synchronous_commit off/)
  })

  it('an error names the database if no host is reachable', async () => {
    const url = `postgres://u:s3cret@127.0.0.1:${await freePort()}/db`
    await assert.rejects(open(url), (error: Error) => {
      assert.match(error.message, /postgres:\/\/u@127\.0\.0\.1:\d+\/db cannot be used/)
      return !error.message.includes('s3cret')
    })
  })
})
