/** The option `mail`: what it needs, and other words for mails. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { composeMail } from '../../../src/features/mail/compose-mail.ts'
import { password, resource, service, text } from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { restwellProgram } from '../../restwell.ts'
import { accounts, people } from './fixtures/people.ts'

const mail = { from: 'service@example.org' }
const notes = resource({ title: text() })
const title = 'People'

test('mail needs accounts whose login is an address, and a sender', () => {
  const refused = (definition: unknown, reason: RegExp) =>
    assert.throws(() => checkDefinition(definition), reason)
  refused(
    service({ title, mail, resources: { notes } }),
    /mail: Mail needs accounts, but the service declares none/,
  )
  const members = resource({ name: text().unique(), password: password() })
  const named = { resource: 'members', login: 'name', password: 'password' } as const
  refused(
    service({ title, mail, accounts: named, resources: { members } }),
    /the login 'name' is not an email\(\)/,
  )
  const resources = { people }
  refused(service({ title, accounts, mail: {} as never, resources }), /The option 'from' is missing/)
  for (const from of ['nobody', 'a@b\r\nBcc: c@d', 'a@b, c@d', '']) {
    refused(service({ title, accounts, mail: { from }, resources }), /mail: .*'from' must be an address/)
  }
  refused(
    service({ title, accounts, mail: { ...mail, texts: { passwordReset: { text: 'Hello' } } }, resources }),
    /The text of 'passwordReset' has no link/,
  )
  refused(
    service({ title, accounts, mail: { ...mail, texts: { welcome: {} } as never }, resources }),
    /Unknown option 'welcome'/,
  )
})

test('the paths of mail are reserved where the definition declares it', () => {
  const resources = { people, mails: notes }
  assert.ok(checkDefinition(service({ title, accounts, resources })))
  assert.throws(
    () => checkDefinition(service({ title, accounts, mail, resources })),
    /The path \/mails is reserved: the definition declares mail/,
  )
})

test('the definition can have other words; values cannot add header fields or markup', () => {
  const texts = { passwordReset: { subject: 'Neu: {title}', text: 'Hallo {login} <b>,\n\nhier: {link}.' } }
  const model = checkDefinition(
    service({ title: 'A & B', accounts, mail: { ...mail, texts }, resources: { people } }),
  )
  const composed = composeMail(model, 'passwordReset', {
    recipient: 'ada@example.org',
    link: 'https://people.example/password-resets/x?a=1&b=2',
  })
  assert.equal(composed.subject, 'Neu: A & B')
  assert.equal(
    composed.text,
    'Hallo ada@example.org <b>,\n\nhier: https://people.example/password-resets/x?a=1&b=2.',
  )
  assert.ok(composed.html.includes('<p>Hallo ada@example.org &lt;b&gt;,</p>'))
  assert.ok(composed.html.includes('<a href="https://people.example/password-resets/x?a=1&amp;b=2">'))
})

test('a start without a mail server or without PUBLIC_URL is refused with the variable to set', async () => {
  const start = (environment: Record<string, string>) =>
    new Promise<string>((resolve) => {
      const words = [...restwellProgram, 'serve', 'test/features/mail/fixtures/people.ts', '--port', '0']
      const options = {
        cwd: join(import.meta.dirname, '../../..'),
        env: { ...process.env, DATABASE_URL: 'file::memory:', ...environment },
      }
      execFile(process.execPath, words, options, (_error, _out, err) => resolve(err))
    })
  assert.match(await start({}), /declares mail, and no mail server is named\. Set MAIL_URL/)
  assert.match(await start({ MAIL_URL: 'smtp://127.0.0.1:25' }), /Set PUBLIC_URL/)
  const secret = await start({ MAIL_URL: 'http://user:hidden@example.org' })
  assert.match(secret, /MAIL_URL must be a URL such as/)
  assert.ok(!secret.includes('hidden'))
})
