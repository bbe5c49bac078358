/**
 * Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a POST or PATCH that is sent again
 * under its key has its effect once and its answer each time. The answer is kept in the
 * transaction of the effect, so that neither a crash nor another node can come between them.
 */

import { createHash, createHmac } from 'node:crypto'
import { type Principal, scopesOf } from '../access/principal.ts'
import type { JsonValue } from '../declare/model.ts'
import type { HttpRequest, Peer } from '../http/message.ts'
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

/** A key that a request was sent under. Disposing of it lets others under the same key go on. */
export interface IdempotencyKey extends Disposable {
  /** What the answer is kept under: the key within its caller, method and path. */
  readonly name: string
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
  if (field !== undefined) return keyOf(field, asked, request, content)
  if (!bearsFormKey(asked, request)) return undefined
  return findFormKey(content).then((key) =>
    key === undefined ? undefined : keyOf(key, asked, request, content),
  )
}

function keyOf(
  field: string,
  asked: Asked,
  request: HttpRequest,
  content: AdmittedContent,
): IdempotencyKey {
  const { context, target } = asked
  if (bearsSecrets(target)) {
    throw refuse('malformed-request', {
      detail: 'No Idempotency-Key here: the answer has a secret, which is not kept to be repeated.',
    })
  }
  const key = parseStringOrToken(field)
  if (key === undefined || key.length < 1 || key.length > longest) {
    throw refuse('malformed-request', {
      detail: `Idempotency-Key must be a quoted string, or a token, of 1 to ${longest} characters.`,
    })
  }
  const type = request.fields['content-type'] ?? ''
  const held: IdempotencyKey = {
    name: nameOf(asked, request, key),
    fingerprint: async () =>
      createHmac('sha256', key)
        .update(`${type}\n`)
        .update(await content.octets())
        .digest('base64'),
    [Symbol.dispose]() {
      if (context.running.get(held.name) === held) context.running.delete(held.name)
    },
  }
  return held
}

/** Neither the key nor the caller is to be read from the database. */
function nameOf({ who, method, target }: Asked, { peer }: HttpRequest, key: string): string {
  const scope = JSON.stringify([...callerOf(who, peer), method, target.path, key])
  return createHash('sha256').update(scope).digest('base64')
}

/** Whoever has other roles or scopes may not see what was answered, and is another caller. */
function callerOf(who: Principal, { address }: Peer): readonly JsonValue[] {
  switch (who.kind) {
    case 'anonymous':
      return [who.kind, address]
    case 'outsider':
      return [who.kind, who.subject, [...who.roles].sort()]
    case 'account':
      return [who.kind, who.identity, [...who.roles].sort(), [...(scopesOf(who) ?? [])].sort()]
  }
}

/**
 * Passes where the key is new, and takes it; answers early with what was answered before. Refuses
 * 409 while another request runs under the key, and 422 where it was used with other content.
 */
export function replay(errand: Errand): Awaitable<void> {
  if (errand.key) return replayUnder(errand.key, errand)
}

async function replayUnder(key: IdempotencyKey, errand: Errand): Promise<void> {
  const { context } = errand
  const running = context.running.get(key.name)
  if (running !== undefined && running !== key) {
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
    throw refuse('key-reused', { detail: 'This Idempotency-Key was used with other content.' })
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
