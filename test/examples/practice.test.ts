/** The example of a veterinary practice, as its people, a front desk and Stripe use it. */

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { client, isProblem } from 'restwell/client'
import practice from '../../examples/practice/service.ts'
import { openService } from '../../src/index.ts'
import { freshDatabase } from '../database.ts'

const secret = 'whsec_of_the_practice'
process.env.STRIPE_WEBHOOK_SECRET = secret
const word = 'correct horse battery'
const admin = { login: 'admin@practice.example', password: word }

function basic(login: string): string {
  return `Basic ${Buffer.from(`${login}:${word}`).toString('base64')}`
}

/** A practice with a vet, the front desk, and a client whose dog has a visit. */
async function openPractice() {
  const running = await openService(practice, { database: await freshDatabase(), rate: 'off', admin })
  const { people, patients, services, appointments } = running.system
  const person = (name: string, role: 'client' | 'vet' | 'desk') =>
    people.create({ name, email: `${name.toLowerCase()}@practice.example`, password: word, role })
  const [vet, , keeper] = [
    await person('Vera', 'vet'),
    await person('Dana', 'desk'),
    await person('Kim', 'client'),
  ]
  await services.create({ code: 'visit', name: 'Visit', price: '35.50' })
  await services.create({ code: 'vaccine', name: 'Vaccine', price: '20.00' })
  const dog = await patients.create({ name: 'Rex', species: 'dog', keeper: keeper.id })
  const start = '2026-11-19T09:15:00Z'
  const visit = await appointments.create({ patient: dog.id, vet: vet.id, start, reason: 'Vaccination' })
  const as = (login: string) =>
    client<typeof practice>('http://localhost', { fetch: running.handle, authorization: basic(login) })
  return {
    ...{ running, dog, visit, vet: as('vera@practice.example'), desk: as('dana@practice.example') },
    ...{ kim: as('kim@practice.example'), boss: as(admin.login) },
    anonymous: client<typeof practice>('http://localhost', { fetch: running.handle }),
    [Symbol.asyncDispose]: () => running.close(),
  }
}

type Practice = Awaited<ReturnType<typeof openPractice>>

/** The invoice of the visit, with two treatments. */
async function billed({ vet, desk, visit }: Practice) {
  await vet.appointments.patch(visit.id, { status: 'confirmed' })
  await vet.treatments.create({ appointment: visit.id, service: 'visit' })
  await vet.treatments.create({ appointment: visit.id, service: 'vaccine', quantity: 2 })
  await vet.appointments.patch(visit.id, { status: 'done' })
  await desk.appointments.bill(visit.id, {})
  const [invoice] = await desk.invoices.list({ appointment: visit.id })
  assert.ok(invoice)
  return invoice
}

describe('a quote', () => {
  const lines = [{ service: 'visit' }, { service: 'vaccine', quantity: 2 }]

  it('is for everyone, adds up, and stores nothing', async () => {
    await using open = await openPractice()
    assert.deepEqual(await open.anonymous['/'].quote({ species: 'dog', lines }), {
      lines: [
        { name: 'Visit', quantity: 1, amount: '35.50' },
        { name: 'Vaccine', quantity: 2, amount: '40.00' },
      ],
      total: '75.50',
    })
    const { note } = await open.anonymous['/'].quote({ species: 'other', lines })
    assert.equal(note, 'Plus the time that it takes.')
  })

  it('names the line that is wrong', async () => {
    await using open = await openPractice()
    const faultsOf = async (line: { service: string; quantity?: number }) => {
      const sent = { species: 'dog', lines: [...lines, line] } as const
      const refused = await open.anonymous['/'].quote(sent).catch((error: unknown) => error)
      assert.ok(isProblem(refused, 'invalid-content'))
      return refused.errors?.map(({ pointer }) => pointer)
    }
    assert.deepEqual(await faultsOf({ service: 'vaccine', quantity: 51 }), ['/lines/2/quantity'])
    assert.deepEqual(await faultsOf({ service: 'nothing' }), ['/lines/2/service'])
  })
})

describe('an appointment', () => {
  it('is made by the keeper, on a quarter of an hour, when the vet is free', async () => {
    await using open = await openPractice()
    const { patient, vet, start } = open.visit
    const faultOf = async (at: string) => {
      const sent = { patient, vet, start: at, reason: 'Again' }
      const refused = await open.kim.appointments.create(sent).catch((error: unknown) => error)
      assert.ok(isProblem(refused, 'invalid-content'))
      return refused.errors?.map(({ pointer }) => pointer)
    }
    assert.deepEqual(await faultOf('2026-11-19T09:20:00Z'), ['/start'])
    assert.deepEqual(await faultOf(start), ['/start'])
    const made = await open.kim.appointments.create({
      patient,
      vet,
      start: '2026-11-19T10:00:00Z',
      reason: 'Again',
    })
    assert.equal(made.end, '2026-11-19T10:20:00.000Z')
  })

  it('is billed when it is done, with the prices of its treatments', async () => {
    await using open = await openPractice()
    await assert.rejects(open.desk.appointments.bill(open.visit.id, {}), (error) =>
      isProblem(error, 'state-conflict'),
    )
    const invoice = await billed(open)
    assert.deepEqual([invoice.number, invoice.total, invoice.status], [1, '75.50', 'open'])
    assert.equal((await open.kim.invoices.get(invoice.id)).total, '75.50')
  })
})

describe('a payment', () => {
  it('in cash answers what is left, and pays the invoice when nothing is', async () => {
    await using open = await openPractice()
    const { id } = await billed(open)
    assert.deepEqual(await open.desk.invoices.payInCash(id, { amount: '50.00' }), {
      paid: false,
      left: '25.50',
    })
    assert.equal((await open.desk.invoices.get(id)).paid, '50.00')
    await open.desk.invoices.payInCash(id, { amount: '75.50' })
    assert.equal((await open.desk.invoices.get(id)).status, 'paid')
  })

  it('by Stripe counts once, also where the event comes again, and only with its signature', async () => {
    await using open = await openPractice()
    const { id } = await billed(open)
    const object = { client_reference_id: id, amount_total: 7550 }
    const event = JSON.stringify({ id: 'evt_1', type: 'checkout.session.completed', data: { object } })
    const send = (key: string) => {
      const at = Math.floor(Date.now() / 1000)
      const signature = createHmac('sha256', key).update(`${at}.${event}`).digest('hex')
      const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${at},v1=${signature}` }
      const request = new Request('http://localhost/hooks/stripe', { method: 'POST', headers, body: event })
      return open.running.handle(request)
    }
    assert.equal((await send('whsec_of_another')).status, 403)
    assert.equal((await send(secret)).status, 204)
    assert.equal((await send(secret)).status, 204)
    const paid = await open.kim.invoices.get(id)
    assert.deepEqual([paid.status, paid.paid], ['paid', '75.50'])
    assert.equal(await open.kim.payments.count(), 1)
    const today = new Date().toISOString().slice(0, 10)
    const range = { from: today, to: '2999-01-01' }
    assert.deepEqual(await open.boss['/'].queries.revenue(range), {
      total: '75.50',
      days: [{ day: today, total: '75.50' }],
    })
    await assert.rejects(open.desk['/'].queries.revenue(range), (error) => isProblem(error, 'forbidden'))
  })
})

describe('the day', () => {
  it('has the visits of today, for those who work there', async () => {
    await using open = await openPractice()
    const { patient, vet } = open.visit
    const day = new Date().toISOString().slice(0, 10)
    const start = `${day}T11:00:00Z`
    const { id } = await open.running.system.appointments.create({ patient, vet, start, reason: 'Today' })
    const visits = await open.desk.appointments.queries.today({})
    assert.ok(visits.some((visit) => visit.id === id && visit.reason === 'Today'))
    assert.ok(visits.every((visit) => visit.start.startsWith(day)))
    await assert.rejects(open.kim.appointments.queries.today({}), (error) => isProblem(error, 'forbidden'))
  })

  it('has invoices as PDF, for the client too', async () => {
    await using open = await openPractice()
    const { id } = await billed(open)
    for (const who of [open.kim, open.desk]) {
      const pdf = await who.invoices.queries.pdf(id, {})
      assert.deepEqual([pdf.name, pdf.type], ['invoice-1.pdf', 'application/pdf'])
      assert.match(await pdf.text(), /Invoice 1: 75\.50/)
    }
    await assert.rejects(open.anonymous.invoices.queries.pdf(id, {}), (error) =>
      isProblem(error, 'unauthenticated'),
    )
  })
})
