/**
 * Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a POST or PATCH that is sent again
 * under its key has its effect once and its answer each time. The answer is kept in the
 * transaction of the effect, so that neither a crash nor another node can come between them.
 */

import { createHmac, hash } from 'node:crypto'
import type { HttpRequest } from '../http/message.ts'
import { parseStringOrToken } from '../http/structured-field.ts'
import { refuse } from '../refusal.ts'
import type { AnswerWrite, Awaitable } from '../store/store.ts'
import type { Method } from './admission.ts'
import type { Answer } from './answer.ts'
import { bearsSecrets } from './cacheability.ts'
import { isStreamed } from './coding.ts'
import type { AdmittedContent } from './content.ts'
import { EarlyAnswer } from './early.ts'
import type { Asked, Errand } from './errand.ts'
import { type Rendered, render, send } from './finish.ts'
import { bearsFormKey, findFormKey } from './pages/form-key.ts'
import { storedResponseName } from './stored-response-name.ts'

/** A key that a request was sent under. Disposing of it lets others under the same key go on. */
export interface IdempotencyKey extends Disposable {
  /** What the answer is kept under: the key within its caller, method and path. */
  readonly name: string
  /**
   * Renames the key for its content. Only keys of pages have it: a page that is opened again has the
   * same key, so another form under it is another request.
   */
  readonly separate?: () => Promise<void>
  /** Of the content, under the key: without the key it tells nothing of what was sent. */
  fingerprint(): Promise<string>
}

/** The names under which a request is being answered in this process, each with its key. */
export type RunningKeys = Map<string, IdempotencyKey>

const keyed: ReadonlySet<Method> = new Set(['POST', 'PATCH'])
const longest = 255
const keptFor = 24 * 60 * 60 * 1000

/** The key, where the method takes one and one was sent; refuses a malformed one with 400. */
export function parseKey(
  asked: Asked,
  request: HttpRequest,
  content: AdmittedContent | undefined,
): Awaitable<IdempotencyKey | undefined> {
  if (!content || !keyed.has(asked.method)) return undefined
  const field = request.fields['idempotency-key']
  if (field !== undefined) return keyOf({ key: field, content, isOfPage: false }, asked, request)
  if (!bearsFormKey(asked, request)) return undefined
  return findFormKey(content).then((key) =>
    key === undefined ? undefined : keyOf({ key, content, isOfPage: true }, asked, request),
  )
}

interface SentKey {
  readonly key: string
  readonly content: AdmittedContent
  /** Whether it came in the content, from a form of a page. */
  readonly isOfPage: boolean
}

function keyOf(sent: SentKey, asked: Asked, request: HttpRequest): IdempotencyKey {
  if (bearsSecrets(asked.target)) {
    throw refuse('malformed-request', {
      detail: 'No Idempotency-Key here: the answer has a secret, which is not kept to be repeated.',
    })
  }
  const key = parseStringOrToken(sent.key)
  if (key === undefined || key.length < 1 || key.length > longest) {
    throw refuse('malformed-request', {
      detail: `Idempotency-Key must be a quoted string, or a token, of 1 to ${longest} characters.`,
    })
  }
  return heldKey(asked, request, { ...sent, key })
}

function heldKey(
  { context, who, method, target }: Asked,
  { fields, peer }: HttpRequest,
  { key, content, isOfPage }: SentKey,
): IdempotencyKey {
  let name = storedResponseName({ who, address: peer.address, method, path: target.path }, key)
  const held: IdempotencyKey = {
    get name() {
      return name
    },
    fingerprint: async () =>
      createHmac('sha256', key)
        .update(`${fields['content-type'] ?? ''}\n`)
        .update(await content.octets())
        .digest('base64'),
    [Symbol.dispose]() {
      if (context.running.get(name) === held) context.running.delete(name)
    },
  }
  if (!isOfPage) return held
  const separate = async () => {
    const fingerprint = await held.fingerprint()
    held[Symbol.dispose]()
    name = hash('sha256', `${name} ${fingerprint}`, 'base64')
  }
  return Object.assign(held, { separate })
}

/**
 * Passes where the key is new, and takes it; answers early with what was answered before. Refuses
 * 409 while another request runs under the key, and 422 where it was used with other content. A form
 * of a page with other content is a request of its own.
 */
export function replay(errand: Errand): Awaitable<void> {
  if (errand.key) return replayUnder(errand.key, errand)
}

async function replayUnder(key: IdempotencyKey, errand: Errand): Promise<void> {
  const { context } = errand
  const running = context.running.get(key.name)
  if (running !== undefined && running !== key) {
    if (key.separate && (await running.fingerprint()) !== (await key.fingerprint())) {
      await key.separate()
      return replayUnder(key, errand)
    }
    throw refuse('request-in-progress', {
      detail: 'A request with this Idempotency-Key is being answered. Ask again for its answer.',
      fields: { 'Retry-After': '1' },
    })
  }
  context.running.set(key.name, key)
  const kept = await context.store.answer(key.name, context.clock.now())
  if (!kept) return
  // Read only now: a key that is new must not make anything be read before it is wanted.
  if (kept.fingerprint !== (await key.fingerprint())) {
    if (!key.separate) {
      throw refuse('key-reused', { detail: 'This Idempotency-Key was used with other content.' })
    }
    await key.separate()
    return replayUnder(key, errand)
  }
  throw new EarlyAnswer(await send(errand, JSON.parse(kept.text) as Rendered))
}

/** The write that keeps the answer under the key, to go with the effect. */
export async function keptAnswer(
  errand: Errand,
  key: IdempotencyKey,
  answer: Answer,
): Promise<AnswerWrite> {
  const rendered = render(errand, answer)
  if (rendered.body !== undefined && isStreamed(rendered.body)) {
    throw new Error('The answer to a write is known at once')
  }
  const body = rendered.body === undefined ? undefined : Buffer.from(rendered.body).toString()
  const now = errand.context.clock.now()
  return {
    kind: 'answer',
    name: key.name,
    fingerprint: await key.fingerprint(),
    text: JSON.stringify({ ...rendered, body } satisfies Rendered),
    now,
    until: now + keptFor,
  }
}
