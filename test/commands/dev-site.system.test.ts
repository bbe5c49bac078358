/** `restwell dev --site`: a development server responds to the paths outside of the base of the service. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { readConfig, readDevConfig } from '../../src/operation/configuration/config.ts'
import { folderOf, root } from './command.ts'
import { startDev, urlIn } from './dev-command.ts'

const words = JSON.stringify(join(root, 'src/index.ts'))

const definition = (title: string, base = "base: '/api',") => `
import { anyone, resource, service, text } from ${words}
export default service({
  title: '${title}', ${base}
  site: { folder: 'not-built-yet', fallback: 'index.html' },
  resources: { notes: resource({ title: text() }, { access: { read: anyone } }) },
})
`

test('restwell dev --site', async (t) => {
  const site = await startSite(0)
  t.after(() => site.server.close())
  const folder = await folderOf(t)
  const write = (content: string) => writeFileSync(join(folder, 'service.ts'), content)
  write(definition('Notes'))
  const service = startDev(t, folder, ['--site', site.url])
  const url = urlIn(await service.waitFor(/^Listening on /))
  await service.waitFor(new RegExp(`^Site +${site.url}, at paths outside of /api$`))

  await t.test(
    'paths outside of the base are those of the development server, with status and fields',
    async () => {
      assert.equal((await fetch(`${url}/api/notes`)).status, 200)
      assert.equal((await fetch(`${url}/api/nothing`)).status, 404)
      const page = await fetch(`${url}/src/[id].ts?v=1`, { headers: { 'x-own': '1', cookie: 'a=b' } })
      assert.equal(page.status, 203)
      assert.equal(page.headers.get('x-powered-by'), 'site')
      assert.equal(page.headers.get('x-content-type-options'), null, 'the service adds nothing')
      const seen = (await page.json()) as Seen
      assert.deepEqual([seen.method, seen.url], ['GET', '/src/[id].ts?v=1'])
      assert.equal(seen.headers.host, new URL(url).host)
      assert.equal(seen.headers['x-own'], '1')
      assert.equal(seen.headers.cookie, 'a=b')
      assert.equal(((await (await fetch(`${url}/apis`)).json()) as Seen).url, '/apis')
    },
  )

  await t.test('content of either framing is passed on, and fields of one connection are not', async () => {
    const headers = { connection: 'keep-alive, x-hop', 'x-hop': '1', te: 'trailers', expect: '100-continue' }
    for (const framing of [{ 'content-length': '5' }, { 'transfer-encoding': 'chunked' }]) {
      for (const method of ['POST', 'DELETE']) {
        const sent = request(`${url}/save`, { method, headers: { ...headers, ...framing } })
        sent.end('12345')
        const [response] = (await once(sent, 'response')) as [IncomingMessage]
        const seen = JSON.parse(await text(response)) as Seen
        assert.deepEqual([seen.method, seen.content], [method, '12345'])
        for (const name of ['x-hop', 'te', 'expect']) assert.equal(seen.headers[name], undefined, name)
      }
    }
  })

  await t.test('one connection serves both, and a request for another protocol is not joined', async () => {
    const socket = await open(url)
    const host = new URL(url).host
    socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`)
    const seen = JSON.parse((await readUntil(socket, /\r\n\r\n(?:\w+\r\n)?(\{.*\})/s))[1] ?? '') as Seen
    assert.equal(seen.headers.upgrade, undefined)
    socket.write(`GET /api/notes HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    await readUntil(socket, /HTTP\/1\.1 200 OK\r\n.*\[\]/s)
    socket.destroy()
  })

  await t.test(
    'a WebSocket is joined, and a refused one is a response that ends the connection',
    async () => {
      const socket = await open(url)
      socket.write(handshake(url, '/hmr'))
      const [head] = await readUntil(socket, /^.*?\r\n\r\n/s)
      assert.match(head, /^HTTP\/1\.1 101 /)
      assert.match(head, /sec-websocket-accept: yes/i)
      socket.write('ping')
      await readUntil(socket, /echo ping/)
      socket.end()
      await once(socket, 'close')
      const refused = await open(url)
      refused.write(handshake(url, '/refused'))
      const answer = await text(refused)
      assert.match(answer, /^HTTP\/1\.1 400 /)
      assert.match(answer, /no such socket$/)
      const own = await open(url)
      own.write(handshake(url, '/api/notes'))
      await readUntil(own, /^HTTP\/1\.1 200 OK/)
      own.destroy()
    },
  )

  await t.test(
    'a stream arrives as it is sent, and ends with the version of the definition at once',
    async () => {
      const sent = request(`${url}/stream`)
      sent.end()
      const [stream] = (await once(sent, 'response')) as [IncomingMessage]
      const [event] = await once(stream, 'data')
      assert.equal(String(event), 'data: 1\n\n')
      const socket = await open(url)
      socket.write(handshake(url, '/hmr'))
      await readUntil(socket, /\r\n\r\n/)
      const breaking = assert.rejects(text(stream), { code: 'ECONNRESET' })
      const ended = Promise.all([breaking, once(socket, 'close')])
      write(definition('Other notes'))
      await ended
      await service.waitFor(/^Reloaded service\.ts/)
      assert.equal((await fetch(`${url}/`)).status, 203)
    },
  )

  await t.test('a client that leaves ends the request to the development server', async () => {
    const ended = once(site.server, 'left')
    const sent = request(`${url}/stream`)
    sent.end()
    await once(sent, 'response')
    sent.destroy()
    await ended
  })

  await t.test(
    'without the development server there is 502, as a page and as a problem, until it runs',
    async () => {
      site.server.closeAllConnections()
      site.server.close()
      const problem = await fetch(`${url}/`, { method: 'POST', body: '12345' })
      assert.equal(problem.status, 502)
      assert.equal(problem.headers.get('content-type'), 'application/problem+json')
      assert.match(((await problem.json()) as { detail: string }).detail, /does not respond: .*ECONNREFUSED/)
      const page = await (await fetch(`${url}/`, { headers: { accept: 'text/html' } })).text()
      assert.match(page, /<h1>The development server does not respond<\/h1>/)
      assert.match(page, /<meta http-equiv="refresh" content="1">/)
      const socket = await open(url)
      socket.write(handshake(url, '/hmr'))
      assert.match(await text(socket), /^HTTP\/1\.1 502 Bad Gateway\r\n/)
      assert.equal((await fetch(`${url}/api/notes`)).status, 200)
      const again = await startSite(Number(new URL(site.url).port))
      t.after(() => again.server.close())
      assert.equal((await fetch(`${url}/`)).status, 203)
    },
  )

  await t.test('a service without a base has no other paths', async () => {
    write(definition('Notes', ''))
    await service.waitFor(/--site needs a path of its own|A site needs a path of its own/)
    write(definition('Notes', '').replace(/site: .*/, ''))
    await service.waitFor(/^--site needs a path of its own for the service\. Add base: '\/api'/)
  })

  assert.deepEqual(await service.stop(), [0, null])
})

test('--site is for servers of this machine, and of restwell dev alone', () => {
  for (const url of ['http://localhost:5173', 'http://127.0.0.1:8080', 'http://[::1]:3001/']) {
    assert.equal(readDevConfig(['--site', url]).site?.href, new URL(url).href)
  }
  const others = [
    'http://example.org',
    'https://localhost:5173',
    'http://localhost/app',
    'localhost:5173',
    '5173',
  ]
  for (const url of [...others, 'http://user@localhost:5173', 'http://192.168.0.2:5173']) {
    const message = new RegExp(`^--site must be the development server on this machine, .*, not '${url}'\\.$`)
    assert.throws(() => readDevConfig(['--site', url]), { message })
  }
  assert.throws(() => readConfig(['--site', 'http://localhost:5173']), /Unknown option '--site'/)
})

interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly content: string
}

/** A development server: it tells what it has received, and has a stream and a WebSocket that echoes. */
async function startSite(port: number): Promise<{ server: Server; url: string }> {
  const server = createServer(async (incoming, response) => {
    if (incoming.url === '/stream') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write('data: 1\n\n')
      response.once('close', () => server.emit('left'))
      return
    }
    const { method, url, headers } = incoming
    response.writeHead(203, { 'X-Powered-By': 'site' })
    response.end(JSON.stringify({ method, url, headers, content: await text(incoming) }))
  })
  server.on('upgrade', ({ url }, socket: Socket) => {
    socket.on('error', () => undefined)
    if (url === '/refused') {
      socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 14\r\n\r\nno such socket')
      return
    }
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: yes\r\n\r\n',
    )
    socket.on('data', (octets) => socket.write(`echo ${octets}`))
    socket.on('end', () => socket.end())
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function open(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

function handshake(url: string, path: string): string {
  const fields = `Host: ${new URL(url).host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a2V5\r\n`
  return `GET ${path} HTTP/1.1\r\n${fields}\r\n`
}

/** Reads until what has arrived matches. */
function readUntil(socket: Socket, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let arrived = ''
    const read = (octets: Buffer) => {
      arrived += octets
      const match = pattern.exec(arrived)
      if (match === null) return
      socket.off('data', read)
      resolve(match)
    }
    socket.on('data', read)
    socket.once('close', () => reject(new Error(`The connection closed after: ${arrived}`)))
  })
}
