/** The forms of links by mail, declared once: controls, refused pages and descriptions (docs/reference/http/accounts.md). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formOf } from '../../html/submitted-form.ts'
import { admin, serve, type TestService } from '../../service.ts'
import definition from './fixtures/people.ts'
import { startMailServer } from './mail-server.ts'

const publicUrl = 'https://people.example'
const ada = 'ada@example.org'
const pass = 'the right password'
const halForms = { accept: 'application/prs.hal-forms+json' }
const page = { accept: 'text/html', 'sec-fetch-site': 'same-origin' }
const formed = { ...page, 'content-type': 'application/x-www-form-urlencoded' }

interface Template {
  readonly method: string
  readonly target?: string
  readonly contentType: string
  readonly properties: readonly { readonly name: string; readonly required?: boolean }[]
}

async function templateAt(s: TestService, uri: string): Promise<Template> {
  const reply = await s.request(`GET ${uri}`, halForms)
  assert.equal(reply.status, 200, reply.text)
  return reply.json._templates.default
}

const namesOf = ({ properties }: Template) =>
  properties.map(({ name, required }) => (required ? name : `${name}?`)).join()

describe('HAL-FORMS', () => {
  test('has the forms that ask for a mail, and a client sends what they describe', async () => {
    await using s = await serve(definition, { publicUrl })
    for (const [uri, names] of [
      ['/password-resets', 'login'],
      ['/verifications', 'login,currentPassword?'],
    ] as const) {
      const template = await templateAt(s, uri)
      assert.equal(namesOf(template), names)
      const { method, target, contentType } = template
      const body = JSON.stringify({ login: ada })
      const reply = await s.request(`${method} ${target}`, { 'content-type': contentType }, body)
      assert.equal(reply.status, 202, reply.text)
    }
  })

  test('has the form of a link, whose target is the URI of the link itself', async () => {
    await using mails = await startMailServer()
    await using s = await serve(definition, { publicUrl, mail: mails.url })
    await s.request('POST /people', {}, { email: ada, password: pass })
    const asked = [
      ['/verifications', { login: ada }],
      ['/invitations', { email: 'bob@example.org' }],
      ['/password-resets', { login: ada }],
    ] as const
    for (const [index, [path, content]] of asked.entries()) {
      await s.request(`POST ${path}`, path === '/invitations' ? admin : {}, content)
      await mails.reached(index + 1)
      const uri = `${path}/${mails.received[index]?.secrets[0]}`
      const template = await templateAt(s, uri)
      assert.equal(template.target, undefined)
      assert.ok(template.properties.some(({ name, required }) => name === 'password' && required))
      const { method, contentType } = template
      const names = template.properties.filter(({ required }) => required).map(({ name }) => [name, pass])
      const body = JSON.stringify(Object.fromEntries(names))
      const reply = await s.request(`${method} ${uri}`, { 'content-type': contentType }, body)
      assert.equal(reply.status, 204, reply.text)
    }
  })
})

describe('a refused form', () => {
  test('is shown again with its faults, also where nothing was sent', async () => {
    await using s = await serve(definition, { publicUrl })
    for (const [uri, body] of [
      ['/verifications', ''],
      ['/verifications', 'login='],
      ['/password-resets', ''],
    ] as const) {
      const reply = await s.request(`POST ${uri}`, formed, body)
      assert.equal(reply.status, 422)
      assert.match(reply.text, /<p class="fault" id="login-fault">This field is required\./)
      assert.equal(formOf(reply.text, new RegExp(uri)).action, uri)
    }
  })

  test('keeps what was entered, but no password', async () => {
    await using s = await serve(definition, { publicUrl })
    await s.request('POST /people', {}, { email: ada, password: pass })
    const signedIn = await s.request('POST /sign-in', formed, `login=${ada}&password=${pass}`)
    const cookie = String(signedIn.fields['set-cookie']).split(';')[0] ?? ''
    const entered = 'login=countess%40example.org&currentPassword=a+wrong+one'
    const reply = await s.request('POST /verifications', { ...formed, cookie }, entered)
    assert.equal(reply.status, 422)
    assert.match(reply.text, /id="login"[^>]* value="countess@example\.org"/)
    assert.match(reply.text, /id="currentPassword-fault">This is not the password of your account\./)
    assert.doesNotMatch(reply.text, /wrong one|data-ask|data-send/)
  })

  test('of a link does not repeat its secret', async () => {
    await using mails = await startMailServer()
    await using s = await serve(definition, { publicUrl, mail: mails.url })
    await s.request('POST /people', {}, { email: ada, password: pass })
    await s.request('POST /password-resets', {}, { login: ada })
    await mails.reached(1)
    const secret = mails.received[0]?.secrets[0] ?? ''
    const reply = await s.request(`POST /password-resets/${secret}`, formed, 'password=short')
    assert.equal(reply.status, 422)
    assert.match(reply.text, /<form method="post" class="form narrow">/)
    assert.match(reply.text, /id="password-fault">Must be at least \d+ characters long\./)
    assert.ok(!reply.text.includes(secret) && !reply.text.includes('value="short"'))
  })
})

test('OpenAPI has the input of each form, with the rules of the definition', async () => {
  await using s = await serve(definition, { publicUrl })
  const { paths } = (await s.request('GET /openapi.json')).json
  const schemaAt = (path: string) => paths[path].post.requestBody.content['application/json'].schema
  assert.deepEqual(schemaAt('/password-resets').required, ['login'])
  assert.deepEqual(Object.keys(schemaAt('/verifications').properties), ['login', 'currentPassword'])
  const { password } = schemaAt('/password-resets/{secret}').properties
  const weak = await s.request(
    'POST /people',
    {},
    { email: ada, password: 'x'.repeat(password.minLength - 1) },
  )
  assert.equal(weak.status, 422)
  assert.equal(schemaAt('/verifications/{secret}').additionalProperties, false)
})
