/** A role that requires a second factor. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DefinitionFault } from '../../../src/definition/definition-fault.ts'
import { service } from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { admin, adminLogin, adminPassword, basic, serve } from '../../service.ts'
import { accounts, people } from '../mail/fixtures/people.ts'
import { browser, registerAuthenticator, signInWithPassword } from './authenticator.ts'
import { ada, pass, signUp } from './second-factor-world.ts'

const strict = service({
  title: 'People',
  accounts: { ...accounts, secondFactor: ['admin'] },
  resources: { people },
})

test('a role that requires a second factor can only register one until it has it', async () => {
  await using s = await serve(strict)
  const refused = await s.request('GET /people', admin)
  assert.equal(refused.status, 403)
  const [, own = ''] = /at (\/people\/[^/]+)\/credentials/.exec(refused.json.detail) ?? []
  const { reply, cookie } = await signInWithPassword(s, adminLogin, adminPassword)
  assert.equal(reply.fields.location, `${own}/credentials`)
  const led = await s.request('GET /people', { ...browser, cookie })
  assert.deepEqual([led.status, led.fields.location], [303, `${own}/credentials`])
  const page = await s.request(`GET ${own}/credentials`, { ...browser, cookie })
  assert.equal(page.status, 200)
  assert.match(page.text, /<form method="post" action="[^"]*\/credentials"/)
  assert.equal((await s.request('POST /tokens', admin, {})).status, 403)
  const session = { 'sec-fetch-site': 'same-origin', cookie }
  await registerAuthenticator(s, own, session, Date.now)
  assert.equal((await s.request('GET /people', session)).status, 200)
  assert.equal((await s.request('GET /people', admin)).status, 401)
  // Other roles need none.
  await signUp(s)
  assert.equal((await s.request('GET /people', basic(ada, pass))).status, 200)
})

test('a definition that requires a second factor without accounts or roles is refused', () => {
  const faultsOf = (options: object) => {
    try {
      checkDefinition(service({ title: 'People', resources: { people }, ...options } as never))
    } catch (error) {
      if (error instanceof DefinitionFault) return error.message
      throw error
    }
    return ''
  }
  assert.match(faultsOf({ secondFactor: ['admin'] }), /A second factor needs accounts/)
  const { roles: _, ...roleless } = accounts
  assert.match(faultsOf({ accounts: { ...roleless, secondFactor: ['admin'] } }), /needs the option 'roles'/)
  assert.match(faultsOf({ accounts: { ...accounts, secondFactor: ['amin'] } }), /unknown role 'amin'.*admin/s)
})
