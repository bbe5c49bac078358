/** Mails that code sends: queued with its writes, once for each key, and with values that cannot leave their place. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { MailTool } from '../../../src/definition/mail-template.ts'
import { action, anyone, email, mailTemplate, resource, schedule, service, text } from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { freshDatabase } from '../../database.ts'
import { serve, type TestService } from '../../service.ts'
import { accounts, people } from './fixtures/people.ts'
import { startMailServer } from './mail-server.ts'

const publicUrl = 'https://orders.example'
const placed = mailTemplate({
  subject: 'Order {number}',
  text: 'Thank you for {number}.\n\nSee {link}',
  languages: { de: { subject: 'Bestellung {number}', text: 'Danke für {number}.\n\nSiehe {link}' } },
})
const shipped = mailTemplate({
  subject: 'Shipped {number}',
  text: '{number}',
  html: '<h1 title="{number}">{number}</h1>',
})
const orders = resource(
  { number: text({ max: 500 }), customer: email(), note: text().optional() },
  { access: { read: anyone, create: anyone, update: anyone, delete: anyone } },
)
const mail = { from: 'Shop <shop@example.org>', templates: { placed, shipped } }
const definition = service(
  { title: 'Shop', accounts, mail, resources: { people, orders } },
  {
    orders: {
      before: {
        async create({ id, number, customer, note }, { mail, refuse }) {
          const data = { number, link: `https://shop.example/${id}` }
          await mail.send(placed, { to: customer, key: id, data, language: 'de-AT' })
          await mail.send(placed, { to: customer, key: id, data })
          if (note === 'refused') return refuse('state-conflict', 'Closed.')
        },
      },
      after: {
        async updated({ id, number, customer, note }, { mail }) {
          if (note === 'shipped') await mail.send(shipped, { to: customer, key: id, data: { number } })
        },
      },
      actions: {
        remind: action({
          by: anyone,
          input: { to: text() },
          async run({ id, number }, { to }, { mail }) {
            await mail.send(shipped, { to, key: `${id} ${Math.random()}`, data: { number } })
          },
        }),
        notify: action({
          by: anyone,
          run: (_item, _input, { mail }) =>
            mail.send(shipped, { to: customer, key: 'once', data: { number: 1 } }),
        }),
        report: action({
          by: anyone,
          background: true,
          async run({ id, number, customer }, _, { mail }) {
            await mail.send(shipped, { to: customer, key: `report ${id}`, data: { number } })
          },
        }),
      },
      schedules: {
        hourly: schedule('0 * * * *', ({ mail, now }) =>
          mail.send(shipped, { to: 'owner@example.org', key: now, data: { number: 1 } }),
        ),
      },
    },
  },
)

const local = { host: 'localhost' }
const customer = 'ada@example.org'
const create = (s: TestService, members: object = {}) =>
  s.request('POST /orders', {}, { number: 'A1', customer, ...members })
const mailsOf = async (
  s: TestService,
): Promise<readonly { readonly to: string; readonly subject: string }[]> =>
  (await s.request('GET /mails', local)).json

describe('a mail of code', () => {
  it('is queued with the writes: a refused request and a dry run send none', async () => {
    await using s = await serve(definition, { mail: 'page' })
    assert.equal((await create(s, { note: 'refused' })).status, 409)
    assert.equal((await s.request('POST /orders?dry-run=true', {}, { number: 'A1', customer })).status, 200)
    assert.deepEqual(await mailsOf(s), [])
    assert.equal((await create(s)).status, 201)
    assert.deepEqual(
      (await mailsOf(s)).map(({ to, subject }) => [to, subject]),
      [[customer, 'Bestellung A1']],
    )
  })

  it('is sent once for a key, a template and an address, in the language that was asked for', async () => {
    await using server = await startMailServer()
    await using s = await serve(definition, { mail: server.url, publicUrl })
    const { json } = await create(s)
    await server.reached(1)
    const [first] = server.received
    assert.deepEqual(first?.to, [customer])
    assert.match(first?.text ?? '', /^Subject: Bestellung A1\r$/m)
    assert.match(first?.text ?? '', /<html lang="de">/)
    assert.match(first?.text ?? '', /<a href="https:\/\/shop\.example\//)
    await s.request(`PATCH /orders/${json.id}`, {}, { note: 'shipped' })
    await server.reached(2)
    await s.request(`PATCH /orders/${json.id}`, {}, { number: 'A2' })
    await s.service.settled()
    await s.request(`PATCH /orders/${json.id}`, {}, { customer: 'bob@example.org' })
    await server.reached(3)
    assert.deepEqual(
      server.received.map(({ to }) => to[0]),
      [customer, customer, 'bob@example.org'],
    )
  })

  it('is one mail where concurrent requests use the same key', async () => {
    await using s = await serve(definition, { mail: 'page' })
    const { json } = await create(s, { customer: 'bob@example.org' })
    const notify = () => s.request(`POST /orders/${json.id}/notify`, {}, {})
    const replies = await Promise.all(Array.from({ length: 20 }, notify))
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200])
    assert.equal((await mailsOf(s)).filter(({ to }) => to === customer).length, 1)
  })

  it('is sent by jobs and actions; a bad address of the input is 422 with a pointer', async () => {
    await using s = await serve(definition, { mail: 'page' })
    const { json } = await create(s)
    assert.equal((await s.request(`POST /orders/${json.id}/report`, {}, {})).status, 202)
    await s.service.settled()
    assert.equal((await mailsOf(s)).length, 2)
    for (const to of ['nobody', 'a@example.org, b@example.org', 'a@example.org\r\nBcc: b@example.org', ' ']) {
      const refused = await s.request(`POST /orders/${json.id}/remind`, {}, { to })
      assert.equal(refused.status, 422, to)
      assert.equal(refused.json.errors[0].pointer, '/to')
      assert.match(refused.json.errors[0].detail, /Must be an e-mail address/)
    }
    assert.equal((await mailsOf(s)).length, 2)
  })

  it('is refused with 429 after 50 mails to an address within an hour, and others are not', async () => {
    await using s = await serve(definition, { mail: 'page' })
    const { json } = await create(s, { customer: 'bob@example.org' })
    const remind = (to: string) => s.request(`POST /orders/${json.id}/remind`, {}, { to })
    for (let count = 0; count < 50; count += 1) assert.equal((await remind(customer)).status, 200)
    const refused = await remind(customer.toUpperCase())
    assert.equal(refused.status, 429)
    assert.ok(refused.fields['retry-after'])
    assert.equal((await remind('carol@example.org')).status, 200)
    s.advance(3_600_000)
    assert.equal((await remind(customer)).status, 200)
  })

  it('cannot get header fields or markup from its values', async () => {
    await using server = await startMailServer()
    await using s = await serve(definition, { mail: server.url, publicUrl })
    const number = 'A1\r\nBcc: eve@example.org\r\n\r\n"><script>x</script> {link} $&'
    const { json } = await create(s, { number })
    await s.request(`PATCH /orders/${json.id}`, {}, { note: 'shipped' })
    await server.reached(2)
    for (const { text: message, to } of server.received) {
      assert.deepEqual(to, [customer])
      assert.ok(!/^Bcc:/im.test(message.split('\r\n\r\n')[0] ?? ''))
      assert.ok(!message.slice(message.indexOf('text/html')).includes('<script>'))
    }
    const [, second] = server.received
    assert.match(second?.text ?? '', /<h1 title="A1[^<]*&quot;&gt;&lt;script&gt;/)
  })

  it('leaves no words in the database after it was sent', async () => {
    const database = await freshDatabase()
    {
      await using server = await startMailServer()
      await using s = await serve(definition, { mail: server.url, publicUrl, database })
      await create(s)
      await server.reached(1)
      await s.service.settled()
    }
    await using s = await serve(definition, { mail: 'page', database })
    assert.deepEqual(await mailsOf(s), [])
    await create(s)
    assert.equal((await mailsOf(s)).length, 1)
  })
})

describe('templates', () => {
  const refused = (templates: unknown, reason: RegExp) =>
    assert.throws(
      () =>
        checkDefinition(
          service({ title: 'Shop', accounts, mail: { ...mail, templates } as never, resources: { people } }),
        ),
      reason,
    )

  it('are checked at the start, with suggestions', () => {
    refused({ placed: { subject: 'a', text: 'b' } }, /templates\.placed.*Not a template.*mailTemplate\(/s)
    refused({ placed: mailTemplate({ subject: 'a' } as never) }, /The option 'text' is missing/)
    refused(
      { placed: mailTemplate({ subject: 'a', text: 'b', languges: {} } as never) },
      /Did you mean 'languages'/,
    )
    const german = (words: object, tag = 'de') =>
      mailTemplate({ subject: '{number}', text: 'b', languages: { [tag]: words } } as never)
    refused(
      { placed: german({ subject: '{numbr}', text: 'b' }) },
      /languages\.de.*no placeholder \{numbr\}.*Did you mean 'number'/s,
    )
    refused({ placed: german({ subject: 'a', text: 'b' }, 'DE') }, /not a language tag.*Did you mean 'de'/s)
    refused(
      { placed: mailTemplate({ subject: '{the number}', text: 'b' }) },
      /'{the number' is not a placeholder/,
    )
    refused(
      { placed: mailTemplate({ subject: 'a', text: 'b {unsubscribe}', html: '<p>b</p>' }) },
      /The words have no \{unsubscribe\}.*Add \{unsubscribe\} to them/s,
    )
    refused(
      { placed: mailTemplate({ subject: 'a {unsubscribe}', text: 'b {unsubscribe}' }) },
      /The subject cannot have \{unsubscribe\}/,
    )
    refused({ 'order-placed': placed }, /up to 40 letters and digits/)
    const named = service({ title: 'Shop', resources: { mail: orders } })
    assert.throws(() => checkDefinition(named), /The name 'mail' is reserved: logic has a tool/)
  })

  it('have typed data', () => {
    const send = (mail: MailTool) => {
      // @ts-expect-error `link` is missing.
      void mail.send(placed, { to: customer, key: '1', data: { number: 1 } })
      // @ts-expect-error `numbr` is misspelt.
      void mail.send(shipped, { to: customer, key: '1', data: { number: 1, numbr: 2 } })
      return mail.send(shipped, { to: customer, key: '1', data: { number: 1 } })
    }
    const sent: unknown[] = []
    send({ send: async (...given) => void sent.push(given) })
    assert.equal(sent.length, 3)
  })

  it('that are not declared, other data and a service without mail fail with what to do', async () => {
    const other = mailTemplate({ subject: '{number}', text: 'b' })
    const sends = async (given: object, send: (mail: never) => Promise<unknown>) => {
      const own = service(
        { title: 'Shop', accounts, resources: { people, orders }, ...given },
        { orders: { before: { create: async (_item, tools) => void (await send(tools.mail as never)) } } },
      )
      await using s = await serve(own, { mail: 'page' })
      assert.equal((await create(s)).status, 500)
      const failed = s.observations.find(({ kind }) => kind === 'logic-failed')
      return String((failed as { cause?: Error } | undefined)?.cause?.message)
    }
    const mailOf = (tool: { send(...args: unknown[]): Promise<void> }) => tool
    const sent = (template: unknown, members: object) => (tool: never) =>
      mailOf(tool).send(template, { to: customer, key: 'k', ...members })
    assert.match(
      await sends({}, sent(placed, {})),
      /orders\.before\.create sends a mail, but the service declares none\. Add mail: /,
    )
    assert.match(await sends({ mail }, sent(other, {})), /The template is not declared\. Add it to templates/)
    assert.match(
      await sends({ mail }, sent('placed', {})),
      /must be a template of mailTemplate\(\), not "placed"/,
    )
    assert.match(
      await sends({ mail }, sent(shipped, { data: { numbr: 1 } })),
      /Unknown placeholder 'numbr'\. Did you mean 'number'/,
    )
    assert.match(
      await sends({ mail }, sent(shipped, { data: {} })),
      /'data\.number' must be a text or a number/,
    )
    assert.match(
      await sends({ mail }, sent(shipped, { data: { number: 1 }, key: '' })),
      /'key' must be a text/,
    )
  })
})
