/** Changes that the owner of a webhook may not see alter no byte of what it sends and records. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../eventually.ts'
import { admin, basic, type Reply, serve, type TestService } from '../../service.ts'
import { defineTasks } from './definition.ts'
import { type Receiver, startReceiver } from './receiver.ts'

test('hidden changes alter no byte of the messages and of the records of attempts', async () => {
  const alone = await exchange(async () => undefined)
  const among = await exchange(async ({ request }, hidden) => {
    for (let n = 0; n < 7; n += 1) await request('POST /tasks', admin, { title: `Hidden ${n}` })
    await request(`PATCH ${hidden}`, mergePatch, { title: 'Hidden as well' })
  })
  assert.deepEqual(among, alone)
})

const mergePatch = { ...admin, 'content-type': 'application/merge-patch+json' }

type ChangeHidden = (service: TestService, hidden: string) => Promise<void>

/** What the webhook of Ann sends and records, with hidden changes between those that Ann sees. */
async function exchange(changeHidden: ChangeHidden) {
  await using receiver = await startReceiver()
  await using service = await serve(defineTasks())
  const { request } = service
  const user = { email: 'ann@example.org', password: 'long enough words', roles: ['member'] }
  assert.equal((await request('POST /users', admin, user)).status, 201)
  const ann = basic(user.email, user.password)
  const hook = await request('POST /webhooks', ann, { url: receiver.url, events: ['tasks.*'] })
  const hidden = String((await request('POST /tasks', admin, { title: 'Hidden' })).fields.location)
  const task = await request('POST /tasks', ann, { title: 'Shown' })
  await receiver.reached(1)
  await changeHidden(service, hidden)
  // A field that Ann does not see.
  await request(`PATCH ${task.fields.location}`, mergePatch, { note: 'secret' })
  await request(`PATCH ${task.fields.location}`, { ...mergePatch, ...ann }, { open: false })
  await receiver.reached(2)
  await changeHidden(service, hidden)
  await request(`DELETE ${task.fields.location}`, ann)
  await receiver.reached(3)
  return { sent: sentTo(receiver), recorded: await recordsOf(service, hook, ann) }
}

function sentTo({ received }: Receiver) {
  return received.map(({ headers, text }) => [Object.keys(headers), mask(text)])
}

function recordsOf({ request }: TestService, hook: Reply, ann: { readonly authorization: string }) {
  return eventually(async () => {
    const reply = await request(`GET ${hook.fields.location}/deliveries`, ann)
    const isOver = !reply.json.some(({ status }: { status: string }) => status === 'sending')
    return isOver && mask(reply.text)
  })
}

/** Without what differs between any two runs: identities, versions, times. */
function mask(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '(id)')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '(time)')
    .replaceAll(/"version":"[\w-]+"/g, '(version)')
    .replaceAll(/"event":"[\w-]{22}"/g, '(event)')
    .replaceAll(/"duration":\d+/g, '(duration)')
}
