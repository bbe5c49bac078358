/** The example of a helpdesk, as its people, its customers and the mail provider use it. */

import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { client, isProblem } from 'restwell/client'
import helpdesk from '../../examples/helpdesk/service.ts'
import { openService } from '../../src/index.ts'
import { freshDatabase } from '../database.ts'
import { eventually } from '../eventually.ts'
import { startMailServer } from '../features/mail/mail-server.ts'

const secret = 'a secret of the mail provider'
process.env.MAIL_HOOK_SECRET = secret
const word = 'correct horse battery'
const admin = { login: 'admin@helpdesk.example', password: word }

function basic(login: string): string {
  return `Basic ${Buffer.from(`${login}:${word}`).toString('base64')}`
}

/** A helpdesk with two customers, of which Acme has the better plan, an agent, and a person of each customer. */
async function openHelpdesk(clock?: () => Date) {
  const mails = await startMailServer()
  const files = await mkdtemp(join(tmpdir(), 'restwell-helpdesk-'))
  const running = await openService(helpdesk, {
    database: await freshDatabase(),
    files: `file:${files}`,
    rate: 'off',
    admin,
    mail: mails.url,
    publicUrl: 'https://helpdesk.example',
    ...(clock && { clock }),
  })
  const { people, organisations } = running.system
  const acme = await organisations.create({ name: 'Acme', plan: 'gold', domain: 'acme.example' })
  const bolt = await organisations.create({ name: 'Bolt', domain: 'bolt.example' })
  for (const [name, host, role] of [
    ['Ada', 'acme', 'customer'],
    ['Bob', 'bolt', 'customer'],
    ['Gil', 'helpdesk', 'agent'],
  ] as const) {
    await people.create({ name, email: `${name.toLowerCase()}@${host}.example`, password: word, role })
  }
  const as = (login: string) =>
    client<typeof helpdesk>('http://localhost', { fetch: running.handle, authorization: basic(login) })
  const [ada, bob, gil] = [as('ada@acme.example'), as('bob@bolt.example'), as('gil@helpdesk.example')]
  // Their addresses make them members, after the commit.
  await eventually(async () => (await running.system.memberships.count({})) === 2)
  return {
    ...{ running, acme, bolt, ada, bob, gil, mails, boss: as(admin.login) },
    async [Symbol.asyncDispose]() {
      await running.close()
      await mails[Symbol.asyncDispose]()
      await rm(files, { recursive: true })
    },
  }
}

const question = {
  subject: 'It does not start',
  body: 'The machine shows **E4**.',
  priority: 'urgent',
} as const

describe('a ticket', () => {
  it('has the next number and the time of the plan, and only its customer and agents see it', async () => {
    await using desk = await openHelpdesk(() => new Date('2026-11-19T08:00:00Z'))
    const first = await desk.ada.tickets.create({ ...question, organisation: desk.acme.id })
    const second = await desk.bob.tickets.create({ ...question, organisation: desk.bolt.id })
    assert.deepEqual([first.number, first.answerBy], [1, '2026-11-19T09:00:00.000Z'])
    assert.deepEqual([second.number, second.answerBy], [2, '2026-11-19T16:00:00.000Z'])
    assert.deepEqual(
      (await desk.ada.tickets.list()).map(({ number }) => number),
      [1],
    )
    assert.equal((await desk.gil.tickets.list()).length, 2)
    const refused = desk.bob.tickets.create({ ...question, organisation: desk.acme.id })
    await assert.rejects(refused, (error) => isProblem(error, 'invalid-content'))
  })

  it('is answered by mail once, and not by internal comments, which the customer does not see', async () => {
    await using desk = await openHelpdesk()
    const { id } = await desk.ada.tickets.create({ ...question, organisation: desk.acme.id })
    await desk.gil.comments.create({ ticket: id, text: 'E4 again', internal: true })
    await desk.gil.comments.create({ ticket: id, text: 'Press both keys.' })
    const mail = await eventually(() => desk.mails.received[0])
    assert.match(mail.text, /Gil answered:\s+Press both keys\./)
    assert.deepEqual(
      (await desk.ada.tickets.comments(id).list()).map(({ text }) => text),
      ['Press both keys.'],
    )
    assert.equal((await eventually(async () => (await desk.ada.tickets.get(id)).answeredAt)) !== '', true)
    assert.equal(desk.mails.received.length, 1)
  })

  it('is assigned to agents only, with the fault at the field', async () => {
    await using desk = await openHelpdesk()
    const { id } = await desk.ada.tickets.create({ ...question, organisation: desk.acme.id })
    const [ada] = await desk.boss.people.list({ email: 'ada@acme.example' })
    const refused = await desk.gil.tickets
      .assign(id, { agent: ada?.id ?? '' })
      .catch((error: unknown) => error)
    assert.ok(isProblem(refused, 'invalid-content'))
    assert.deepEqual(
      refused.errors?.map(({ pointer }) => pointer),
      ['/agent'],
    )
    const patched = await desk.gil.tickets
      .patch(id, { assignee: ada?.id ?? '' })
      .catch((error: unknown) => error)
    assert.ok(isProblem(patched, 'invalid-content'))
    assert.deepEqual(
      patched.errors?.map(({ pointer }) => pointer),
      ['/assignee'],
    )
    await desk.gil.tickets.assign(id, { note: 'I take it.' })
    assert.equal((await desk.gil.tickets.get(id, { embed: ['assignee'] }))._embedded?.assignee?.name, 'Gil')
  })

  it('is merged into another of its customer: the action answers how many comments moved', async () => {
    await using desk = await openHelpdesk()
    const one = await desk.ada.tickets.create({ ...question, organisation: desk.acme.id })
    const other = await desk.ada.tickets.create({ ...question, organisation: desk.acme.id })
    const foreign = await desk.bob.tickets.create({ ...question, organisation: desk.bolt.id })
    for (const text of ['First', 'Second']) await desk.ada.comments.create({ ticket: one.id, text })
    assert.deepEqual(await desk.gil.tickets.merge(one.id, { into: other.id }), { moved: 2 })
    assert.equal((await desk.ada.tickets.get(one.id)).status, 'solved')
    const refused = await desk.gil.tickets
      .merge(other.id, { into: foreign.id })
      .catch((error: unknown) => error)
    assert.ok(isProblem(refused, 'invalid-content'))
  })

  it('that is late is marked by the schedule, and its agent gets one mail', async () => {
    let now = new Date('2026-11-19T08:00:00Z')
    await using desk = await openHelpdesk(() => now)
    const { id } = await desk.ada.tickets.create({ ...question, organisation: desk.acme.id })
    await desk.gil.tickets.assign(id, {})
    now = new Date('2026-11-19T09:10:00Z')
    await desk.running.runSchedules(now)
    assert.equal((await desk.gil.tickets.get(id)).late, true)
    const mail = await eventually(() => desk.mails.received[0])
    assert.match(mail.text, /^Subject: Ticket 1 is late/m)
    assert.deepEqual(await desk.gil.organisations.queries.times({ from: '2026-11-19', to: '2026-11-20' }), {
      customers: [
        { name: 'Acme', tickets: 1, late: 1 },
        { name: 'Bolt', tickets: 0, late: 0 },
      ],
    })
  })
})

it('many tickets are imported in the background, and the job says how many', async () => {
  await using desk = await openHelpdesk()
  const [bob] = await desk.boss.people.list({ email: 'bob@bolt.example' })
  const rows = ['One', 'Two', 'Three'].map((subject) => ({ subject, body: subject, author: bob?.id ?? '' }))
  const job = await desk.boss.tickets.importMany({ organisation: desk.bolt.id, rows })
  const { output } = await desk.boss.jobs.ended(job.id)
  assert.deepEqual(output, { made: 3 })
  assert.deepEqual((await desk.bob.tickets.queries.mine({})).open, 3)
})

describe('a mail to the helpdesk', () => {
  const send = (
    desk: Awaited<ReturnType<typeof openHelpdesk>>,
    content: object,
    given: { id?: string; key?: string } = {},
  ) => {
    const { id = randomUUID(), key = secret } = given
    const body = JSON.stringify(content)
    const signature = createHmac('sha256', key).update(body).digest('hex')
    const headers = { 'content-type': 'application/json', 'x-signature': signature, 'x-id': id }
    return desk.running.handle(new Request('http://localhost/hooks/mail', { method: 'POST', headers, body }))
  }
  const mail = { from: 'Ada@acme.example', subject: 'Broken', text: 'It is broken.' }

  it('makes a ticket once, also where the provider sends it again, and an answer a comment', async () => {
    await using desk = await openHelpdesk()
    assert.equal((await send(desk, mail, { id: 'm-1' })).status, 204)
    assert.equal((await send(desk, mail, { id: 'm-1' })).status, 204)
    const [ticket, ...others] = await desk.ada.tickets.list()
    assert.deepEqual([ticket?.subject, others], ['Broken', []])
    await send(desk, { ...mail, subject: `Re: [#${ticket?.number}] Broken`, text: 'More.' })
    const comments = await desk.ada.tickets.comments(ticket?.id ?? '').list()
    assert.deepEqual(
      comments.map(({ text }) => text),
      ['More.'],
    )
  })

  it('without the right signature has no effect, and of an unknown sender none that shows', async () => {
    await using desk = await openHelpdesk()
    assert.equal((await send(desk, mail, { key: 'another secret' })).status, 403)
    assert.equal((await send(desk, { ...mail, from: 'eve@example.org' })).status, 202)
    assert.equal((await send(desk, { subject: 'No text' })).status, 422)
    assert.equal(await desk.gil.tickets.count(), 0)
  })
})

describe('an invitation', () => {
  it('of a manager makes a person of any address a member, and others cannot give a membership', async () => {
    await using desk = await openHelpdesk()
    const record = { organisation: desk.acme.id }
    const email = 'cleo@partner.example'
    const refused = desk.ada.invitations.create({ email, record })
    await assert.rejects(refused, (error) => isProblem(error, 'forbidden'))
    const [own] = await desk.running.system.memberships.list({ organisation: desk.acme.id })
    assert.ok(own)
    await desk.running.system.memberships.patch(own.id, { role: 'manager' })
    await desk.ada.invitations.create({ email, record })
    const mail = await eventually(() => desk.mails.received[0])
    const [invitation = ''] = mail.secrets
    await desk.ada.acceptInvitation(invitation, { password: word, name: 'Cleo' })
    const cleo = client<typeof helpdesk>('http://localhost', {
      fetch: desk.running.handle,
      authorization: basic(email),
    })
    assert.deepEqual(
      (await cleo.organisations.list()).map(({ name }) => name),
      ['Acme'],
    )
  })
})
