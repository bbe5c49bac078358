/**
 * Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a POST or PATCH that is repeated with
 * its key has its effect once, and the same response each time. The response is stored in the
 * transaction of the write, so that a crash cannot separate them.
 */

import { isUtf8 } from 'node:buffer'
import { createHmac, hash } from 'node:crypto'
import { type Principal, scopesOf, subjectKey } from '../../access/principal.ts'
import type { JsonValue } from '../../definition/model.ts'
import type { HttpRequest } from '../../http/message.ts'
import { formDataType } from '../../http/multipart.ts'
import { isStreamed } from '../../http/streamed-body.ts'
import { parseStringOrToken } from '../../http/structured-field.ts'
import { refuse } from '../../refusal.ts'
import type { ResponseWrite } from '../../store/write.ts'
import type { CoreRequest } from '../context/core-request.ts'
import { operationOf } from '../context/operation-of.ts'
import type { RequestContent } from '../context/request-content.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { IdempotencyKey } from '../context/service-context.ts'
import { mayReturnSecret } from '../respond/cacheability.ts'
import { EarlyResponse } from '../respond/early-response.ts'
import { encodeResponse, type RenderedResponse } from '../respond/finish-response.ts'

const maxKeyLength = 255
const storedMilliseconds = 24 * 60 * 60 * 1000

/** The key of the request, by default from the header field; refuses 400 for a malformed key. */
export async function parseIdempotencyKey(
  context: RequestContext,
  request: CoreRequest,
  content: RequestContent | undefined,
): Promise<IdempotencyKey | undefined> {
  if (!content || !operationOf(context).key) return undefined
  const key = request.fields['idempotency-key'] ?? (await request.findKey?.(content))
  return key === undefined ? undefined : parseKey({ key, content }, context, request)
}

interface SentKey {
  readonly key: string
  readonly content: RequestContent
}

function parseKey(sent: SentKey, context: RequestContext, request: HttpRequest): IdempotencyKey {
  if (mayReturnSecret(context.target)) {
    throw refuse('malformed-request', {
      detail: 'Send this request without Idempotency-Key: its response has a secret, which is not stored.',
    })
  }
  const key = parseStringOrToken(sent.key)
  if (key === undefined || key.length < 1 || key.length > maxKeyLength) {
    throw refuse('malformed-request', {
      detail: `Idempotency-Key must be a quoted string or a token of 1 to ${maxKeyLength} characters.`,
    })
  }
  return createKey(context, request, { ...sent, key })
}

function createKey(
  { service, caller, method, target }: RequestContext,
  { fields, client }: HttpRequest,
  { key, content }: SentKey,
): IdempotencyKey {
  const name = storedResponseName({ caller, address: client.address, method, path: target.path }, key)
  const created: IdempotencyKey = {
    name,
    fingerprint: async () =>
      createHmac('sha256', key)
        .update(`${stableType(fields['content-type'] ?? '')}\n`)
        .update(await content.octets())
        .digest('base64'),
    [Symbol.dispose]() {
      if (service.idempotencyKeysInUse.get(name) === created) service.idempotencyKeysInUse.delete(name)
    },
  }
  return created
}

/** The boundary of a form with files may be another one each time it is sent. */
function stableType(contentType: string): string {
  const essence = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  return essence === formDataType ? essence : contentType
}

/**
 * Passes when the key is new; ends the request with the stored response when it is not. Refuses 409
 * while another request with the key is in progress, and 422 when the key was used with other
 * content.
 */
export async function replayStoredResponse(context: RequestContext): Promise<void> {
  const { idempotencyKey } = context
  const stored = idempotencyKey && (await findStoredResponse(idempotencyKey, context))
  if (stored) throw new EarlyResponse(await encodeResponse(context, stored))
}

async function findStoredResponse(
  idempotencyKey: IdempotencyKey,
  context: RequestContext,
): Promise<RenderedResponse | undefined> {
  const { service, unit } = context
  const running = service.idempotencyKeysInUse.get(idempotencyKey.name)
  if (running !== undefined && running !== idempotencyKey) {
    throw refuse('request-in-progress', {
      detail: 'A request with this Idempotency-Key is in progress. Send it again to get its response.',
      fields: { 'Retry-After': '1' },
    })
  }
  service.idempotencyKeysInUse.set(idempotencyKey.name, idempotencyKey)
  const stored = await unit.store.findStoredResponse(idempotencyKey.name, service.expiryClock.now())
  if (!stored) return undefined
  // The content of a request with a new key is not read before the preconditions are evaluated.
  if (stored.fingerprint !== (await idempotencyKey.fingerprint())) {
    throw refuse('key-reused', { detail: 'This Idempotency-Key was used with other content.' })
  }
  const { base64, ...rendered } = JSON.parse(stored.text) as StoredRendering
  return base64 === undefined ? rendered : { ...rendered, body: Buffer.from(base64, 'base64') }
}

/** The text of a response, or the octets of a file. */
interface StoredRendering extends RenderedResponse {
  readonly base64?: string
}

/** The write that stores the response under the key, for the transaction of the change. */
export async function createResponseWrite(
  { service: { clock, expiryClock } }: RequestContext,
  idempotencyKey: IdempotencyKey,
  rendered: RenderedResponse,
): Promise<ResponseWrite> {
  if (rendered.body !== undefined && isStreamed(rendered.body)) {
    throw new Error('The response to a write is never streamed')
  }
  const octets = rendered.body === undefined ? undefined : Buffer.from(rendered.body)
  const stored: StoredRendering =
    octets && !isUtf8(octets)
      ? { ...rendered, body: undefined, base64: octets.toString('base64') }
      : { ...rendered, body: octets?.toString() }
  return {
    kind: 'response',
    name: idempotencyKey.name,
    fingerprint: await idempotencyKey.fingerprint(),
    text: JSON.stringify(stored),
    now: expiryClock.now(),
    until: clock.now() + storedMilliseconds,
  }
}

/** The requests that share a key: those of one caller with the same method and path. */
interface KeyScope {
  readonly caller: Principal
  /** Tells anonymous callers apart. */
  readonly address: string
  readonly method: string
  readonly path: string
}

/** A hash, so that the database reveals neither the key nor the caller. */
function storedResponseName({ caller, address, method, path }: KeyScope, key: string): string {
  return hash('sha256', JSON.stringify([...callerScope(caller, address), method, path, key]), 'base64')
}

/** Identifies the caller. Roles and scopes are part of it: with others the caller may not see the stored response. */
function callerScope(caller: Principal, address: string): readonly JsonValue[] {
  switch (caller.kind) {
    case 'anonymous':
      return [caller.kind, address]
    case 'system':
      return [caller.kind]
    case 'external':
      return [caller.kind, subjectKey(caller), [...caller.roles].sort()]
    case 'account':
      return [caller.kind, caller.identity, [...caller.roles].sort(), [...(scopesOf(caller) ?? [])].sort()]
  }
}
