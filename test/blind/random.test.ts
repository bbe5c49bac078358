/** The blind client on random definitions: offers and permissions are the same set. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword } from '../../src/access/password.ts'
import { FIRST_FIELD_INDEX } from '../../src/definition/model.ts'
import { cases } from '../cases.ts'
import { cheapPasswords } from '../password-cost.ts'
import { adminLogin, adminPassword, serve, type TestService } from '../service.ts'
import { BlindClient } from './client.ts'
import { randomDefinition } from './definitions.ts'
import { permittedTo, tablesOf } from './oracle.ts'
import { compare, randomFrom, walk } from './walk.ts'

const seed = Number(process.env.SEED ?? 7)
const password = 'correct horse battery'
const hashed = hashPassword(password, { cost: cheapPasswords })

for (let run = 0; run < cases(40, 40); run += 1) {
  test(`offered actions are exactly the permitted ones: definition ${seed + run} (docs/reference/http/hypermedia.md, Hypermedia)`, async () => {
    const random = randomFrom(seed + run)
    await using s = await serve(randomDefinition(random))
    const roles = ['member', 'editor', 'admin']
    for (const role of roles.slice(0, 2)) await makeAccount(s, role)
    const logins = ['member@example.org', 'editor@example.org', adminLogin]
    for (const [index, login] of logins.entries()) {
      const role = roles[index] as string
      const client = new BlindClient(s.request, random, { login, password: adminPassword })
      const spare = (uri: string) => uri.startsWith('/users/')
      const outcome = await walk(client, { steps: 15, random, spare })
      assert.deepEqual(outcome.refused, [], role)
      assert.deepEqual(outcome.broken, [])
    }
    const { model, store } = s.service
    const tables = await tablesOf(model, store)
    const anonymous = { identity: undefined, roles: [] }
    compare(await new BlindClient(s.request, random).explore(), permittedTo(anonymous, model, tables))
    for (const [index, login] of logins.entries()) {
      const client = new BlindClient(s.request, random, { login, password: adminPassword })
      const rows = tables.get(model.resources.get('users') as never) ?? []
      const own = rows.find((row) => row[FIRST_FIELD_INDEX] === login)
      const caller = { identity: String(own?.[0]), roles: [roles[index] as string] }
      compare(await client.explore(), permittedTo(caller, model, tables))
    }
  })
}

/** Not every definition lets callers sign up. */
async function makeAccount({ service }: TestService, role: string): Promise<void> {
  const time = new Date().toISOString()
  const identity = crypto.randomUUID()
  const values = [identity, 1, time, time, `${role}@example.org`, await hashed, role, 0]
  const written = await service.store.write([
    { kind: 'insert', table: 'users', values, conditionAfter: { kind: 'always' } },
  ])
  assert.equal(written.kind, 'done')
}
