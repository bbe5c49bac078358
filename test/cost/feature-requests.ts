/** Requests for features as large as the limits admit: actions with results, routes, links in mails, sessions. */

import { createHmac } from 'node:crypto'
import { admin } from '../service.ts'
import type { CostlyRequest } from './requests.ts'

/** The secret that the signatures of routes are made with. */
export const hookSecret = 'a secret of the cost fuzzer'

/** Octets of content, and of a header field or a target, which are the limits. */
const most = 1024 * 1024
const mostOfLine = 7_500

/** Pages take requests of the own origin only, and passwords over this connection on this machine only. */
const ofPage = { host: 'localhost', 'sec-fetch-site': 'same-origin' }
const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }

export function* featureRequests(): Generator<CostlyRequest> {
  const kinds = [resultRequests, routeRequests, linkRequests, sessionRequests]
  for (const requests of kinds) {
    for (const request of requests()) yield { ...request, fields: { ...ofPage, ...request.fields } }
  }
}

/** Actions whose result is as large as their input, and a table, in each format. */
function* resultRequests(): Generator<CostlyRequest> {
  const word = '=&"é,'
  const lines: readonly [string, object][] = [
    ['many objects', { lines: Array(1000).fill({ name: word, parts: [] }) }],
    ['long texts', { lines: Array(900).fill({ name: word.repeat(150), parts: [] }) }],
    ['nested objects', { lines: Array(40).fill({ name: word, parts: Array(100).fill({ words: [word] }) }) }],
  ]
  for (const format of ['json', 'hal', 'hal-forms', 'xml', 'csv', 'html']) {
    for (const [name, body] of lines) {
      for (const line of ['POST /things/returned', 'QUERY /things/counted']) {
        yield {
          name: `${line} as ${format}: ${name}`,
          line: `${line}?format=${format}`,
          fields: json,
          body: JSON.stringify(body),
        }
      }
    }
  }
  const faulty = { lines: Array(1000).fill({ nmae: 1, parts: [{ x: 1 }] }) }
  yield {
    name: 'POST returned: faulty objects',
    line: 'POST /things/returned',
    fields: json,
    body: JSON.stringify(faulty),
  }
  const text = encodeURIComponent(JSON.stringify(lines[0]?.[1] && Object.values(lines[0][1])[0]))
  yield { name: 'POST returned: a form', line: 'POST /things/returned', fields: form, body: `lines=${text}` }
}

/** Contents and header fields of routes, with signatures that are valid and not. */
function* routeRequests(): Generator<CostlyRequest> {
  const time = Math.floor(Date.now() / 1000)
  const sign = (text: string) => createHmac('sha256', hookSecret).update(text).digest('hex')
  const contents: readonly [string, string][] = [
    ['numbers', `[${'1,'.repeat(most / 2 - 100)}1]`],
    ['objects', `[${'{},'.repeat(Math.floor(most / 3) - 100)}{}]`],
    // Only a sender that knows the secret gets to the parser.
    ['depth', '['.repeat(100_000)],
    ['escapes', `"${'\\u00e9'.repeat(Math.floor(most / 6) - 100)}"`],
    ['no JSON', 'é'.repeat(most / 2 - 100)],
  ]
  for (const [name, data] of contents) {
    const body = `{"id":"${name}","type":"paid","data":${data}}`
    const signature = `t=${time},v1=${sign(`${time}.${body}`)}`
    yield {
      name: `a signed event: ${name}`,
      line: 'POST /hooks/stripe',
      fields: { ...json, 'stripe-signature': signature },
      body,
    }
    yield {
      name: `an event with an id: ${name}`,
      line: 'POST /hooks/own',
      fields: { ...json, 'x-signature': sign(body), 'x-id': name.padEnd(1000, 'a') },
      body,
    }
  }
  const signatures: readonly [string, string][] = [
    ['many signatures', `t=${time}${`,v1=${'a'.repeat(64)}`.repeat(100)}`],
    ['short signatures', `t=${time}${',v1=a'.repeat(mostOfLine / 5)}`],
    ['parts', 'a=b,'.repeat(mostOfLine / 4)],
    ['separators', ','.repeat(mostOfLine)],
    ['a long time', `t=${'9'.repeat(mostOfLine)},v1=a`],
  ]
  for (const [name, signature] of signatures) {
    const fields = { 'stripe-signature': signature }
    yield { name: `a signature: ${name}`, line: 'POST /hooks/stripe', fields, body: 'x'.repeat(most) }
  }
  for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=b', 'text/plain']) {
    const body = type.startsWith('multipart')
      ? `${'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(18_000)}--b--\r\n`
      : 'a=1&'.repeat(most / 4)
    yield { name: `a content: ${type}`, line: 'POST /echo', fields: { 'content-type': type }, body }
  }
  const fields = { cookie: 'a=b; '.repeat(mostOfLine / 5), accept: 'a/b,'.repeat(mostOfLine / 4) }
  yield { name: 'a route: header fields', line: `GET /echo?${'a=b&'.repeat(mostOfLine / 4)}`, fields }
  yield { name: 'a route: a large response', line: 'GET /echo?octets=4000000', fields: {} }
}

/** Requests for links in mails, and their use. */
function* linkRequests(): Generator<CostlyRequest> {
  const places = ['sign-in-links', 'password-resets', 'verifications']
  const logins = [
    `${'a'.repeat(60)}@${'b'.repeat(60)}.example.org`,
    `${'a'.repeat(mostOfLine)}@example.org`,
    '@'.repeat(most - 100),
    'é'.repeat(400_000),
    ' '.repeat(1_000_000),
  ]
  for (const place of places) {
    for (const login of logins) {
      yield {
        name: `POST ${place}: ${login.slice(0, 5)} × ${login.length}`,
        line: `POST /${place}`,
        fields: { ...json, ...(place === 'verifications' ? admin : {}) },
        body: JSON.stringify({ login }),
      }
    }
    yield {
      name: `POST ${place}: pairs`,
      line: `POST /${place}`,
      fields: form,
      body: 'login=a&'.repeat(most / 8),
    }
    yield {
      name: `GET ${place}`,
      line: `GET /${place}?next=/${'a'.repeat(mostOfLine)}`,
      fields: { accept: 'text/html' },
    }
  }
  for (const place of [...places, 'invitations']) {
    const secret = 'a'.repeat(mostOfLine)
    yield { name: `GET ${place}: a long secret`, line: `GET /${place}/${secret}`, fields: {} }
    const fields = { ...json, cookie: `restwell-link=${secret}` }
    const body = JSON.stringify({ password: 'p'.repeat(1_000_000) })
    yield { name: `POST ${place}: a long password`, line: `POST /${place}/${'a'.repeat(43)}`, fields, body }
  }
}

/** Credentials of sessions and of requests, which every request may have. */
function* sessionRequests(): Generator<CostlyRequest> {
  const credentials: readonly [string, Readonly<Record<string, string>>][] = [
    ['cookies', { cookie: 'restwell-session=a; '.repeat(mostOfLine / 20) }],
    ['a long cookie', { cookie: `restwell-session=${'a'.repeat(mostOfLine)}` }],
    ['separators of cookies', { cookie: '; '.repeat(mostOfLine / 2) }],
    ['a long token', { authorization: `Bearer ${'a'.repeat(mostOfLine)}` }],
    ['a token with parts', { authorization: `Bearer ${'a.'.repeat(mostOfLine / 2)}` }],
    [
      'a JWT',
      {
        authorization: `Bearer ${Buffer.from('{"alg":"RS256"}').toString('base64url')}.${'a'.repeat(6000)}.a`,
      },
    ],
    [
      'a long password',
      { authorization: `Basic ${Buffer.from(`a:${'é'.repeat(2700)}`).toString('base64')}` },
    ],
    ['schemes', { authorization: 'Basic a, '.repeat(mostOfLine / 9) }],
  ]
  for (const [name, fields] of credentials) {
    for (const line of ['GET /-/session', 'GET /sign-in', 'POST /sign-out', 'GET /things']) {
      yield { name: `${line}: ${name}`, line, fields: { accept: 'text/html', ...fields } }
    }
  }
  for (const next of ['/', '//', '%2F', '%0A']) {
    const line = `POST /sign-in?next=${next.repeat(mostOfLine / next.length)}`
    yield {
      name: `POST /sign-in: next ${next}`,
      line,
      fields: form,
      body: `login=${'a'.repeat(900_000)}&password=a`,
    }
  }
}
