/** One request's way through the service: the sequence of decisions, in the order they are made. */

import { authenticate } from '../access/authenticate.ts'
import type { Principal } from '../access/principal.ts'
import type { HttpRequest, HttpResponse, ResponseFields } from '../http/message.ts'
import { admit, allow, options, recognise } from './admission.ts'
import type { Answer } from './answer.ts'
import { parseQuery, type Question, readQuestion } from './asking.ts'
import { createMany, isMany } from './bulk.ts'
import { allowOrigin, throttle } from './caller.ts'
import { chooseCoding } from './coding.ts'
import { type AdmittedContent, admitContent } from './content.ts'
import type { Context } from './context.ts'
import { named, type Trail } from './decisions.ts'
import type { Asked, Errand } from './errand.ts'
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
import { locate, type Target } from './target.ts'
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
  if (method === 'OPTIONS') return options(context, target, request) //     204
  const own = await decide.respond(context, target, request) //             assets, signing in
  if (own) return own
  const who = await decide.authenticate(context.schemes, request) //        429, 401 + challenge
  trace.who = who
  trace.allowance = decide.throttle(context, who, target, request) //       429
  decide.allowOrigin(context, who, method, request) //                      403
  decide.allow(context.model, who, method, target) //                       401, 403
  const format = decide.negotiate(target, method, request) //               406
  const coding = decide.chooseCoding(target, method, request) //            406
  const preferences = decide.parsePreferences(target, method, request) //   400
  const origin = originOf(request)
  const whole: Asked = { context, who, method, target, format, origin, coding, preferences }
  const asked = readFresh(whole, request) //                                the primary, or a replica
  trace.asked = asked
  const query = decide.parseQuery(asked, request) //                        400
  const content = decide.admitContent(asked, request) //                    400, 413, 415
  trace.content = content
  const question = await decide.readQuestion(asked, query, content) //      400, 413, 422 of QUERY
  using key = await decide.parseKey(asked, request, content) //             400, 413 of forms
  const errand: Errand = { ...asked, key }
  return await untilSettled(async () => {
    const current = await decide.load(errand, question)
    await decide.allowRecord(errand, current) //                            404, 301, 410, 401, 403
    await decide.replay(errand) //                                          2xx again, 409, 422
    const judged = await decide.judge(request, errand, current) //          304, 412, 428
    if (judged) return judged
    const known = decide.recall(errand, current) //                         200, once more
    if (known) return known
    const answer = await decide.act(errand, current, question, content) //  400, 413, 422, 403, 409
    if (request.viaForm) return leadOn(errand, answer) //                   303
    return remember(errand, current, await finish(errand, answer)) //       200, 201, 204
  })
}

const decisions = named({
  recognise,
  unwrapForm,
  locate,
  admit,
  respond,
  authenticate,
  throttle,
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

/** What documents answer by themselves, whoever asks. */
async function respond(context: Context, target: Target, request: HttpRequest) {
  if (target.kind !== 'document') return undefined
  return target.document.respond?.({ context, request, target })
}

/** Content is read here and not before: RFC 9110 §13.2.1 puts preconditions first. */
async function act(
  errand: Errand,
  current: Current,
  { list, counted }: Question,
  content: AdmittedContent | undefined,
): Promise<Answer> {
  const body = content && (await content.read())
  const { method, target } = errand
  if (target.kind === 'document' && current.kind === 'document') {
    return readDocument({ ...errand, target }, current)
  }
  if (target.kind === 'collection') {
    const at = { ...errand, target }
    if (method === 'POST' && target.resource.own === 'tokens') return createToken(at, body)
    if (method === 'POST') {
      return isMany(at, body) ? createMany(at, current, body) : create(at, current, body)
    }
    if (list && current.kind === 'streamed') return streamCollection(at, list)
    if (list && (current.kind === 'page' || current.kind === 'revised')) {
      return readCollection(at, current, { list, counted })
    }
  }
  if (target.kind === 'item' && current.kind === 'absent' && method === 'PUT') {
    return createNamed({ ...errand, target }, body)
  }
  if (target.kind === 'item' && current.kind === 'found') {
    const at = { ...errand, target }
    switch (method) {
      case 'PUT':
        return replace(at, current, body)
      case 'PATCH':
        return patch(at, current, body, content?.patch)
      case 'DELETE':
        return remove(at, current)
      default:
        return readItem(at, current)
    }
  }
  throw new Error(`No way to ${method} a target of kind ${target.kind}`)
}
