/** The API panel: its texts, run as they are, get what the page shows. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import {
  anyone,
  boolean,
  choice,
  email,
  integer,
  json,
  password,
  ref,
  resource,
  role,
  service,
  text,
} from '../../src/index.ts'
import { admin, serve, type TestService } from '../service.ts'

const run = promisify(execFile)
const browser = { accept: 'text/html' }
const access = { read: anyone, create: role('admin'), update: role('admin'), delete: role('admin') }

/** Characters that mean something to a shell, to curl, to JavaScript or to HTML. */
const hostile = `'"\`$(touch x)\${x} \\' !! {a,b} [1-9] </code>&amp; %41 # ; * ? @\n\t—\u2028🍵`

const definition = service({
  title: 'Library',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['reader', 'admin']).default('reader').writableBy(role('admin')),
      },
      { access },
    ),
    books: resource(
      {
        code: text({ max: 200 }).unique(),
        title: text({ max: 200 }),
        pages: integer().optional(),
        lent: boolean().optional(),
        extra: json().optional(),
      },
      { access, key: 'code', history: { read: anyone } },
    ),
    'book-notes': resource(
      { book: ref('books', { inverse: 'notes' }), remark: text({ max: 200 }) },
      { access: { ...access, read: role('admin') } },
    ),
  },
})

let library: TestService
let folder: string
let token: string
/** The path of the book with the hostile code. */
let book: string

before(async () => {
  library = await serve(definition)
  folder = await mkdtemp(join(tmpdir(), 'restwell-api-panel-'))
  token = (await library.request('POST /tokens', admin, { name: 'panel' })).json.token
  const content = {
    code: hostile.replaceAll(/[\n\t]/g, ''),
    title: hostile,
    pages: 12,
    lent: true,
    extra: JSON.parse('{"__proto__": {"a": [1, null, "\'"]}}'),
  }
  const created = await library.request('POST /books', admin, content)
  assert.equal(created.status, 201, created.text)
  book = created.fields.location as string
  await library.request('POST /books', admin, { code: 'plain', title: 'Plain', pages: 300 })
  const noted = await library.request(`POST ${book}/notes`, admin, { remark: hostile })
  assert.equal(noted.status, 201, noted.text)
  await writeFile(join(folder, 'client.js'), (await library.request('GET /client.js')).text)
})

after(async () => {
  await rm(folder, { recursive: true })
  await library[Symbol.asyncDispose]()
})

const filter = encodeURIComponent(hostile)

const views: Readonly<Record<string, () => string>> = {
  'a list': () => '/books',
  'a list with filter, order and fields': () =>
    `/books?title=${filter}&pages%5Bgte%5D=1&pages%5Blt%5D=20&lent=true&sort=-pages,title&fields=title,extra&limit=5`,
  'a filter with brackets as sent, and commas in its values': () =>
    `/books?code[in]=plain,a%5C,b&lent[missing]=true`,
  'an item': () => book,
  'an item with chosen fields': () => `${book}?fields=title`,
  'a sub-collection': () => `${book}/notes?remark%5Bcontains%5D=${filter}`,
  'a collection with a hyphen': () => '/book-notes?embed=book',
  'an aggregation': () => '/books/-/aggregate?group-by=lent&aggregate=count,pages.sum&sort=-count',
  'a history': () => `${book}/history`,
}

for (const [name, path] of Object.entries(views)) {
  test(`curl of ${name} gets the JSON that the page shows`, async () => {
    const uri = path()
    const page = await library.request(`GET ${uri}`, { ...browser, ...admin })
    assert.equal(page.status, 200, page.text)
    const expected = await library.request(`GET ${uri}`, admin)
    const snippets = snippetsIn(page.text)
    assert.deepEqual([...snippets.keys()], ['curl'])
    assert.equal(await runInShell(snippets.get('curl')), expected.text)
    assert.deepEqual(await readdir(folder).then((names) => names.filter((one) => one === 'x')), [])
  })
}

test('a panel for an anonymous caller sends no token', async () => {
  const { text: page } = await library.request('GET /books?limit=1', browser)
  const snippets = snippetsIn(page)
  for (const snippet of snippets.values()) assert.doesNotMatch(snippet, /TOKEN|[Aa]uthorization/)
  assert.equal(await runInShell(snippets.get('curl')), (await library.request('GET /books?limit=1')).text)
})

test('/docs shows a use of the client, which gets what it says', async () => {
  const { text: page } = await library.request('GET /docs', { ...browser, ...admin })
  const section = page.slice(page.indexOf('id="requests"'))
  const [, code = ''] = /<figcaption>Client<\/figcaption><pre[^>]*><code>(.*?)<\/code>/s.exec(section) ?? []
  assert.deepEqual(
    JSON.parse(await runInNode(unescapeText(code))),
    (await library.request('GET /users', admin)).json,
  )
})

test('forms, pages with secrets and pages without data have no panel', async () => {
  for (const path of ['/forms/books', '/sign-in', '/nothing']) {
    const { text: page } = await library.request(`GET ${path}`, { ...browser, ...admin })
    assert.equal(snippetsIn(page).size, 0, path)
  }
})

/** The texts of the panel by their labels. */
function snippetsIn(page: string): ReadonlyMap<string, string> {
  const panel = /<details class="api">.*?<\/details>/s.exec(page)?.[0] ?? ''
  const found = panel.matchAll(/<figcaption>(.*?)<\/figcaption><pre[^>]*><code>(.*?)<\/code>/gs)
  return new Map([...found].map(([, label = '', code = '']) => [label, unescapeText(code)]))
}

function unescapeText(markup: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
    '&amp;': '&',
  }
  return markup.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (one) => entities[one] ?? one)
}

async function runInShell(command = ''): Promise<string> {
  const { stdout } = await run('sh', ['-c', command], { cwd: folder, env: { ...process.env, TOKEN: token } })
  return stdout
}

/** The value that the text assigns to `data`, as JSON. */
async function runInNode(code = ''): Promise<string> {
  const file = join(folder, 'example.mjs')
  await writeFile(file, `${code}\nprocess.stdout.write(JSON.stringify(data))`)
  const { stdout } = await run(process.execPath, [file], {
    cwd: folder,
    env: { ...process.env, TOKEN: token },
  })
  return stdout
}
