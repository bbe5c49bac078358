/** Sends queued mails: at least once each, and always with the same link. */

import type { TokenContext } from '../../access/account-tokens.ts'
import { codeMail, createsAccount, linkPaths } from '../../definition/mail-texts.ts'
import { CREATED_AT, type Model } from '../../definition/model.ts'
import { escapeText } from '../../html/markup/markup.ts'
import type { Observer } from '../../observation.ts'
import { accountsOf, type ServiceContext } from '../../requests/context/service-context.ts'
import { partOf } from '../../requests/context/service-part.ts'
import type { Row } from '../../store/row.ts'
import { updateFields } from '../../store/row-fields.ts'
import type { Store } from '../../store/store.ts'
import { findRow } from '../../store/table-rows.ts'
import type { Write } from '../../store/write.ts'
import type { BackgroundTask } from '../../work/background-task.ts'
import type { Attempt, AttemptOutcome } from '../../work/change-consumer.ts'
import { idleInterval, PollLoop } from '../../work/poll-loop.ts'
import type { QueuedWork } from '../../work/queued-work.ts'
import { WorkRunner } from '../../work/work-runner.ts'
import { hasUnsubscribed, subscriptionOf } from './code/unsubscription.ts'
import { type ComposedMail, composeMail } from './compose-mail.ts'
import { findOpenInvitation } from './invitations/invitation-mail.ts'
import { mailPart } from './mail-context.ts'
import { mailModel } from './mail-model.ts'
import {
  findMailAccount,
  isMailOpen,
  type MailTables,
  mailTablesOf,
  noticeTime,
  readMail,
  type StoredMail,
  secretOf,
} from './mail-record.ts'
import { createMailTransport, type MailTransport } from './mail-transport.ts'
import { mailConsumerName } from './mails-resource.ts'

/** Starts sending by the server; none for a service without mail. Without a server mails wait. */
export async function startTasks(
  service: ServiceContext,
  { mail: url }: { readonly mail?: string | undefined },
): Promise<readonly BackgroundTask[]> {
  const { model, store, clock, observe, publicUrl } = service
  const { now } = clock
  const tables = mailTablesOf(model)
  const { key, isShown } = partOf(service, mailPart)
  if (!tables || isShown || url === undefined || publicUrl === undefined) return []
  const transport = await createMailTransport(url)
  const { tokens } = accountsOf(service)
  const options = { model, store, tables, key, publicUrl, now, tokens, transport, observe }
  const prepare = (work: QueuedWork) => prepareAttempt(options, work)
  const consumer = { name: mailConsumerName, prepareAttempt: prepare }
  const report = (cause: unknown) => {
    if (!loop.isClosed) observe({ kind: 'task-failed', task: mailConsumerName, cause })
  }
  const onEnd = () => loop.wake()
  const runner = new WorkRunner({ store, context: tables.queue, consumer, now, report, onEnd })
  const step = async () => ((await runner.beginDue()) ? 0 : idleInterval)
  const loop: PollLoop = new PollLoop({ step, report })
  const task: BackgroundTask = {
    start: () => loop.start(),
    wake: () => loop.wake(),
    async close() {
      await loop.close()
      await runner.close()
    },
  }
  return [task]
}

export interface MailContext {
  readonly model: Model
  readonly store: Store
  readonly tables: MailTables
  readonly key: Uint8Array
  /** The URI of the entry point, without a slash at its end. */
  readonly publicUrl: string
  readonly now: () => number
}

interface MailConsumerOptions extends MailContext {
  readonly tokens: TokenContext
  readonly transport: MailTransport
  readonly observe: Observer
}

async function prepareAttempt(options: MailConsumerOptions, work: QueuedWork): Promise<Attempt> {
  const { store, tables } = options
  const row = await findRow(store, tables.mails, work.payload)
  // A login without an account, a used link, an account that is gone, newer mails: nothing is sent.
  if (!row || !(await hasRecipient(options, row)))
    return { writes: [], run: async () => ({ kind: 'ended', record: nothing }) }
  return { writes: [], run: () => attempt(options, readMail(tables.mails, row)) }
}

/** The recipient has an account, or gets one by the link in the mail. */
async function hasRecipient(context: MailConsumerOptions, row: Row): Promise<boolean> {
  const { store, tables, now } = context
  const { mails } = tables
  const { kind, isReplaced, content } = readMail(mails, row)
  if (isReplaced) return false
  if (kind === codeMail) {
    const isRecent = Date.parse(String(row[CREATED_AT])) + noticeTime > now()
    if (!content || !isRecent) return false
    return !(await hasUnsubscribed(store, mails, subscriptionOf(mails, row)))
  }
  if (kind === 'invitation') return (await findOpenInvitation(context, row)) !== undefined
  if (createsAccount(kind)) return isMailOpen(mails, row, now())
  return (await findMailAccount(tables, store, row, now())) !== undefined
}

async function attempt(options: MailConsumerOptions, mail: StoredMail): Promise<AttemptOutcome> {
  const { model, transport, observe } = options
  const host = mailModel.of(model)?.from.replace(/^.*@|>$/g, '') ?? 'localhost'
  try {
    await transport.send({ ...formatMail(options, mail), id: `<${mail.identity}@${host}>` })
    return { kind: 'ended', record: () => forgetContent(options, mail) }
  } catch (cause) {
    observe({ kind: 'task-failed', task: mailConsumerName, cause: withoutAddress(cause) })
    return { kind: isRefusedForGood(cause) ? 'parked' : 'failed', record: nothing }
  }
}

/** After the mail was accepted no part of the database leads to its secret any more, or has the words of code. */
async function forgetContent(
  { store, tables, now }: MailContext,
  { identity }: StoredMail,
): Promise<readonly Write[]> {
  const { mails } = tables
  const row = await findRow(store, mails, identity)
  return row ? [updateFields(mails, row, new Date(now()).toISOString(), { nonce: '', content: null })] : []
}

/** The mail as it is sent. */
export function formatMail(context: MailContext, mail: StoredMail): ComposedMail {
  const { model, key, publicUrl } = context
  const { kind, recipient, identity, nonce, hasSecret } = mail
  if (kind === codeMail) return composeOfCode(context, mail)
  const place = linkPaths[kind]
  const segments = [
    ...(place === undefined ? [] : [model.paths[place]]),
    ...(hasSecret ? [secretOf(key, identity, nonce)] : []),
  ]
  const link = `${publicUrl}/${segments.join('/')}`
  return composeMail(model, kind, { recipient, link })
}

/** A mail of code, with its link to unsubscribe instead of the nonce. */
function composeOfCode({ model, key, publicUrl }: MailContext, mail: StoredMail): ComposedMail {
  const { recipient, content, identity, nonce } = mail
  const declared = mailModel.of(model)
  if (!declared || !content) throw new Error('A mail of code has content until it is sent')
  const composed = { from: declared.from, to: recipient, ...content }
  if (nonce === '') return composed
  const unsubscribe = `${publicUrl}/${model.paths.mails}/${secretOf(key, identity, nonce)}`
  return {
    ...composed,
    text: content.text.replaceAll(nonce, () => unsubscribe),
    html: content.html.replaceAll(nonce, () => escapeText(unsubscribe)),
    unsubscribe,
  }
}

/** Whether the server refuses the recipient or the content with a 5xx code (RFC 5321 §4.2.1). */
function isRefusedForGood(error: unknown): boolean {
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown }
  return (
    (code === 'EENVELOPE' || code === 'EMESSAGE') && typeof responseCode === 'number' && responseCode >= 500
  )
}

/** Mail servers repeat addresses in their replies; the log names none. */
function withoutAddress(error: unknown): Error {
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown }
  return new Error(
    `The mail server did not accept a mail (${[code, responseCode].filter(Boolean).join(' ')})`,
  )
}

const nothing = async () => []
