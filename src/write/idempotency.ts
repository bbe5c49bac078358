/**
 * Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a POST or PATCH that is sent again
 * under its key has its effect once and its answer each time. The answer is kept in the
 * transaction of the effect, so that neither a crash nor another node can come between them.
 */

import { createHmac, hash } from 'node:crypto'
import type {
  Method,
  NegotiatedRequest,
  RequestContent,
  RequestContext,
} from '../context/request-context.ts'
import type { IdempotencyKey } from '../context/service-context.ts'
import { findFormKey, mayHaveFormKey } from '../html-pages/form-key.ts'
import type { HttpRequest } from '../http/message.ts'
import { parseStringOrToken } from '../http/structured-field.ts'
import { refuse } from '../refusal.ts'
import { storedResponseName } from '../request/stored-response-name.ts'
import { mayReturnSecret } from '../respond/cacheability.ts'
import { isStreamed } from '../respond/content-coding.ts'
import { EarlyResponse } from '../respond/early-response.ts'
import {
  encodeResponse,
  type RenderedResponse,
  renderResponse,
  type ViewResponse,
} from '../respond/finish-response.ts'
import type { MaybePromise, ResponseWrite } from '../store/store.ts'

const keyed: ReadonlySet<Method> = new Set(['POST', 'PATCH'])
const longest = 255
const keptFor = 24 * 60 * 60 * 1000

/** The key, where the method takes one and one was sent; refuses a malformed one with 400. */
export function parseIdempotencyKey(
  negotiated: NegotiatedRequest,
  request: HttpRequest,
  content: RequestContent | undefined,
): MaybePromise<IdempotencyKey | undefined> {
  if (!content || !keyed.has(negotiated.method)) return undefined
  const field = request.fields['idempotency-key']
  if (field !== undefined)
    return keyOf({ key: field, content, isOfPage: false }, negotiated, request)
  if (!mayHaveFormKey(negotiated, request)) return undefined
  return findFormKey(content).then((key) =>
    key === undefined ? undefined : keyOf({ key, content, isOfPage: true }, negotiated, request),
  )
}

interface SentKey {
  readonly key: string
  readonly content: RequestContent
  /** Whether it came in the content, from a form of a page. */
  readonly isOfPage: boolean
}

function keyOf(sent: SentKey, negotiated: NegotiatedRequest, request: HttpRequest): IdempotencyKey {
  if (mayReturnSecret(negotiated.target)) {
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
  return heldKey(negotiated, request, { ...sent, key })
}

function heldKey(
  { service, caller, method, target }: NegotiatedRequest,
  { fields, peer }: HttpRequest,
  { key, content, isOfPage }: SentKey,
): IdempotencyKey {
  let name = storedResponseName({ caller, address: peer.address, method, path: target.path }, key)
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
      if (service.keysInUse.get(name) === held) service.keysInUse.delete(name)
    },
  }
  if (!isOfPage) return held
  const renameForContent = async () => {
    const fingerprint = await held.fingerprint()
    held[Symbol.dispose]()
    name = hash('sha256', `${name} ${fingerprint}`, 'base64')
  }
  return Object.assign(held, { renameForContent })
}

/**
 * Passes where the key is new, and takes it; answers early with what was answered before. Refuses
 * 409 while another request runs under the key, and 422 where it was used with other content. A form
 * of a page with other content is a request of its own.
 */
export function replayStoredResponse(context: RequestContext): MaybePromise<void> {
  if (context.key) return replayUnder(context.key, context)
}

async function replayUnder(key: IdempotencyKey, context: RequestContext): Promise<void> {
  const { service } = context
  const running = service.keysInUse.get(key.name)
  if (running !== undefined && running !== key) {
    if (key.renameForContent && (await running.fingerprint()) !== (await key.fingerprint())) {
      await key.renameForContent()
      return replayUnder(key, context)
    }
    throw refuse('request-in-progress', {
      detail: 'A request with this Idempotency-Key is being answered. Ask again for its answer.',
      fields: { 'Retry-After': '1' },
    })
  }
  service.keysInUse.set(key.name, key)
  const kept = await service.store.storedResponse(key.name, service.clock.now())
  if (!kept) return
  // Read only now: a key that is new must not make anything be read before it is wanted.
  if (kept.fingerprint !== (await key.fingerprint())) {
    if (!key.renameForContent) {
      throw refuse('key-reused', { detail: 'This Idempotency-Key was used with other content.' })
    }
    await key.renameForContent()
    return replayUnder(key, context)
  }
  throw new EarlyResponse(await encodeResponse(context, JSON.parse(kept.text) as RenderedResponse))
}

/** The write that keeps the answer under the key, to go with the effect. */
export async function createResponseWrite(
  context: RequestContext,
  key: IdempotencyKey,
  response: ViewResponse,
): Promise<ResponseWrite> {
  const rendered = renderResponse(context, response)
  if (rendered.body !== undefined && isStreamed(rendered.body)) {
    throw new Error('The answer to a write is known at once')
  }
  const body = rendered.body === undefined ? undefined : Buffer.from(rendered.body).toString()
  const now = context.service.clock.now()
  return {
    kind: 'answer',
    name: key.name,
    fingerprint: await key.fingerprint(),
    text: JSON.stringify({ ...rendered, body } satisfies RenderedResponse),
    now,
    until: now + keptFor,
  }
}
