/** The audit: what administrators see, the chain of hashes, retention and erasure. */

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { anyone, resource, service, text } from 'restwell'
import { verifyAudit } from '../../../src/features/audit/audit-command.ts'
import { auditSubjectsOf, sealAudit } from '../../../src/operation/audit-sealing.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { pruneLog, retentionOf } from '../../../src/service/log-pruning.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { schemaOf } from '../../../src/store/schema/model-schema.ts'
import type { Store } from '../../../src/store/store.ts'
import type { Write } from '../../../src/store/write.ts'
import { account, as, users } from '../../access/sample.ts'
import { eventually } from '../../eventually.ts'
import { admin, basic, type Reply, serve, type TestService } from '../../service.ts'

const definition = service({
  title: 'Notes',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users,
    notes: resource(
      { title: text() },
      { access: { read: anyone, create: anyone, update: anyone, delete: anyone }, history: {} },
    ),
  },
})

const nextOf = ({ fields }: Reply) => /<([^>]*)>; rel="next"/.exec(String(fields.link))?.[1]
const kindsOf = ({ json }: Reply) => json.map(({ kind }: { kind: string }) => kind)

/** Waits for an entry that is recorded after its response. */
function auditWith({ request }: TestService, query: string): Promise<Reply> {
  return eventually(async () => {
    const reply = await request(`GET /audit?${query}`, admin)
    return reply.json.length > 0 && reply
  })
}

async function signIn({ request }: TestService, login: string, password: string): Promise<Reply> {
  const fields = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  return request('POST /sign-in', fields, new URLSearchParams({ login, password }).toString())
}

describe('GET /audit', () => {
  test('shows changes, newest first, with filters, in pages', async () => {
    await using s = await serve(definition)
    const ada = await account(s.request, 'ada')
    const { location } = (await s.request('POST /notes', as(ada), { title: 'A' })).fields
    await s.request(`PATCH ${location}`, as(ada), { title: 'B' })
    await s.request(`DELETE ${location}`)
    const reply = await s.request('GET /audit?collection=notes', admin)
    assert.equal(reply.status, 200)
    assert.deepEqual(kindsOf(reply), ['deleted', 'updated', 'created'])
    const [deleted, updated] = reply.json
    assert.deepEqual(Object.keys(updated), ['at', 'actor', 'kind', 'collection', 'item'])
    assert.deepEqual(
      [updated.actor, updated.collection, `/notes/${updated.item}`],
      [ada.id, 'notes', location],
    )
    assert.equal(deleted.actor, undefined)
    const byActor = await s.request(`GET /audit?actor=${ada.id}&kind=created`, admin)
    assert.deepEqual(kindsOf(byActor), ['created'])
    assert.deepEqual((await s.request('GET /audit?at[gte]=2999-01-01', admin)).json, [])
    const first = await s.request('GET /audit?collection=notes&limit=2', admin)
    assert.match(String(first.fields.link), /<\/audit\?collection=notes&limit=2&format=xml>; rel="alternate"/)
    const second = await s.request(`GET ${nextOf(first)}`, admin)
    assert.deepEqual(kindsOf(second), ['created'])
    for (const query of ['limit=0', 'after=x', 'at=soon', 'who=me']) {
      assert.equal((await s.request(`GET /audit?${query}`, admin)).status, 400, query)
    }
  })

  test('is for administrators, in every format', async () => {
    await using s = await serve(definition)
    const ada = await account(s.request, 'ada')
    assert.equal((await s.request('GET /audit')).status, 401)
    assert.equal((await s.request('GET /audit', as(ada))).status, 403)
    const csv = await s.request('GET /audit?format=csv&collection=users', admin)
    assert.match(csv.text, /^at,actor,kind,collection,item\r\n.*,created,users,/)
    const ndjson = await s.request('GET /audit?format=ndjson&collection=users', admin)
    assert.equal(JSON.parse(ndjson.text.split('\n')[0] ?? '').kind, 'created')
  })

  test('the page names accounts and items, with links to those that can be read', async () => {
    await using s = await serve(definition)
    const ada = await account(s.request, 'ada')
    const { location } = (await s.request('POST /notes', as(ada), { title: 'Fresh paint' })).fields
    const gone = (await s.request('POST /notes', as(ada), { title: 'Gone' })).json.id
    await s.request(`DELETE /notes/${gone}`)
    const page = await s.request('GET /audit?format=html&collection=notes', admin)
    assert.match(page.text, /<h1>Audit<\/h1>/)
    assert.ok(page.text.includes(`<td><a href="${location}">Fresh paint</a></td>`))
    assert.ok(page.text.includes(`<td><a href="/users/${ada.id}">`))
    assert.ok(page.text.includes('<td><span class="absent">anonymous</span></td>'))
    assert.doesNotMatch(page.text, new RegExp(`href="/notes/${gone}"`))
  })

  test('shows sign-ins and failures, tokens and roles; an unknown login only as a keyed hash', async () => {
    await using s = await serve(definition)
    const ada = await account(s.request, 'ada')
    assert.equal((await signIn(s, ada.login, 'a good password')).status, 303)
    const { json: token } = await s.request('POST /tokens', as(ada), {})
    await s.request(`DELETE /tokens/${token.id}`, as(ada))
    await s.request(`PATCH /users/${ada.id}`, admin, { role: 'editor' })
    await s.request('GET /notes', basic(ada.login, 'wrong'))
    for (let n = 0; n < 5; n += 1) await s.request('GET /notes', basic('eve@example.org', `wrong ${n}`))
    assert.deepEqual((await auditWith(s, 'kind=signed-in')).json[0].item, ada.id)
    assert.equal((await auditWith(s, `kind=sign-in-failed&item=${ada.id}`)).json.length, 1)
    const failures = (await auditWith(s, 'kind=sign-in-failed')).json
    const unknown = failures.filter(({ item }: { item: string }) => item.startsWith('unknown-'))
    assert.ok(unknown.length <= 1, 'a repeated failure is recorded once in a minute')
    assert.doesNotMatch((await s.request('GET /audit?limit=100', admin)).text, /eve@example/)
    assert.equal((await s.request('GET /audit?kind=token-created', admin)).json[0].collection, 'tokens')
    assert.equal((await s.request('GET /audit?kind=token-revoked', admin)).json[0].item, token.id)
    assert.equal((await s.request('GET /audit?kind=roles-changed', admin)).json[0].item, ada.id)
  })
})

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'restwell-audit-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

describe('the chain', () => {
  /** A service with five changes of notes in the audit. */
  async function audited(s: TestService): Promise<Store> {
    const { store, model } = s.service
    for (const title of ['A', 'B', 'C', 'D', 'E']) await s.request('POST /notes', {}, { title })
    await sealAudit(store.audit, model)
    return store
  }

  test('verifies, and its head is found again after further changes', async () => {
    await using s = await serve(definition)
    const store = await audited(s)
    const { faults, head } = await verifyAudit(store.audit)
    assert.deepEqual(faults, [])
    await s.request('POST /notes', {}, { title: 'F' })
    await sealAudit(store.audit, s.service.model)
    const again = await verifyAudit(store.audit, head)
    assert.deepEqual(again.faults, [])
    assert.notEqual(again.head, head)
    const [fault] = (await verifyAudit(store.audit, 'another')).faults
    assert.match(fault ?? '', /given head/)
  })

  function signIns(count: number): readonly Write[] {
    return Array.from({ length: count }, (_, n) => {
      const [identity, at] = [String(n), new Date().toISOString()]
      return { kind: 'record', event: 'signed-in', table: 'users', identity, id: identity, at }
    })
  }

  test('has all entries of a log that takes several steps', async () => {
    await using s = await serve(definition)
    const store = await audited(s)
    const { number } = (await store.audit.extent()).end
    await store.write(signIns(250))
    await sealAudit(store.audit, s.service.model)
    const { end } = await store.audit.extent()
    assert.deepEqual([end.number, end.position], [number + 250, (await store.logExtent()).last])
    assert.deepEqual((await verifyAudit(store.audit)).faults, [])
  })

  test('has all entries of a log whose positions have gaps', async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'audit.db')
    const model = checkDefinition(definition)
    const open = () => openStore(`file:${file}`, schemaOf(model), () => undefined)
    const first = await open()
    await first.write(signIns(12))
    await first.close()
    const database = new DatabaseSync(file)
    database.exec('delete from "_changes" where "position" <= 2 or "position" between 5 and 9')
    database.close()
    const store = await open()
    assert.equal(await store.audit.seal(auditSubjectsOf(model), 2), 10)
    const { end } = await store.audit.extent()
    await store.close()
    assert.deepEqual([end.number, end.position], [5, 12])
  })

  const tampering: Readonly<Record<string, readonly [sql: string, fault: RegExp]>> = {
    'an entry that was changed': [
      `update "_audit" set "kind" = 'deleted' where "number" = 3`,
      /Entry 3 .* changed/,
    ],
    'an entry that was removed': ['delete from "_audit" where "number" = 3', /entries 3 to 3 were removed/],
    'an entry that was inserted': [
      `insert into "_audit" select 1000000, "position", "at", "kind", "table", "identity", "id", "version", "actor", "by", "request", "digest", "salt", "hash" from "_audit" where "number" = 3`,
      /were removed/,
    ],
    'a truncated tail, given the last known head': [
      'delete from "_audit" where "number" = (select max("number") from "_audit")',
      /given head/,
    ],
    'values that were changed in the log': [
      `update "_changes" set "after" = replace("after", '"C"', '"X"') where "after" like '%"C"%'`,
      /values in the change log were changed/,
    ],
    'values of an entry that were removed without an erasure': [
      `update "_audit" set "salt" = null where "number" = 3`,
      /without an erasure/,
    ],
  }
  for (const [what, [sql, expected]] of Object.entries(tampering)) {
    test(`verification detects ${what}`, async () => {
      await using folder = await temporaryFolder()
      const database = `file:${join(folder.path, 'audit.db')}`
      let head = ''
      {
        await using s = await serve(definition, { database })
        const store = await audited(s)
        head = (await verifyAudit(store.audit)).head
      }
      const file = new DatabaseSync(join(folder.path, 'audit.db'))
      file.exec(sql)
      file.close()
      const store = await openStore(database, schemaOf(checkDefinition(definition)), () => undefined)
      const { faults } = await verifyAudit(store.audit, head)
      await store.close()
      assert.match(faults.join('\n'), expected)
    })
  }

  test('outlives the pruning of the log, and its own pruning leaves a checkpoint', async () => {
    await using s = await serve(definition)
    const store = await audited(s)
    const prune = (days: number) => {
      const clock = { now: () => Date.now() + days * 86_400_000 }
      return pruneLog({ store, clock, ...retentionOf(s.service.model) }, new AbortController().signal)
    }
    await prune(40)
    assert.equal((await store.logExtent()).entries, 0)
    const { entries, faults, head } = await verifyAudit(store.audit)
    assert.deepEqual([entries >= 5, faults], [true, []])
    await prune(400)
    assert.deepEqual((await store.audit.extent()).end, (await store.audit.extent()).checkpoint)
    assert.deepEqual((await verifyAudit(store.audit, head)).faults, [])
    await s.request('POST /notes', {}, { title: 'F' })
    await sealAudit(store.audit, s.service.model)
    const later = await verifyAudit(store.audit, head)
    assert.deepEqual([later.entries, later.faults], [1, []])
  })

  test('still verifies after the values of a person were erased', async () => {
    await using s = await serve(definition)
    const store = await audited(s)
    const ada = await account(s.request, 'ada')
    await s.request(`PATCH /users/${ada.id}`, as(ada), { name: 'Ada' })
    await sealAudit(store.audit, s.service.model)
    await store.audit.erase({ table: 'users', identity: ada.id })
    const [unmarked] = (await verifyAudit(store.audit)).faults
    assert.match(unmarked ?? '', /without an erasure/)
    const at = new Date().toISOString()
    await store.write([{ kind: 'record', event: 'erased', table: 'users', identity: ada.id, id: ada.id, at }])
    await eventually(async () => {
      // The service seals at times too, and may be doing so now.
      await sealAudit(store.audit, s.service.model)
      return (await verifyAudit(store.audit)).faults.length === 0
    })
    const values = (await store.readChanges(0, 100)).filter(({ identity }) => identity === ada.id)
    assert.ok(values.every(({ before, after }) => before === undefined && after === undefined))
  })
})
