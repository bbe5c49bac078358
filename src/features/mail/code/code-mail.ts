/** Mails that the code of a definition sends: a row and its work in the queue, written in the transaction of the code. */

import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { findAccountRow } from '../../../access/basic-scheme.ts'
import { sha256 } from '../../../access/secret-token.ts'
import { currentPassword } from '../../../definition/current-password.ts'
import { createInputModel } from '../../../definition/input-model.ts'
import { emailKind } from '../../../definition/kinds/email.ts'
import { findTemplateOptions } from '../../../definition/mail-template.ts'
import { codeMail } from '../../../definition/mail-texts.ts'
import { type FieldModel, IDENTITY, type Model } from '../../../definition/model.ts'
import { didYouMean } from '../../../definition/name-suggestion.ts'
import { formatValue } from '../../../definition/option-table.ts'
import { invalidContent, refuse } from '../../../refusal.ts'
import type { ServiceContext } from '../../../requests/context/service-context.ts'
import type { CodeTool, ToolReads } from '../../../requests/write/code-tool.ts'
import { all, compares, equals } from '../../../store/condition.ts'
import { findRow } from '../../../store/table-rows.ts'
import { composeTemplate, type MailData } from '../compose-mail.ts'
import { type MailTemplateModel, mailModel } from '../mail-model.ts'
import { type MailTables, mailTablesOf, queuedMailWrites, secretOf } from '../mail-record.ts'
import { hasUnsubscribed, unsubscriptionTime } from './unsubscription.ts'

/** How long a key is remembered: 30 days. */
const keyTime = 30 * 86_400_000
/** Mails of code to an address within an hour at most. */
const mostPerHour = 50
const hour = 3_600_000
const maxKeyLength = 200
/** In characters, of the text and the HTML together. */
const maxLength = 500_000

/** Undefined for a service without mail. */
export async function createCodeMail({
  model,
  store,
  clock,
}: Pick<ServiceContext, 'model' | 'store' | 'clock'>): Promise<CodeTool | undefined> {
  const tables = mailTablesOf(model)
  if (!tables) return undefined
  const key = await store.loadSecret('mails')
  return {
    async writesOf(reads, given, mail) {
      const template = requireTemplate(model, given)
      const { to, key: topic, ...composed } = parseMail(template, mail)
      const now = clock.now()
      const slot = sha256(JSON.stringify([codeMail, template.name, to, topic]))
      if (await findRow(reads.store, tables.mails, slot, 'slot')) return []
      if (await hasUnsubscribed(reads.store, tables.mails, { template: template.name, address: to }))
        return []
      await requireFewMails(reads, tables, { recipient: to, now })
      const account = await findAccountRow(tables.accounts, reads.store, to)
      const identity = randomUUIDv7()
      // Replaced by the link when the mail is sent.
      const nonce = template.canUnsubscribe ? randomBytes(24).toString('base64url') : ''
      const lifetime = template.canUnsubscribe ? unsubscriptionTime : keyTime
      const stored = {
        kind: codeMail,
        recipient: to,
        address: to,
        account: account ? String(account[IDENTITY]) : null,
        template: template.name,
        nonce,
        digest: template.canUnsubscribe ? sha256(secretOf(key, identity, nonce)) : null,
        slot,
        expiresAt: new Date(now + lifetime).toISOString(),
        content: requireShort(JSON.stringify(composeTemplate(template, { ...composed, link: nonce }))),
      }
      return queuedMailWrites(tables, { identity, stored }, now)
    },
  }
}

function requireShort(content: string): string {
  if (content.length <= maxLength) return content
  throw refuse('invalid-content', { detail: `A mail has ${maxLength} characters at most.` })
}

function requireTemplate(model: Model, given: unknown): MailTemplateModel {
  const found = mailModel.of(model)?.templates.find(({ declared }) => declared === given)
  if (found) return found
  if (findTemplateOptions(given) === undefined)
    throw new TypeError(`The first argument must be a template of mailTemplate(), not ${formatValue(given)}.`)
  throw new TypeError('The template is not declared. Add it to templates of the option mail.')
}

interface ParsedMail {
  readonly to: string
  readonly key: string
  readonly data: MailData
  readonly language: string | undefined
}

const memberNames = ['to', 'key', 'data', 'language']

/** Throws a TypeError for what types refuse; refuses 422 an address that is none, and a mail that is too long. */
function parseMail({ placeholders }: MailTemplateModel, given: unknown): ParsedMail {
  const members = new Map(Object.entries(Object(given)))
  requireKnown([...members.keys()], memberNames, 'member')
  const [to, key, language] = [members.get('to'), members.get('key'), members.get('language')]
  if (typeof key !== 'string' || key === '' || key.length > maxKeyLength)
    throw new TypeError(`'key' must be a text of 1 to ${maxKeyLength} characters, not ${formatValue(key)}.`)
  if (language !== undefined && typeof language !== 'string')
    throw new TypeError(`'language' must be a language tag such as 'de', not ${formatValue(language)}.`)
  return { to: parseAddress(to), key, data: parseData(placeholders, members.get('data')), language }
}

function parseData(placeholders: readonly string[], given: unknown): MailData {
  const data = new Map(Object.entries(Object(given)))
  requireKnown([...data.keys()], placeholders, 'placeholder')
  const values = placeholders.map((name) => {
    const value = data.get(name)
    if (typeof value === 'string' || typeof value === 'number') return [name, value] as const
    throw new TypeError(`'data.${name}' must be a text or a number, not ${formatValue(value)}.`)
  })
  return Object.fromEntries(values)
}

function requireKnown(names: readonly string[], known: readonly string[], what: string): void {
  const other = names.find((name) => !known.includes(name))
  if (other === undefined) return
  const expected = known.length === 0 ? 'Expected none.' : `Expected: ${known.join(', ')}.`
  throw new TypeError(`Unknown ${what} '${other}'. ${didYouMean(other, known) ?? expected}`)
}

const addressField: FieldModel = Object.freeze({
  ...currentPassword,
  name: 'to',
  kind: emailKind,
  required: true,
  writeOnly: false,
  schema: emailKind.schema({}, { isKey: false, isIndexed: false }),
})
const addressInput = createInputModel('mail', [addressField])

/** The address in lower case. Refuses 422 other values: a second address or a header field is none. */
function parseAddress(given: unknown): string {
  const faults = addressInput.validate({ to: given })
  if (faults.length > 0) {
    const detail = `Must be an e-mail address such as ada@example.org, not ${formatValue(given)}.`
    throw invalidContent([{ pointer: '/to', rule: 'pattern', detail }])
  }
  return String(given).toLowerCase()
}

interface Recipient {
  readonly recipient: string
  readonly now: number
}

/** Refuses 429. Mails of transactions in progress do not count, so that these need not wait for each other. */
async function requireFewMails({ preview }: ToolReads, { mails }: MailTables, { recipient, now }: Recipient) {
  const since = new Date(now - hour).toISOString()
  const count = await preview.count(
    mails.name,
    all([equals(['address'], recipient), compares(['createdAt'], 'gt', since)]),
    { atMost: mostPerHour },
  )
  if (count < mostPerHour) return
  throw refuse('too-many-requests', {
    detail: `There were ${mostPerHour} mails to this address within an hour.`,
    fields: { 'Retry-After': '600' },
  })
}
