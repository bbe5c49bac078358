/** One request's way through the service: the sequence of decisions, in the order they are made. */

import { authenticate } from '../access/authenticate.ts'
import type { Principal } from '../access/principal.ts'
import {
  type HttpRequest,
  type HttpResponse,
  noFields,
  type ResponseFields,
} from '../http/message.ts'
import { safeMethods } from '../http/method.ts'
import type { Awaitable } from '../store/store.ts'
import { admit, allow, options, recognise } from './admission.ts'
import type { Answer } from './answer.ts'
import { parseQuery, type Question, readQuestion } from './asking.ts'
import { createMany, isMany } from './bulk.ts'
import { allowOrigin, throttle, throttleAddress } from './caller.ts'
import { chooseCoding } from './coding.ts'
import { type AdmittedContent, admitContent, type PatchKind } from './content.ts'
import type { Context } from './context.ts'
import { named, type Trail } from './decisions.ts'
import { type Asked, type Errand, isAt } from './errand.ts'
import { finish } from './finish.ts'
import { readFresh } from './freshness.ts'
import { parseKey, replay } from './idempotency.ts'
import { judge } from './judge.ts'
import { allowRecord, type Current, load } from './load.ts'
import { negotiate } from './negotiation.ts'
import { recall, remember } from './page-memory.ts'
import { leadOn, unwrapForm } from './pages/form-request.ts'
import { originOf } from './pages/origin.ts'
import { parsePreferences } from './preference.ts'
import { untilSettled } from './race.ts'
import { readCollection, readDocument, readItem } from './read.ts'
import { streamCollection } from './stream.ts'
import { type CollectionTarget, type DocumentTarget, locate, type Target } from './target.ts'
import { createToken } from './token.ts'
import { create, createNamed, patch, remove, replace } from './write.ts'

/** What became known on the way, for whoever must answer when it ends in a refusal. */
export interface Trace extends Trail {
  target: Target | undefined
  /** What RateLimit says to this caller now. */
  allowance: ResponseFields
  who: Principal | undefined
  asked: Asked | undefined
  content: AdmittedContent | undefined
}

export async function journey(
  context: Context,
  received: HttpRequest,
  trace: Trace,
): Promise<HttpResponse> {
  const decide = decisions(trace)
  decide.recognise(context, received) //                                    503, 501
  const request = decide.unwrapForm(context.model, received) //             303, 400, 405
  const target = decide.locate(context.model, request) //                   414, 400, 301, 404
  trace.target = target
  const method = decide.admit(target, request) //                           405 + Allow
  if (method === 'OPTIONS' || isAnsweredByItself(target)) {
    trace.allowance = decide.throttleAddress(context, request) //           429
  }
  if (method === 'OPTIONS') return options(context, target, request) //     204
  if (target.kind === 'document') {
    const own = await decide.respond(context, target, request) //           assets, signing in
    if (own) return own
  }
  const who = await decide.authenticate(context.schemes, request) //        429, 401 + challenge
  trace.who = who
  if (trace.allowance === noFields) {
    trace.allowance = decide.throttle(context, who, target, request) //     429
  }
  decide.allowOrigin(context, who, method, request) //                      403
  decide.allow(context.model, who, method, target) //                       401, 403
  const format = decide.negotiate(target, method, request) //               406
  const coding = decide.chooseCoding(target, method, request) //            406
  const preferences = decide.parsePreferences(target, method, request) //   400
  const origin = originOf(request)
  const { address } = request.peer
  const shown = { format, origin, coding, preferences }
  const whole: Asked = { context, who, method, target, address, ...shown }
  const asked = readFresh(whole, request) //                                the primary, or a replica
  trace.asked = asked
  const query = decide.parseQuery(asked, request) //                        400
  const content = decide.admitContent(asked, request) //                    400, 413, 415
  trace.content = content
  const question = await decide.readQuestion(asked, query, content) //      400, 413, 422 of QUERY
  const key = await decide.parseKey(asked, request, content) //             400, 413 of forms
  const errand: Errand = key ? { ...asked, key } : asked
  const carryOut = async () => {
    const current = await decide.load(errand, question)
    await decide.allowRecord(errand, current) //                            404, 301, 410, 401, 403
    if (key) await decide.replay(errand) //                                 2xx again, 409, 422
    const judged = await decide.judge(request, errand, current) //          304, 412, 428
    if (judged) return judged
    const known = decide.recall(errand, current) //                         200, once more
    if (known) return known
    const answer = await decide.act(errand, current, question, content) //  400, 413, 422, 403, 409
    if (request.viaForm) return leadOn(errand, answer) //                   303
    return remember(errand, current, await finish(errand, answer)) //       200, 201, 204
  }
  // What only reads loses no race, and holds no key.
  if (safeMethods.has(method)) return await carryOut()
  using _held = key
  return await untilSettled(carryOut)
}

const decisions = named({
  recognise,
  unwrapForm,
  locate,
  admit,
  respond,
  authenticate,
  throttle,
  throttleAddress,
  allowOrigin,
  allow,
  negotiate,
  chooseCoding,
  parsePreferences,
  parseQuery,
  admitContent,
  readQuestion,
  parseKey,
  load,
  allowRecord,
  replay,
  judge,
  recall,
  act,
})

function isAnsweredByItself(target: Target): boolean {
  return target.kind === 'document' && target.document.respond !== undefined
}

/** What documents answer by themselves, whoever asks. */
function respond(context: Context, target: DocumentTarget, request: HttpRequest) {
  return target.document.respond?.({ context, request, target })
}

/** Content is read here and not before: RFC 9110 §13.2.1 puts preconditions first. */
function act(
  errand: Errand,
  current: Current,
  question: Question,
  content: AdmittedContent | undefined,
): Awaitable<Answer> {
  if (!content) return perform(errand, current, question)
  return content
    .read()
    .then((body) => perform(errand, current, question, { body, patch: content.patch }))
}

function perform(
  errand: Errand,
  current: Current,
  { list, counted }: Question,
  sent?: { readonly body: unknown; readonly patch: PatchKind },
): Awaitable<Answer> {
  const { method } = errand
  if (isAt(errand, 'document') && current.kind === 'document') return readDocument(errand, current)
  if (isAt(errand, 'collection')) {
    if (method === 'POST') return add(errand, current, sent?.body)
    if (list && current.kind === 'streamed') return streamCollection(errand, list)
    if (list && (current.kind === 'page' || current.kind === 'revised')) {
      return readCollection(errand, current, { list, counted })
    }
  }
  if (isAt(errand, 'item') && current.kind === 'absent' && method === 'PUT') {
    return createNamed(errand, current, sent?.body)
  }
  if (isAt(errand, 'item') && current.kind === 'found') {
    switch (method) {
      case 'PUT':
        return replace(errand, current, sent?.body)
      case 'PATCH':
        return patch(errand, current, sent?.body, sent?.patch)
      case 'DELETE':
        return remove(errand, current)
      default:
        return readItem(errand, current)
    }
  }
  throw new Error(`No way to ${method} a target of kind ${errand.target.kind}`)
}

/** A token, one item, or many. */
function add(errand: Errand<CollectionTarget>, current: Current, body: unknown) {
  if (errand.target.resource.own === 'tokens') return createToken(errand, body)
  return isMany(errand, body) ? createMany(errand, current, body) : create(errand, current, body)
}
