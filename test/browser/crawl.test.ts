/** Every link and every form on every HTML page has a status below 400 for each caller who sees it. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { someOf } from '../cases.ts'
import { adminLogin, adminPassword, type Reply, type SendRequest } from '../service.ts'
import { as, openShop, password, people } from './shop.ts'

const callers: Readonly<Record<string, readonly [string, string] | undefined>> = {
  anonymous: undefined,
  member: [people.member, password],
  editor: [people.editor, password],
  admin: [adminLogin, adminPassword],
}

for (const [name, credentials] of someOf(Object.entries(callers), 1)) {
  test(`every link and form shown to ${name} has a status below 400`, async () => {
    await using shop = await openShop(3)
    for (const [slug, who] of [
      ['one', 'member'],
      ['two', 'editor'],
    ] as const) {
      const created = await shop.request('POST /articles', as(who), { slug, title: slug })
      await shop.request(`PATCH ${created.fields.location}`, as(who), { status: 'published' })
      await shop.request('POST /articles', as(who), { slug: `${slug}-draft`, title: slug })
    }
    const cookie = credentials && (await signIn(shop.request, credentials))
    const crawl = new Crawl(shop.request, cookie)
    await crawl.read('/')
    await crawl.send()
    assert.deepEqual(crawl.faults, [])
    assert.ok(crawl.seen.size > 20, `${crawl.seen.size} places were seen`)
    if (name !== 'anonymous') assert.ok(crawl.sent > 5, `${crawl.sent} forms were sent`)
  })
}

async function signIn(request: SendRequest, [login, secret]: readonly [string, string]): Promise<string> {
  const body = new URLSearchParams({ login, password: secret }).toString()
  const reply = await request('POST /sign-in', formed, body)
  assert.equal(reply.status, 303, reply.text)
  const [cookie = ''] = reply.fields['set-cookie'] ?? []
  return cookie.split(';')[0] ?? ''
}

const formed = {
  accept: 'text/html',
  host: 'localhost',
  'content-type': 'application/x-www-form-urlencoded',
  'sec-fetch-site': 'same-origin',
}

interface Form {
  readonly method: string
  readonly action: string
  readonly body: string
  readonly from: string
}

class Crawl {
  readonly seen = new Set<string>()
  readonly faults: string[] = []
  sent = 0
  readonly #request: SendRequest
  readonly #fields: Readonly<Record<string, string>>
  readonly #forms = new Map<string, Form>()

  constructor(request: SendRequest, cookie: string | undefined) {
    this.#request = request
    this.#fields = {
      accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      host: 'localhost',
      'sec-fetch-site': 'same-origin',
      ...(cookie === undefined ? {} : { cookie }),
    }
  }

  /** Follows every link from there on, each once. */
  async read(start: string): Promise<void> {
    const waiting = [start]
    for (let uri = waiting.shift(); uri !== undefined; uri = waiting.shift()) {
      if (this.seen.has(uri) || this.seen.size > 600) continue
      this.seen.add(uri)
      const page = await this.#request(`GET ${uri}`, this.#fields)
      this.#note(page, uri, uri)
      if (page.status === 303 || page.status === 301) waiting.push(String(page.fields.location))
      if (!String(page.fields['content-type']).startsWith('text/html')) continue
      waiting.push(...linksIn(page.text, uri))
      for (const form of formsIn(page.text, uri)) this.#forms.set(`${form.method} ${form.action}`, form)
    }
  }

  /** Submits every form, with values for required fields; deletions and sign-out last. */
  async send(): Promise<void> {
    const rank = ({ action }: Form) => (/sign-out/.test(action) ? 2 : /method=DELETE/.test(action) ? 1 : 0)
    const forms = [...this.#forms.values()].sort((a, b) => rank(a) - rank(b))
    for (const { method, action, body, from } of forms) {
      if (/sign-in/.test(action)) continue
      const fresh = await this.#fresh(action, from)
      if (fresh === undefined) continue
      const reply =
        method === 'get'
          ? await this.#request(`GET ${action}?${body}`, this.#fields)
          : await this.#request(`POST ${fresh}`, { ...this.#fields, ...formed }, body)
      this.sent += 1
      this.#note(reply, `${method} ${action} ${body}`, from)
    }
  }

  /** The same form with the tag that its item has by now; undefined where it is offered no more. */
  async #fresh(action: string, from: string): Promise<string | undefined> {
    if (!action.includes('match=')) return action
    const page = await this.#request(`GET ${from}`, this.#fields)
    const [path, query = ''] = action.split('?')
    const method = new URLSearchParams(query).get('method')
    return formsIn(page.text, from).find(
      (form) => form.action.startsWith(`${path}?`) && form.action.includes(`method=${method}`),
    )?.action
  }

  #note({ status }: Reply, what: string, from: string): void {
    // A preview of what others see is 404 where they see nothing.
    if (status === 404 && what.includes('/-/preview')) return
    if (status >= 400) this.faults.push(`${status} ${what} on ${from}`)
  }
}

function linksIn(page: string, base: string): readonly string[] {
  const targets = [
    ...page.matchAll(/<(?:a|link)\s[^>]*?href="([^"]*)"/g),
    ...page.matchAll(/<script[^>]*src="([^"]*)"/g),
  ]
  return (
    targets
      .map(([, target]) => decoded(String(target)))
      .filter((target) => !/^(?:mailto:|https?:)/.test(target))
      .map((target) => new URL(target, `http://x${base}`))
      .map((url) => url.pathname + url.search)
      // There is always one more page of changes.
      .filter((uri) => !uri.includes('last-event-id='))
  )
}

let created = 0

function formsIn(page: string, from: string): readonly Form[] {
  return [...page.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)].map(([, tag = '', content = '']) => ({
    method: /method="(\w+)"/.exec(tag)?.[1] ?? 'get',
    action: decoded(/action="([^"]*)"/.exec(tag)?.[1] ?? ''),
    body: bodyOf(content),
    from,
  }))
}

/** The content that a browser would send, with valid values for required fields. */
function bodyOf(content: string): string {
  const pairs: [string, string][] = []
  for (const [, tag = ''] of content.matchAll(/<input([^>]*)>/g)) {
    const name = decoded(/ name="([^"]*)"/.exec(tag)?.[1] ?? '')
    const value = decoded(/ value="([^"]*)"/.exec(tag)?.[1] ?? '')
    // A webhook needs an event.
    if (/type="checkbox"/.test(tag) && !/ checked/.test(tag) && name !== 'events[]') continue
    pairs.push([name, value === '' && / required/.test(tag) ? fitting(name) : value])
  }
  for (const [, tag = '', text = ''] of content.matchAll(/<textarea([^>]*)>\n?([\s\S]*?)<\/textarea>/g)) {
    const name = decoded(/ name="([^"]*)"/.exec(tag)?.[1] ?? '')
    pairs.push([name, text === '' && / required/.test(tag) ? fitting(name) : decoded(text)])
  }
  for (const [, tag = '', options = ''] of content.matchAll(/<select([^>]*)>([\s\S]*?)<\/select>/g)) {
    const chosen =
      /<option value="([^"]*)" selected/.exec(options)?.[1] ?? /value="([^"]*)"/.exec(options)?.[1]
    pairs.push([decoded(/ name="([^"]*)"/.exec(tag)?.[1] ?? ''), decoded(chosen ?? '')])
  }
  return new URLSearchParams(pairs).toString()
}

function fitting(name: string): string {
  created += 1
  if (name === 'login') return adminLogin
  if (name === 'email') return `crawl-${created}@example.org`
  if (name === 'password') return 'a password that will do'
  if (name === 'price') return '1.00'
  if (name === 'url') return 'https://hooks.example/crawl'
  return name === 'sku' ? `CRAWL-${created}` : `crawl-${created}`
}

function decoded(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
