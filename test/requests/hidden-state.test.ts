/** A refused transition reveals nothing about a state that `visibleTo` hides (RFC 9110 §15.5.4, §15.5.10). */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, choice, email, password, resource, role, service, state, text } from 'restwell'
import { admin, basic, type Reply, serve, type TestService } from '../service.ts'

const desk = service({
  title: 'Desk',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
      },
      { access: { read: anyone, create: anyone } },
    ),
    cases: resource(
      {
        title: text().default('untitled'),
        verdict: text().optional(),
        status: state({
          initial: 'open',
          transitions: {
            review: { from: 'open', to: 'reviewed', by: role('admin'), requires: ['verdict'] },
            close: { from: 'reviewed', to: 'closed', by: role('admin') },
            flag: { from: ['open', 'reviewed'], to: 'flagged' },
          },
        }).visibleTo(role('admin')),
      },
      { access: { read: anyone, create: anyone, update: anyone } },
    ),
  },
})

const ada = { email: 'ada@example.org', password: 'analytical' }
const asAda = basic(ada.email, ada.password)

/** The URI of a case that is in the state. */
async function caseIn(s: TestService, ...steps: readonly string[]): Promise<string> {
  const { location } = (await s.request('POST /cases', admin, {})).fields
  for (const status of steps) {
    const { status: code } = await s.request(`PATCH ${location}`, admin, { status, verdict: 'fine' })
    assert.equal(code, 200)
  }
  return String(location)
}

/** The parts of a response that a caller can compare. */
function comparableParts({ status, json }: Reply): unknown {
  const { instance: _, ...rest } = json
  return { status, ...rest }
}

for (const method of ['PATCH', 'PUT']) {
  test(`${method}: closed, forbidden and present states are refused in the same bytes where the state is hidden`, async () => {
    await using s = await serve(desk)
    await s.request('POST /users', {}, ada)
    const cases = [await caseIn(s), await caseIn(s, 'reviewed'), await caseIn(s, 'reviewed', 'closed')]
    for (const status of ['reviewed', 'closed', 'open']) {
      const replies: unknown[] = []
      for (const uri of cases)
        replies.push(comparableParts(await s.request(`${method} ${uri}`, asAda, { status })))
      for (const reply of replies) assert.deepEqual(reply, replies[0], status)
      assert.equal((replies[0] as Reply).status, 409)
      assert.doesNotMatch(JSON.stringify(replies), /"open":\[|is 'open'|is 'reviewed'|is 'closed'/)
    }
  })
}

test('a transition that is open to the caller succeeds where the state is hidden', async () => {
  await using s = await serve(desk)
  await s.request('POST /users', {}, ada)
  const uri = await caseIn(s)
  assert.equal((await s.request(`PATCH ${uri}`, asAda, { status: 'flagged' })).status, 200)
  assert.equal((await s.request(`GET ${uri}`, admin)).json.status, 'flagged')
})

test('a caller who sees the state gets the open transitions, and those that are forbidden', async () => {
  await using s = await serve(desk)
  const uri = await caseIn(s, 'reviewed')
  const closed = await s.request(`PATCH ${uri}`, admin, { status: 'open' })
  assert.equal(closed.status, 409)
  assert.match(closed.json.detail, /is 'reviewed'/)
  assert.equal(closed.json.open.length, 2)
  assert.equal((await s.request(`PATCH ${uri}`, admin, { status: 'reviewed' })).status, 200)
})
