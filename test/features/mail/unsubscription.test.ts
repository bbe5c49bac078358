/** Unsubscribing from mails of code: the fields of RFC 8058, and the link in the words. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { action, anyone, mailTemplate, resource, service, text } from '../../../src/index.ts'
import { serve, type TestService } from '../../service.ts'
import { accounts, people } from './fixtures/people.ts'
import { type MailServer, startMailServer } from './mail-server.ts'

const publicUrl = 'https://news.example'
const news = mailTemplate({ subject: 'News', text: '{words}\n\nUnsubscribe: {unsubscribe}' })
const bill = mailTemplate({ subject: 'Bill', text: '{words}' })
const letters = resource({ words: text() }, { access: { read: anyone, create: anyone } })
const send = (template: typeof news | typeof bill) =>
  action({
    on: 'collection',
    by: anyone,
    input: { to: text(), key: text() },
    run: async ({ to, key }, { mail }) =>
      mail.send(template, { to, key, data: { words: '{unsubscribe} <b>' } }),
  })
const definition = service(
  {
    title: 'News',
    accounts,
    mail: { from: 'news@example.org', templates: { news, bill } },
    resources: { people, letters },
  },
  { letters: { actions: { news: send(news), bill: send(bill) } } },
)

const ada = 'ada@example.org'
const post = (s: TestService, kind: string, key: string, to = ada) =>
  s.request(`POST /letters/${kind}`, {}, { to, key })
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const secure = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'news.example' }
const options = (server: MailServer) => ({ mail: server.url, publicUrl, trusted: ['127.0.0.1'] })
const secretIn = (message = '') =>
  /^List-Unsubscribe:\s+<https:\/\/news\.example\/mails\/([\w-]{43})>\r$/m.exec(message)?.[1] ?? ''

describe('a mail with {unsubscribe}', () => {
  it('has the fields of RFC 8058 §3.1 and the link in its words; other mails have neither', async () => {
    await using server = await startMailServer()
    await using s = await serve(definition, options(server))
    assert.equal((await post(s, 'news', '1')).status, 204)
    await server.reached(1)
    assert.equal((await post(s, 'bill', '1')).status, 204)
    await server.reached(2)
    const [first, second] = server.received
    const secret = secretIn(first?.text)
    assert.equal(secret.length, 43)
    assert.match(first?.text ?? '', /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m)
    assert.ok(first?.text.includes(`Unsubscribe: https://news.example/mails/${secret}`))
    assert.ok(first?.text.includes(`<a href="https://news.example/mails/${secret}">`))
    // A value with the name of the placeholder is no placeholder.
    assert.ok(first?.text.includes('{unsubscribe} <b>'))
    assert.ok(!/unsubscribe:/i.test(second?.text ?? ''))
  })

  it('ends with a POST of a mail program, which may be repeated; GET changes nothing', async () => {
    await using server = await startMailServer()
    await using s = await serve(definition, options(server))
    await post(s, 'news', '1')
    await server.reached(1)
    const uri = `/mails/${secretIn(server.received[0]?.text)}`
    const shown = await s.request(`GET ${uri}`, { ...secure, accept: 'text/html' })
    assert.equal(shown.status, 200)
    assert.match(shown.text, /ada@example\.org gets no more mails of this kind/)
    assert.ok(!/<input(?! type="hidden")/.test(shown.text.slice(shown.text.indexOf('<main'))))
    await post(s, 'news', '2')
    await server.reached(2)
    for (let time = 0; time < 2; time += 1) {
      const sent = await s.request(`POST ${uri}`, { ...secure, ...form }, 'List-Unsubscribe=One-Click')
      assert.equal(sent.status, 204)
    }
    assert.equal((await post(s, 'news', '3')).status, 204)
    await post(s, 'bill', '3')
    await post(s, 'news', '3', 'bob@example.org')
    await server.reached(4)
    assert.deepEqual(
      server.received
        .slice(2)
        .map(({ to, text: message }) => [to[0], /^Subject: (.*)\r$/m.exec(message)?.[1]]),
      [
        [ada, 'Bill'],
        ['bob@example.org', 'News'],
      ],
    )
  })

  it('that waits for the mail server is not sent after it', async () => {
    await using server = await startMailServer()
    await using s = await serve(definition, options(server))
    await post(s, 'news', '1')
    await server.reached(1)
    const uri = `/mails/${secretIn(server.received[0]?.text)}`
    await server[Symbol.asyncDispose]()
    await post(s, 'news', '2')
    await s.request(`POST ${uri}`, secure, {})
    await using restarted = await startMailServer({ port: server.port })
    s.advance(600_000)
    await post(s, 'bill', '1')
    await restarted.reached(1)
    await s.service.settled()
    assert.deepEqual(
      restarted.received.map(({ text: message }) => /^Subject: (.*)\r$/m.exec(message)?.[1]),
      ['Bill'],
    )
  })

  it('has a link for 60 days; an unknown one is 404, and a page of another origin gets 403', async () => {
    await using server = await startMailServer()
    await using s = await serve(definition, options(server))
    await post(s, 'news', '1')
    await server.reached(1)
    const uri = `/mails/${secretIn(server.received[0]?.text)}`
    const foreign = { ...secure, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    assert.equal((await s.request(`POST ${uri}`, foreign, {})).status, 403)
    assert.equal((await s.request('POST /mails/unknown', secure, {})).status, 404)
    s.advance(60 * 86_400_000 - 600_000)
    assert.equal((await s.request(`GET ${uri}`, secure)).status, 200)
    s.advance(600_001)
    assert.equal((await s.request(`GET ${uri}`, secure)).status, 404)
    assert.equal((await s.request(`POST ${uri}`, secure, {})).status, 404)
  })
})
