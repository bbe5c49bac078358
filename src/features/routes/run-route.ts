/** Runs the code of a route: its tools, its time, its writes in one transaction, and the response that it returns. */

import { hash } from 'node:crypto'
import { isSameCaller } from '../../access/caller-check.ts'
import { actorOf, type Principal } from '../../access/principal.ts'
import { InvalidPayload } from '../../definition/logic/signature.ts'
import type { HttpRequest, HttpResponse } from '../../http/message.ts'
import { safeMethods } from '../../http/method.ts'
import { Refusal, refuse } from '../../refusal.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import { LogicFailure } from '../../requests/write/logic-runner.ts'
import { LostRace, retryLostRaces } from '../../requests/write/lost-race.ts'
import type { Write } from '../../store/write.ts'
import { LogicRun } from '../logic/logic-run.ts'
import { findRefusal } from '../logic/run-action.ts'
import { callHook, withinTime } from '../logic/run-hook.ts'
import { commitRun } from '../logic/system-access.ts'
import { createReadTools, createRequestTools } from '../logic/tools.ts'
import type { RouteModel, VerifyingCode } from './route-model.ts'
import { formatStored, parseStored, responseOf } from './route-response.ts'

/** A request to a route, before its event is known. */
export interface ReceivedCall {
  readonly route: RouteModel
  readonly caller: Principal
  readonly request: HttpRequest
  readonly octets: Uint8Array
  /** The URI as the client used it. */
  readonly uri: string
}

export interface RouteCall extends ReceivedCall {
  readonly event: object | undefined
  /** The caller as it is now. Refuses 401 and 403. */
  findCaller(): Promise<Principal>
}

/** How long an event is remembered: 30 days. */
const rememberedMilliseconds = 30 * 86_400_000
const maxIdLength = 1000

/** The response of the code; of an event that was handled before, the first response. */
export async function runRoute(service: ServiceContext, call: RouteCall): Promise<HttpResponse> {
  const name = await nameOfEvent(call)
  return retryLostRaces(() => attempt(service, call, name), {
    milliseconds: 30_000,
    run: (milliseconds, work) => service.store.withNamedLock(call.route.path, milliseconds, work),
  })
}

/** The place of the code in the definition. */
export function placeOf({ path }: RouteModel): string {
  return `routes '${path}'`
}

/** The name that the response is stored under; undefined: it is not stored. Refuses 422 an event without an id. */
async function nameOfEvent({ route, event }: RouteCall): Promise<string | undefined> {
  const { once, path } = route
  if (!once) return undefined
  const id = await callHook(placeOf(route), () => once(event))
  if (typeof id !== 'string')
    throw new LogicFailure(placeOf(route), `${placeOf(route)}.once must return a text.`)
  if (id !== '' && id.length <= maxIdLength)
    return hash('sha256', JSON.stringify(['route', path, id]), 'base64')
  const detail = `The event must have an id of 1 to ${maxIdLength} characters.`
  throw refuse('invalid-content', { detail, errors: [{ pointer: '', rule: 'required', detail }] })
}

async function attempt(
  service: ServiceContext,
  call: RouteCall,
  name: string | undefined,
): Promise<HttpResponse> {
  const stored = name && (await service.store.findStoredResponse(name, service.expiryClock.now()))
  if (stored) return parseStored(stored.text)
  const { route, request, event } = call
  const place = placeOf(route)
  const caller = await call.findCaller()
  const run = LogicRun.begin(service, { caller, requestId: request.id })
  const nested = run.nested(place)
  const response = await withinTime(
    run,
    { clock: undefined },
    place,
    async ({ signal }) => {
      const tools = { ...(await createRequestTools({ run: nested, signal, place })), event: event ?? {} }
      const returned = await callHook(place, async () => {
        const value = await route.run(requestOf(call, signal), tools)
        nested.end()
        return value
      }).catch((error) => {
        throw findRefusal(new Set(), place, error) ?? error
      })
      return responseOf(place, returned)
    },
    route.time,
  )
  requireNoWrites(run, call)
  // A sender repeats what fails.
  if (response.status >= 400) return response
  // The code may have taken a minute. After a change it runs again with the present rights.
  if (!isSameCaller(caller, await call.findCaller())) throw new LostRace()
  const remembered = name === undefined ? [] : [rememberedResponse(service, name, response, place)]
  await commitRoute(service, run, remembered, place)
  return response
}

/** With a cookie a link of another site could cause the writes of a GET. */
function requireNoWrites({ writes }: LogicRun, { route, request }: RouteCall): void {
  if (!route.cookie || !safeMethods.has(request.method)) return
  if (writes.every(({ kind }) => kind === 'repeat')) return
  const place = placeOf(route)
  throw new LogicFailure(place, `${place} writes in a GET. With 'cookie' it must not: offer POST for that.`)
}

/** Stores the writes and the response. Throws a LostRace where the event was handled in between. */
async function commitRoute(
  service: ServiceContext,
  run: LogicRun,
  remembered: readonly Write[],
  place: string,
): Promise<void> {
  const { caller } = run.request
  try {
    await commitRun(service, run, { call: place, actor: actorOf(caller), more: remembered })
  } catch (error) {
    if (error instanceof LostRace || error instanceof Refusal) throw error
    throw new LogicFailure(place, `${place} failed: ${(error as Error).message}`, { cause: error })
  }
}

function rememberedResponse(
  { clock, expiryClock }: ServiceContext,
  name: string,
  response: HttpResponse,
  place: string,
): Write {
  return {
    kind: 'response',
    name,
    fingerprint: '',
    text: formatStored(place, response),
    now: expiryClock.now(),
    until: clock.now() + rememberedMilliseconds,
  }
}

/** A standard request with all header fields and the octets as they were sent, without the cookies of the service. */
export function requestOf({ request, octets, uri }: ReceivedCall, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.fields)) {
    const sent = name === 'cookie' ? foreignCookies(value ?? '') : value
    if (sent !== undefined && sent !== '') headers.set(name, sent)
  }
  // A HEAD has the response of a GET, without its content.
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const hasBody = method !== 'GET' && octets.length > 0
  return new Request(uri, { method, headers, signal, ...(hasBody && { body: octets }) })
}

function foreignCookies(field: string): string {
  const kept = field.split(';').filter((one) => !/^\s*(?:__Host-)?restwell/.test(one))
  return kept.join(';').trim()
}

/** The event that the code returns; undefined: the request is not genuine. Throws an InvalidPayload where `parse` does. */
export async function runVerifier(
  service: ServiceContext,
  call: ReceivedCall,
  verify: VerifyingCode,
): Promise<object | undefined> {
  const { caller, request, route } = call
  const place = `${placeOf(route)}.verify`
  const run = LogicRun.begin(service, { caller, requestId: request.id })
  const nested = run.nested(place)
  const work = async ({ signal }: { readonly signal: AbortSignal }) => {
    const tools = await createReadTools({ run: nested, signal, place })
    const event = await callHook(place, async () => {
      const found = await verify(requestOf(call, signal), tools)
      nested.end()
      return found
    })
    if (event === undefined || (typeof event === 'object' && event !== null)) return event
    throw new LogicFailure(place, `${place} must return an object, or undefined.`)
  }
  try {
    return await withinTime(run, { clock: undefined }, place, work, route.time)
  } catch (error) {
    throw error instanceof LogicFailure && error.cause instanceof InvalidPayload ? error.cause : error
  }
}
