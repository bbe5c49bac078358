/** A front end beside the service: its files at the paths outside of the base. */

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import { DefinitionFault } from '../../../src/definition/definition-fault.ts'
import type { ServiceOptions } from '../../../src/definition/service-definition.ts'
import { anyone, resource, service, text } from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { serve, type TestService } from '../../service.ts'

const things = resource({ name: text() }, { access: { read: anyone } })
const script = `console.log(${'1 + '.repeat(500)}1)`
let folder = ''

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restwell-site-'))
  await mkdir(join(folder, 'web/assets'), { recursive: true })
  await mkdir(join(folder, 'web/help'))
  await mkdir(join(folder, 'web/.git'))
  const files: Record<string, string | Uint8Array> = {
    'index.html': '<!doctype html><title>App</title>',
    'help/index.html': '<!doctype html><title>Help</title>',
    'assets/app-1a2b.js': script,
    'assets/app-1a2b.js.br': brotliCompressSync(script),
    'robots.txt': 'User-agent: *',
    '.env': 'SECRET=1',
    '.git/config': 'secret',
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, 'web', name), content)
  await writeFile(join(folder, 'outside.txt'), 'outside')
  await symlink(join(folder, 'outside.txt'), join(folder, 'web/link.txt'))
})

after(() => rm(folder, { recursive: true, force: true }))

const optionsOf = (site: object) =>
  ({ title: 'Things', base: '/api', resources: { things }, site }) as unknown as ServiceOptions

function faultsOf(options: ServiceOptions): string {
  try {
    checkDefinition(service(options))
  } catch (error) {
    if (error instanceof DefinitionFault) return error.message
    throw error
  }
  return ''
}

function start(more: object = {}): Promise<TestService> {
  const site = { folder: join(folder, 'web'), fallback: 'index.html', immutable: 'assets/', ...more }
  return serve(service(optionsOf(site)))
}

const page = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }

describe('a site', () => {
  test('serves its files, and the service below its base', async () => {
    await using s = await start()
    const index = await s.request('GET /')
    assert.equal(index.text, '<!doctype html><title>App</title>')
    assert.equal(index.fields['content-type'], 'text/html; charset=utf-8')
    assert.equal(index.fields['cache-control'], 'no-cache')
    assert.match(String(index.fields['content-security-policy']), /default-src 'self'/)
    assert.equal(index.fields['x-content-type-options'], 'nosniff')
    assert.match((await s.request('GET /help/')).text, /Help/)
    assert.equal((await s.request('GET /api/things')).status, 200)
    assert.equal((await s.request('GET /api/nothing', page)).status, 404)
    assert.equal((await s.request('GET /apis')).status, 404)
  })

  test('has files that never change for a year, in the coding that the client accepts', async () => {
    await using s = await start()
    const plain = await s.request('GET /assets/app-1a2b.js')
    assert.equal(plain.text, script)
    assert.equal(plain.fields['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(plain.fields.vary, 'Accept-Encoding')
    const coded = await s.request('GET /assets/app-1a2b.js', { 'accept-encoding': 'gzip, br' })
    assert.equal(coded.fields['content-encoding'], 'br')
    assert.deepEqual(coded.octets, brotliCompressSync(script))
    assert.notEqual(coded.fields.etag, plain.fields.etag)
    assert.equal(coded.fields['content-length'], String(coded.octets.length))
    const none = await s.request('GET /robots.txt', { 'accept-encoding': 'gzip, br' })
    assert.deepEqual([none.fields['content-encoding'], none.fields.vary], [undefined, undefined])
  })

  test('evaluates conditions and ranges', async () => {
    await using s = await start()
    const { fields } = await s.request('HEAD /robots.txt')
    assert.equal(fields['content-length'], '13')
    const { etag = '' } = fields
    assert.equal((await s.request('GET /robots.txt', { 'if-none-match': etag })).status, 304)
    assert.equal((await s.request('GET /robots.txt', { 'if-match': '"x"' })).status, 412)
    const part = await s.request('GET /robots.txt', { range: 'bytes=0-3', 'if-range': etag })
    assert.deepEqual([part.status, part.text, part.fields['content-range']], [206, 'User', 'bytes 0-3/13'])
    assert.equal((await s.request('GET /robots.txt', { range: 'bytes=0-3', 'if-range': '"x"' })).status, 200)
    assert.equal((await s.request('GET /robots.txt', { range: 'bytes=99-' })).status, 416)
    const refused = await s.request('POST /robots.txt', {}, {})
    assert.deepEqual([refused.status, refused.fields.allow], [405, 'GET, HEAD, OPTIONS'])
  })

  test('answers a navigation to a path of the front end with the fallback, and nothing else', async () => {
    await using s = await start()
    const route = await s.request('GET /tasks/12?tab=history', page)
    assert.deepEqual([route.status, route.text], [200, '<!doctype html><title>App</title>'])
    assert.equal(route.fields.vary, 'Accept, Sec-Fetch-Mode')
    assert.equal((await s.request('GET /tasks/12', { accept: 'text/html' })).status, 200)
    assert.equal((await s.request('GET /tasks/12')).status, 404)
    const load = { ...page, 'sec-fetch-mode': 'no-cors' }
    assert.equal((await s.request('GET /assets/missing.js', load)).status, 404)
    await using without = await start({ fallback: undefined })
    assert.equal((await without.request('GET /tasks/12', page)).status, 404)
  })

  test('keeps what begins with a dot, links, and other ways out of the folder', async () => {
    await using s = await start()
    for (const path of [
      '/.env',
      '/%2Eenv',
      '/.git/config',
      '/.well-known/nothing',
      '/help/../.env',
      '/help/%2e%2e/.env',
      '/assets%2Fapp-1a2b.js',
      '//robots.txt',
      '/help//index.html',
    ]) {
      assert.equal((await s.request(`GET ${path}`, page)).status, 404, path)
    }
    for (const path of ['/link.txt', '/..%2Foutside.txt', '/assets/app-1a2b.js.br']) {
      assert.equal((await s.request(`GET ${path}`)).status, 404, path)
    }
  })

  test('serves a new build whole', async () => {
    await using s = await start()
    assert.equal((await s.request('GET /help/new.html')).status, 404)
    await writeFile(join(folder, 'web/help/new.html'), 'new')
    await writeFile(join(folder, 'web/help/index.html'), '<!doctype html><title>More help</title>')
    assert.match((await s.request('GET /help/')).text, /More help/)
    assert.equal((await s.request('GET /help/new.html')).text, 'new')
    await rm(join(folder, 'web/help/new.html'))
    assert.equal((await s.request('GET /help/new.html')).status, 404)
  })

  test('confirms no tag of a former build', async () => {
    await using s = await start()
    const { fields } = await s.request('GET /robots.txt')
    const { etag = '', 'last-modified': modified = '' } = fields
    await writeFile(join(folder, 'web/robots.txt'), 'User-agent: none')
    assert.equal((await s.request('GET /robots.txt', { 'if-none-match': etag })).text, 'User-agent: none')
    await writeFile(join(folder, 'web/robots.txt'), 'User-agent: *')
    assert.equal((await s.request('HEAD /robots.txt')).fields['content-length'], '13')
    const since = { 'if-none-match': '"x"', 'if-modified-since': modified }
    assert.equal((await s.request('GET /robots.txt', since)).status, 200)
  })

  test('is 503 while its folder is being replaced', async () => {
    const own = join(folder, 'own')
    await mkdir(own)
    await writeFile(join(own, 'index.html'), 'old')
    await using s = await start({ folder: own, immutable: undefined })
    await rm(own, { recursive: true })
    const during = await s.request('GET /')
    assert.equal(during.status, 503)
    assert.match(String(during.fields['retry-after']), /^[1-5]$/)
    await mkdir(own)
    await writeFile(join(own, 'index.html'), 'new')
    assert.equal((await s.request('GET /')).text, 'new')
  })

  test('counts requests for its files against the address', async () => {
    const site = { folder: join(folder, 'web') }
    await using s = await serve(service(optionsOf(site)), { rate: 2 })
    const statuses: number[] = []
    for (const path of ['/robots.txt', '/robots.txt', '/abc/health', '/robots.txt']) {
      statuses.push((await s.request(`GET ${path}`)).status)
    }
    assert.deepEqual(statuses, [200, 200, 429, 429])
  })

  test('whose folder or fallback is missing is refused at the start', async () => {
    await assert.rejects(
      start({ folder: join(folder, 'dist') }),
      /dist, cannot be read\. Build the front end first/,
    )
    await assert.rejects(start({ fallback: 'app.html' }), /has no file app\.html, its fallback/)
  })

  test('with faults is refused with their places', () => {
    assert.match(faultsOf({ ...optionsOf({ folder: 'web' }), base: '' }), /site: .*Add base: '\/api'/)
    for (const [given, message] of [
      [{}, /site: .*folder/],
      [{ folder: 7 }, /a path from the working directory/],
      [{ folder: new URL('https://example.org/') }, /file: URL/],
      [{ folder: 'web', fallback: '../index.html' }, /a file in the folder/],
      [{ folder: 'web', immutable: 'assets' }, /with a slash at its end/],
      [{ folder: 'web', policy: "default-src 'self' →" }, /printable ASCII characters/],
      [{ folder: 'web', fallbak: 'index.html' }, /Did you mean 'fallback'\?|fallback/],
    ] as const) {
      assert.match(faultsOf(optionsOf(given)), message)
    }
  })
})
