/** Messages that no client library sends: malformed request lines, header sections, framing and targets. */

import { malformedMessages } from '../../server/malformed.ts'
import { openShop } from '../worlds.ts'
import type { Section } from './sections.ts'

const host = 'Host: localhost\r\n'
const closing = `${host}Connection: close\r\n`

const messages: readonly (readonly [octets: string, responses?: number])[] = [
  [`GET /products/MUG-1 HTTP/1.1\r\n${host}\r\n`],
  [`GET /products/MUG-1 HTTP/1.1\r\n${closing}\r\n`],
  [`GET http://localhost/products/MUG-1 HTTP/1.1\r\n${closing}\r\n`],
  [`GET http://other.example/products/MUG-1 HTTP/1.1\r\n${closing}\r\n`],
  [`GET https://localhost/ HTTP/1.1\r\n${closing}\r\n`],
  [`GET ftp://localhost/ HTTP/1.1\r\n${closing}\r\n`],
  [`GET products HTTP/1.1\r\n${closing}\r\n`],
  [`GET /products#top HTTP/1.1\r\n${closing}\r\n`],
  [`GET /a b HTTP/1.1\r\n${closing}\r\n`],
  [`GET /\xff HTTP/1.1\r\n${closing}\r\n`],
  [`GET /products/MUG-1 HTTP/1.0\r\n\r\n`],
  [`GET /products/MUG-1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`],
  [`GET /products/MUG-1 HTTP/2.0\r\n${host}\r\n`],
  [`GET /products/MUG-1 HTTP/1.2\r\n${closing}\r\n`],
  ['GET / HTTP/1.1\r\n\r\n'],
  [`GET / HTTP/1.1\r\n${host}${host}\r\n`],
  ['GET / HTTP/1.1\r\nHost: a b\r\n\r\n'],
  ['GET / HTTP/1.1\r\nHost: user@localhost\r\n\r\n'],
  ['GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n'],
  [`CONNECT localhost:443 HTTP/1.1\r\n${host}\r\n`],
  [`OPTIONS * HTTP/1.1\r\n${closing}\r\n`],
  [`GET * HTTP/1.1\r\n${closing}\r\n`],
  [`TRACE / HTTP/1.1\r\n${closing}\r\n`],
  [
    `POST /articles HTTP/1.1\r\n${closing}Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{}`,
  ],
  [`POST /articles HTTP/1.1\r\n${closing}Content-Length: 2\r\nExpect: other\r\n\r\n{}`],
  [`POST /articles HTTP/1.1\r\n${closing}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
  [`POST /articles HTTP/1.1\r\n${closing}Transfer-Encoding: gzip\r\n\r\n`],
  [`POST /articles HTTP/1.1\r\n${closing}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
  [`POST /articles HTTP/1.1\r\n${closing}Content-Length: -1\r\n\r\n`],
  [`POST /articles HTTP/1.1\r\n${closing}Content-Length: 99999999999999999999\r\n\r\n`],
  [`POST /articles HTTP/1.1\r\n${closing}\r\n`],
  [`GET / HTTP/1.1\r\n${closing}${'X: y\r\n'.repeat(120)}\r\n`],
  [`GET / HTTP/1.1\r\n${closing}X: ${'y'.repeat(20_000)}\r\n\r\n`],
  [`GET /${'a'.repeat(9000)} HTTP/1.1\r\n${closing}\r\n`],
  [`GET /products/MUG-1 HTTP/1.1\r\n${host}\r\nGET /products/TEA-100 HTTP/1.1\r\n${closing}\r\n`, 2],
  [`HEAD /products/NONE HTTP/1.1\r\n${closing}\r\n`],
  [`GET / HTTP/1.1\r\n${closing}Upgrade: websocket\r\n\r\n`],
  [`\r\nGET /products/MUG-1 HTTP/1.1\r\n${closing}\r\n`],
]

export const rawMessages: Section = {
  name: 'raw-messages',
  open: openShop,
  async play(p) {
    for (const [octets, responses] of messages) await p.sendRaw(octets, responses)
    for (const [index, { name, message }] of malformedMessages.entries()) {
      // Each place with a few of the wrong octets, and the messages that fit no place.
      if (index % 5 === 0 || !/ in /.test(name)) await p.sendRaw(message)
    }
  },
}
