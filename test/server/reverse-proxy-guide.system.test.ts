/** The configurations of docs/guide/reverse-proxy.md work: clients are told apart, and uploads and streams pass. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { anyone, file, resource, service, text } from 'restwell'
import { codeBlocks, readPage } from '../docs-pages.ts'
import { follow } from '../requests/events/event-reader.ts'
import { nginxWith, reverseProxy } from '../requests/events/reverse-proxy.ts'
import { createRequester, serve } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const definition = service({
  title: 'Notes',
  resources: {
    notes: resource(
      { title: text(), scan: file({ types: ['text/plain'], max: '8 MB' }).optional() },
      { access: open },
    ),
  },
})

/** Where nginx listens instead of port 80. */
const plainSocket = join(tmpdir(), `restwell-plain-${process.pid}.sock`)

/** The block of the guide, without TLS and with the ports of the test. */
function configuration(language: string, port: number, origin: number): string {
  const blocks = codeBlocks(readPage('docs/guide/reverse-proxy.md'))
  const { code } = blocks.find((block) => block.language === language) ?? assert.fail(language)
  return code
    .replace('listen 80;', `listen unix:${plainSocket};`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace('bind :443 ssl crt /etc/haproxy/example.org.pem', `bind 127.0.0.1:${port}`)
    .replace(/^ *ssl_certificate.*\n/gm, '')
    .replace('127.0.0.1:3000', `127.0.0.1:${origin}`)
}

const proxies = [
  reverseProxy('nginx', 'nginx is not installed: apt-get install nginx', ({ folder, port, origin }) => {
    const file = join(folder, 'nginx.conf')
    writeFileSync(file, nginxWith(folder, configuration('nginx', port, origin)))
    return ['-c', file, '-e', 'stderr', '-p', folder]
  }),
  reverseProxy('haproxy', 'HAProxy is not installed: apt-get install haproxy', ({ folder, port, origin }) => {
    const file = join(folder, 'haproxy.cfg')
    writeFileSync(file, configuration('haproxy', port, origin))
    return ['-db', '-f', file]
  }),
]

for (const { name, reason, start } of proxies) {
  test(`the configuration of ${name} in the guide`, { skip: reason ?? false }, async (t) => {
    await using s = await serve(definition, { trusted: ['127.0.0.1'], rate: 30 })
    await using proxy = await start(s.port)
    const send = createRequester(proxy.port)

    await t.test('passes events at once, and uploads of several megabytes', async () => {
      await using stream = await follow(proxy.port, '/notes')
      const { json } = await send('POST /notes', {}, { title: 'A' })
      assert.equal((await stream.next())?.data.item.title, 'A')
      const content = 'x'.repeat(3_000_000)
      const { status } = await send(`PUT /notes/${json.id}/scan`, { 'content-type': 'text/plain' }, content)
      assert.equal(status, 201)
      assert.equal((await send(`GET /notes/${json.id}/scan`)).octets.length, 3_000_000)
    })

    await t.test('tells clients apart by their addresses, whatever they claim', async () => {
      const statuses: (number | undefined)[] = []
      for (let count = 0; count < 40; count += 1) {
        statuses.push(await statusFrom('127.0.0.2', proxy.port, { 'x-forwarded-for': `10.0.0.${count}` }))
      }
      assert.equal(statuses.at(-1), 429)
      assert.equal(await statusFrom('127.0.0.3', proxy.port), 200)
      assert.equal(await statusFrom('127.0.0.3', proxy.port, { forwarded: 'for=127.0.0.2' }), 200)
    })

    if (name !== 'nginx') return
    await t.test('redirects from port 80 to https, with path, query and method', async () => {
      t.after(() => rmSync(plainSocket, { force: true }))
      const sent = request({
        socketPath: plainSocket,
        path: '/notes?limit=1',
        headers: { host: 'example.org' },
      })
      const [response] = (await once(sent.end(), 'response')) as [IncomingMessage]
      response.resume()
      assert.equal(response.statusCode, 308)
      assert.equal(response.headers.location, 'https://example.org/notes?limit=1')
    })
  })
}

/** The status of a GET by a client with this address. */
function statusFrom(
  localAddress: string,
  port: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/notes', localAddress, agent: false, headers }
    const sent = request(options, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
    })
    sent.on('error', reject)
    sent.end()
  })
}
